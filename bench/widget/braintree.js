import dropin from 'braintree-web-drop-in';
import { told } from './told.js';

const token = {
  version: 2,
  environment: 'sandbox',
  authorizationFingerprint: 'bench',
  configUrl: 'https://api.sandbox.braintreegateway.com/merchants/bench/client_api/v1/configuration',
};

/** Drop-in with cards. It asks for its configuration and its style sheet: `theirs.ts` answers. */
globalThis.mount = async (place) => {
  const container = place.appendChild(document.createElement('div'));
  const instance = await dropin.create({ authorization: btoa(JSON.stringify(token)), container });
  return async () => {
    await instance.teardown();
    container.remove();
  };
};
await globalThis.mount(document.querySelector('#place'));
told();
