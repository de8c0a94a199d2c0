import type { CheckoutRecord } from '@financing-checkout/contract/back-office';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { createShop } from './app.ts';
import { openDatabase } from './database.ts';
import type { Log } from './log.ts';

const origin = 'http://localhost:3000';

export const secrets = {
  ticket: 'a-ticket-secret-of-at-least-32-bytes',
  webhook: 'whsec_c2hhcmVkLXdpdGgtdGhlLWNvbXBhbmlvbi0wMDAx',
  backOffice: 'back-office-token-of-the-companion',
  reconciliation: 'token-of-reconciliation-for-syncs',
  admin: 'token-of-the-shops-own-people',
  visitor: 'secret-that-signs-names-of-browsers',
};

export const customer = {
  firstName: 'Ana',
  lastName: 'Ruiz',
  email: 'ana.ruiz@example.com',
  phone: '(503) 555-0142',
  line1: '12 Alder St',
  line2: '',
  city: 'Sacramento',
  state: 'CA',
  zipCode: '95814',
};

/** Value of a form field. */
type Form = Record<string, string>;

/**
 * Creates a shop with an empty database, whose companion and reconciliation answer as the test
 * says.
 */
export function testShop(companion: (request: Request) => Response | Promise<Response> = refused) {
  const database = openDatabase(':memory:');
  const lines: string[] = [];
  const log: Log = (level, event, details) =>
    void lines.push(`${level} ${event} ${JSON.stringify(details ?? {})}`);
  let time = Date.parse('2026-11-20T10:00:00Z');
  const asked: Request[] = [];
  const app = createShop({
    config: {
      origin,
      companionUrl: 'http://localhost:4000',
      backOffice: {
        url: 'http://127.0.0.1:4001',
        token: secrets.backOffice,
      },
      reconciliation: {
        url: 'http://127.0.0.1:4002',
        token: secrets.reconciliation,
      },
      environment: 'sandbox',
      publicApiKey: 'public-key-of-sandbox',
      ticket: { secret: secrets.ticket, audience: 'financing-companion' },
      webhookSecret: secrets.webhook,
      hostedOrigin: 'http://localhost:4444',
      sdkOrigin: undefined,
      adminToken: secrets.admin,
      visitorSecret: secrets.visitor,
    },
    database,
    assets: {
      directory: fileURLToPath(new URL('../pictures/', import.meta.url)),
      script: '/assets/main.js',
      style: '/assets/shop.css',
    },
    log,
    now: () => new Date(time),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      asked.push(request);
      return companion(request);
    },
  });

  /** Creates a browser that keeps the shop's cookie and sends a browser's headers. */
  function browser() {
    let cookie = '';
    const send = async (path: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('host', 'localhost:3000');
      if (cookie) headers.set('cookie', cookie);
      const response = await app.request(origin + path, { ...init, headers });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return response;
    };
    const post = (path: string, form: Form = {}, from = origin) =>
      send(path, {
        method: 'POST',
        headers: { origin: from, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
    return {
      get: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
      post,
      text: async (path: string) => (await send(path)).text(),
      /** Places an order and opens the payment page. @returns the order's address, id and number */
      async order(
        items: Record<string, number> = { 'wren-chair': 4, 'ember-lamp': 1 },
        more: Form = {},
      ) {
        for (const [slug, quantity] of Object.entries(items)) {
          await post('/cart', { slug, quantity: String(quantity) });
        }
        const response = await post('/checkout', { ...customer, ...more });
        const payment = response.headers.get('location') ?? '';
        const id = payment.split('/')[2] ?? '';
        return { id, payment, page: `/orders/${id}`, number: await numberOf(id) };
      },
    };
  }

  const statusOf = async (id: string): Promise<unknown> =>
    (await app.request(`${origin}/orders/${id}/status`)).json();
  const numberOf = async (id: string): Promise<string> => {
    const body = await statusOf(id);
    return typeof body === 'object' && body !== null && 'number' in body ? String(body.number) : '';
  };

  /** Delivers a webhook message with the companion's signature. */
  async function deliver(
    data: CheckoutRecord,
    options: { secret?: string; id?: string; at?: Date; tamper?: (body: string) => string } = {},
  ): Promise<Response> {
    const { secret = secrets.webhook, id = 'msg_1', at = new Date(), tamper } = options;
    const body = JSON.stringify({ type: 'checkout.updated', timestamp: at.toISOString(), data });
    return app.request(`${origin}/webhooks/financing`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, at, body),
      },
      body: tamper ? tamper(body) : body,
    });
  }

  return {
    app,
    database,
    browser,
    deliver,
    statusOf,
    log: lines,
    asked,
    pass: (milliseconds: number) => void (time += milliseconds),
  };
}

/** Returns the companion's record of an order from `browser().order()`, with changes. */
export function record(
  merchantOrderId: string,
  more: Partial<CheckoutRecord> = {},
): CheckoutRecord {
  return {
    checkoutId: 'chk_1',
    revision: 1,
    environment: 'sandbox',
    merchantOrderId,
    status: 'approved',
    amount: { value: 178_035, currency: 'USD' },
    updatedAt: '2026-11-20T10:00:00.000Z',
    ...more,
  };
}

function refused(): Promise<Response> {
  return Promise.reject(new TypeError('fetch failed'));
}
