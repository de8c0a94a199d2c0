import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { type Browser, type BrowserContext } from 'playwright';
import { root } from '../../scripts/paths.ts';

/**
 * The peer as its package publishes it: the script that a shop's page loads. What its frames load comes
 * from its servers, is not on npm, and is not counted.
 */
const peer = join(
  root,
  'bench/node_modules/@paypal/messaging-components/dist/bizcomponents/js/messaging.js',
);

/** The loading and script costs of a message in a product page. */
interface Figures {
  readonly brotliBytes: number;
  readonly layoutShift: number;
  /** Requests other than the page and its script, including those of frames. */
  readonly requests: number;
}

const programmes = {
  programmes: [
    {
      id: 'bench-24',
      lender: { name: 'Example Lender' },
      productType: 'Installments',
      currency: 'USD',
      amount: { min: 5_000, max: 500_000 },
      apr: '0',
      payments: { count: 24, period: 'Month', rounding: 'half-up' },
      texts: [
        {
          id: 'bench-24-en',
          language: 'en',
          text: 'From {payment} a month for {count} months at {apr} APR. Total {total}.',
          disclosure: { url: 'https://lender.example/terms', label: 'Terms apply' },
          sha256: '0'.repeat(64),
        },
      ],
    },
  ],
};

/** The markup and script that show each message, and a selector for its visible part. */
const sides = {
  ours: {
    markup: '<financing-message amount="89000" currency="USD" companion=""></financing-message>',
    script: '<script type="module" src="/ours.js"></script>',
    shows: 'financing-message [part=text]',
  },
  peer: {
    markup: '<div data-pp-message data-pp-amount="890.00" data-pp-style-layout="text"></div>',
    script: '<script defer src="/peer.js" data-pp-account="bench" data-client-id="bench"></script>',
    shows: 'iframe',
  },
} as const;
type Side = keyof typeof sides;

/** The style sheet that the widget's README gives for a message that is not defined yet. */
function reservingSheet(): string {
  const readme = readFileSync(join(root, 'packages/widget/README.md'), 'utf8');
  return /```css\n(financing-message:not\(:defined[^]*?)```/.exec(readme)?.[1] ?? '';
}

async function measure(context: BrowserContext, shop: string, side: Side): Promise<Figures> {
  const page = await context.newPage();
  let bytes = 0;
  let requests = 0;
  page.on('pageerror', (error) => {
    throw error;
  });
  page.on('response', (response) => {
    if (!response.url().endsWith('.js')) return;
    void response.body().then((body) => (bytes += brotliCompressSync(body).byteLength));
  });
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === 'null' || (origin === shop && !pathname.endsWith('/programmes'))) return;
    requests += 1;
  });
  await page.addInitScript(() => {
    Object.assign(globalThis, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const value = (entry as { value?: number }).value ?? 0;
        Reflect.set(globalThis, 'shift', Number(Reflect.get(globalThis, 'shift')) + value);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(`${shop}/${side}`);
  await page.locator(sides[side].shows).first().waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  const layoutShift = await page.evaluate<number>('globalThis.shift');
  await page.close();
  return { brotliBytes: bytes, layoutShift, requests };
}

/**
 * Measures the message and @paypal/messaging-components, each on the same shop page.
 * @param folder the built contestants
 */
export async function compareMessages(
  browser: Browser,
  folder: string,
): Promise<Record<Side, Figures>> {
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    const file = { 'ours.js': join(folder, 'message', 'main.js'), 'peer.js': peer }[name];
    if (file) {
      response.setHeader('content-type', 'text/javascript').end(readFileSync(file));
    } else if (name === 'programmes') {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(programmes));
    } else {
      const { markup, script } = sides[name as Side];
      const placed = markup.replace('companion=""', `companion="http://${request.headers.host}"`);
      response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html>
        <html lang="en"><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
        <meta name="viewport" content="width=device-width"><style>${reservingSheet()}
        body { font: 16px/1.5 system-ui; margin: 2em auto; max-width: 26em }</style>${script}
        <h1>Lounge Chair No. 4</h1><p>$890.00</p>${placed}<p>Free returns for thirty days.</p></html>`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    // The peer's servers answer with an empty page.
    await context.route(
      (url) => url.hostname !== '127.0.0.1',
      (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
    );
    return {
      ours: await measure(context, shop, 'ours'),
      peer: await measure(context, shop, 'peer'),
    };
  } finally {
    await context.close();
    server.close();
  }
}
