import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { serveHostedPage } from './hosted-page.fixture.ts';

/** A shop's page with the widget as a CDN would serve it, a companion and a hosted page. */
export interface Storefront {
  readonly url: string;
  /** Paths the companion was asked for. */
  readonly asked: string[];
  /** What the companion answers a confirmation, and a cancellation, with. */
  verdict: { status: string; retrySafe?: boolean };
  farewell: { status: string };
  /** Chunks of the production build by name. */
  readonly files: ReadonlyMap<string, string>;
  close(): void;
}

async function listen(listener: RequestListener): Promise<{ origin: string; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** The production build, in memory. */
async function bundle(): Promise<Map<string, string>> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const built = await build({ root, logLevel: 'error', build: { write: false } });
  const files = new Map<string, string>();
  for (const output of Array.isArray(built) ? built : [built]) {
    if (!('output' in output)) throw new Error('The build did not end.');
    for (const file of output.output) {
      files.set(file.fileName, file.type === 'chunk' ? file.code : String(file.source));
    }
  }
  return files;
}

export async function openStorefront(attributes = '', style = ''): Promise<Storefront> {
  const files = await bundle();
  const hosted = await serveHostedPage();
  const asked: string[] = [];
  const says = { verdict: { status: 'approved' }, farewell: { status: 'cancelled' } };
  let shopOrigin = '';

  const companion = await listen((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, {
        'access-control-allow-origin': shopOrigin,
        'access-control-allow-headers':
          'authorization, content-type, financing-checkout-version, idempotency-key',
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(body));
    });
  });

  async function answer(request: IncomingMessage): Promise<[status: number, body: object]> {
    if (request.method === 'OPTIONS') return [204, {}];
    await text(request);
    const path = request.url ?? '';
    asked.push(path);
    const checkout = {
      id: 'checkout-1',
      environment: 'sandbox',
      status: 'open',
      amount: { value: 129_900, currency: 'USD' },
      merchantOrderId: 'A-1001',
      expiresAt: '2026-11-20T12:00:00Z',
    };
    if (path.endsWith('/confirmation')) return [200, { ...checkout, ...says.verdict }];
    if (path.endsWith('/cancellation')) return [200, { ...checkout, ...says.farewell }];
    const query = new URLSearchParams({ session: 'session-1', origin: shopOrigin });
    const url = `${hosted.origin}/?${query.toString()}`;
    const presentation = { sessionToken: 'session-1', hosted: { url, modes: ['embedded'] } };
    return [path.endsWith('/prime') ? 201 : 200, { ...checkout, presentation }];
  }

  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${companion.origin}`,
    `frame-src ${hosted.origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');

  const shop = await listen((request, response) => {
    const file = files.get((request.url ?? '').slice(1));
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(file);
    } else if (request.url === '/page.css') {
      response.writeHead(200, { 'content-type': 'text/css' }).end(`
        body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-inline-size: 26em; padding-inline: 1em }
        financing-checkout:not(:defined) { display: block; min-block-size: 3em }
        ${style}`);
    } else {
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
      });
      response.end(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
        <meta name="viewport" content="width=device-width, viewport-fit=cover">
        <link rel="stylesheet" href="/page.css">
        <script type="module" src="/financing-checkout.js"></script></head><body>
        <h1>Your order</h1><p>One armchair, $1,299.00</p>
        <financing-checkout public-key="pk-test-1" environment="sandbox"
          companion="${companion.origin}" order="opaque-reference-1" ${attributes}>
          <p slot="other-methods"><a href="#card">Pay by card instead</a></p>
        </financing-checkout></body></html>`);
    }
  });
  shopOrigin = shop.origin;

  return Object.assign(says, {
    url: shop.origin,
    asked,
    files,
    close: () => {
      for (const { server } of [shop, companion, hosted]) {
        server.closeAllConnections();
        server.close();
      }
    },
  });
}
