import '@financing-checkout/widget/cdn/financing-checkout.js';
import { told } from './told.js';

/** Adds a copy of the element in the page. */
globalThis.mount = async (place) => {
  const element = document.querySelector('financing-checkout').cloneNode(true);
  place.append(element);
  await element.updateComplete;
  return () => element.remove();
};
await document.querySelector('financing-checkout').updateComplete;
told();
