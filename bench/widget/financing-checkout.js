import '@financing-checkout/widget/cdn/financing-checkout.js';
import { told } from './told.js';

/** Another one, as the page has it. */
globalThis.mount = async (place) => {
  const element = document.querySelector('financing-checkout').cloneNode(true);
  place.append(element);
  await element.updateComplete;
  return () => element.remove();
};
await document.querySelector('financing-checkout').updateComplete;
told();
