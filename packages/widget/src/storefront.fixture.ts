import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { problems } from '@financing-checkout/contract/storefront';
import { inject } from 'vitest';
import { serveHostedPage } from './hosted-page.fixture.ts';

/** A link from the service. */
export const LINK = {
  url: 'https://link.example/l/7Q2mX',
  // A single black pixel.
  qrCode:
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  state: 'waiting',
  expiresAt: '2026-11-21T12:00:00Z',
};

/** A shop's page with the widget's CDN build, a companion and a hosted page. */
export interface Storefront {
  readonly url: string;
  /** Paths of the requests to the companion. */
  readonly asked: string[];
  /** Forms sent to the companion, with the browser's Origin header. */
  readonly forms: { readonly origin: string | undefined; readonly fields: URLSearchParams }[];
  /** The companion's responses to a confirmation (`verdict`) and a cancellation (`farewell`). */
  verdict: { status: string; retrySafe?: boolean };
  farewell: { status: string };
  /** Chunks of the production build by name. */
  readonly files: Map<string, string>;
  close(): void;
}

async function listen(listener: RequestListener): Promise<{ origin: string; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Returns the production build's files, which `built-widget.fixture.ts` creates once. */
function readBuild(): ReadonlyMap<string, string> {
  const folder = inject('builtWidget');
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Options for a storefront in addition to the element's attributes. */
export interface Setup {
  readonly modes?: readonly string[];
  readonly sdk?: { readonly global: string; readonly manners?: string };
  /** Behavior overrides for the hosted page (see `hosted-page.fixture.ts`). */
  readonly manners?: string;
  /** Attributes of a second element. */
  readonly second?: string;
  /** Whether the shop's content security policy blocks the hosted page in frames. */
  readonly frameless?: boolean;
  /** Whether the element contains a form for browsers without JavaScript. */
  readonly form?: boolean;
  /** A script in the page's head, and its hash for the policy. */
  readonly head?: { readonly html: string; readonly hash: string };
  /** Renders the element on the server, in place of the plain markup. */
  readonly element?: (companion: string) => Promise<string>;
}

export async function openStorefront(
  attributes = '',
  style = '',
  {
    modes = ['embedded'],
    sdk,
    manners = '',
    second = '',
    frameless = false,
    form = false,
    head,
    element,
  }: Setup = {},
): Promise<Storefront> {
  const files = new Map(readBuild());
  const hosted = await serveHostedPage();
  const asked: string[] = [];
  const forms: Storefront['forms'] = [];
  const says = { verdict: { status: 'approved' }, farewell: { status: 'cancelled' } };
  let shopOrigin = '';
  let returnUrl = '';
  let key: string | string[] | undefined;
  let isLink = false;
  let isConfirmed = false;

  const companion = await listen((request, response) => {
    if (request.url === '/checkout/start') {
      void text(request).then((sent) => {
        forms.push({ origin: request.headers.origin, fields: new URLSearchParams(sent) });
        response.writeHead(303, { location: `${hosted.origin}/?session=session-1` }).end();
      });
      return;
    }
    void answer(request).then(([status, body]) => {
      response.writeHead(status, {
        'access-control-allow-origin': shopOrigin,
        'access-control-allow-headers':
          'authorization, content-type, financing-checkout-version, idempotency-key, financing-checkout-secret',
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(body));
    });
  });

  async function answer(request: IncomingMessage): Promise<[status: number, body: object]> {
    if (request.method === 'OPTIONS') return [204, {}];
    const body = (JSON.parse((await text(request)) || '{}') ?? {}) as {
      returnUrl?: string;
      via?: string;
    };
    returnUrl = body.returnUrl ?? returnUrl;
    const path = request.url ?? '';
    asked.push(path);
    const isPrime = path.endsWith('/prime');
    key = isPrime ? request.headers['idempotency-key'] : key;
    if (isPrime) [isLink, isConfirmed] = [body.via === 'link', false];
    if (!isPrime && request.headers['financing-checkout-secret'] !== key) {
      const { status, title } = problems['checkout-not-found'];
      return [status, { code: 'checkout-not-found', title, status, retrySafe: true }];
    }
    const checkout = {
      id: 'checkout-1',
      environment: 'sandbox',
      status: 'open',
      amount: { value: 129_900, currency: 'USD' },
      merchantOrderId: 'A-1001',
      expiresAt: '2026-11-20T12:00:00Z',
    };
    if (path.endsWith('/confirmation')) isConfirmed = true;
    if (!isPrime && isConfirmed) return [200, { ...checkout, ...says.verdict }];
    if (path.endsWith('/cancellation')) return [200, { ...checkout, ...says.farewell }];
    const query = new URLSearchParams({
      session: 'session-1',
      origin: shopOrigin,
      return: returnUrl,
      manners,
    });
    const url = `${hosted.origin}/?${query.toString()}`;
    const script = new URLSearchParams({ ...sdk });
    const presentation = {
      sessionToken: 'session-1',
      hosted: { url, modes },
      ...(isLink && { link: LINK }),
      ...(sdk && {
        sdk: { src: `${hosted.origin}/sdk.js?${script.toString()}`, global: sdk.global },
      }),
    };
    return [isPrime ? 201 : 200, { ...checkout, presentation }];
  }

  const policy = [
    "default-src 'none'",
    `script-src 'self'${sdk ? ` ${hosted.origin}` : ''}${head ? ` '${head.hash}'` : ''}`,
    "style-src 'self'",
    `connect-src ${companion.origin}`,
    `frame-src ${frameless ? "'none'" : hosted.origin}`,
    "base-uri 'none'",
    `form-action ${form ? `${companion.origin} ${hosted.origin}` : "'none'"}`,
    "require-trusted-types-for 'script'",
    `trusted-types lit-html${sdk ? ' financing-checkout' : ''}`,
  ].join('; ');

  const markup = () => `<financing-checkout public-key="pk-test-1" environment="sandbox"
          companion="${companion.origin}" order="opaque-reference-1" ${attributes}>
          ${
            form
              ? `<form method="post" action="${companion.origin}/checkout/start">
                  <input type="hidden" name="order" value="opaque-reference-1">
                  <input type="hidden" name="environment" value="sandbox">
                  <input type="hidden" name="publicKey" value="pk-test-1">
                  <input type="hidden" name="returnUrl" value="${shopOrigin}/">
                  <button>Pay over time, without script</button></form>`
              : '<p slot="other-methods"><a href="#card">Pay by card instead</a></p>'
          }
        </financing-checkout>`;

  const shop = await listen((request, response) => {
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = files.get((request.url ?? '').slice(1));
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(file);
    } else if (request.url === '/page.css') {
      response.writeHead(200, { 'content-type': 'text/css' }).end(`
        body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-inline-size: 26em; padding-inline: 1em }
        financing-checkout:not(:defined) { display: block; min-block-size: 3em }
        ${style}`);
    } else {
      const drawn = (await element?.(companion.origin)) ?? markup();
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
      });
      response.end(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
        <meta name="viewport" content="width=device-width, viewport-fit=cover">
        <link rel="stylesheet" href="/page.css">${head?.html ?? ''}
        <script type="module" src="/financing-checkout.js"></script></head><body>
        <h1>Your order</h1><p>One armchair, $1,299.00</p>
        ${drawn}${
          second &&
          `<financing-checkout id="second" public-key="pk-test-1" environment="sandbox"
            companion="${companion.origin}" ${second}></financing-checkout>`
        }<p>Free returns for 30 days.</p></body></html>`);
    }
  }
  shopOrigin = shop.origin;

  return Object.assign(says, {
    url: shop.origin,
    asked,
    forms,
    files,
    close: () => {
      for (const { server } of [shop, companion, hosted]) {
        server.closeAllConnections();
        server.close();
      }
    },
  });
}
