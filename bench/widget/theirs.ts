import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext } from 'playwright';
import { root } from '../../scripts/paths.ts';

/** The style sheet that Braintree's drop-in loads; its package contains it. */
export const braintreeSheet = join(root, 'bench/node_modules/braintree-web-drop-in/dropin.css');

const configuration = {
  assetsUrl: 'https://assets.braintreegateway.com',
  clientApiUrl: 'https://api.sandbox.braintreegateway.com/merchants/bench/client_api',
  authUrl: 'https://auth.venmo.sandbox.braintreegateway.com',
  environment: 'sandbox',
  merchantId: 'bench',
  merchantAccountId: 'bench',
  creditCards: { supportedCardTypes: ['Visa', 'MasterCard', 'American Express', 'Discover'] },
  challenges: ['cvv'],
  threeDSecureEnabled: false,
  paypalEnabled: false,
  analytics: { url: 'https://origin-analytics-sand.sandbox.braintree-api.com/bench' },
};

/** A framed field that reports ready immediately and sends nothing more. */
const field = `<!doctype html><title>Field</title><script>
parent.postMessage('/*framebus*/' + JSON.stringify({
  event: location.hash.slice(1) + ':hosted-fields:FRAME_READY', origin: '*', reply: crypto.randomUUID(),
  eventData: { field: name.replace('braintree-hosted-field-', '') },
}), '*');
</script>`;

/**
 * Answers the requests of the other drop-ins on this machine, so that each of them becomes visible.
 */
export async function answerForTheirs(context: BrowserContext, shop: string): Promise<void> {
  await context.route(
    (url) => url.hostname !== '127.0.0.1',
    async (route) => {
      const url = new URL(route.request().url());
      const headers = { 'access-control-allow-origin': shop, 'access-control-allow-headers': '*' };
      if (route.request().method() === 'OPTIONS') return route.fulfill({ status: 204, headers });
      if (url.pathname.endsWith('/configuration')) {
        return route.fulfill({ headers, json: configuration });
      }
      if (url.pathname.includes('hosted-fields-frame')) {
        return route.fulfill({ headers, contentType: 'text/html', body: field });
      }
      if (url.pathname.endsWith('/dropin.css')) {
        const body = readFileSync(braintreeSheet);
        return route.fulfill({ headers, contentType: 'text/css', body });
      }
      if (/\.(svg|png)$/.test(url.pathname)) {
        const body = '<svg xmlns="http://www.w3.org/2000/svg"/>';
        return route.fulfill({ headers, contentType: 'image/svg+xml', body });
      }
      if (/\.html?$/.test(url.pathname)) {
        return route.fulfill({ headers, contentType: 'text/html', body: '<!doctype html>' });
      }
      return route.fulfill({ headers, json: { id: 'bench' } });
    },
  );
}
