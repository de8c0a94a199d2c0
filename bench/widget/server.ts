import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Serves a shop page for each contestant, a companion and a lender's page. */
export interface BenchServer {
  /** Returns the address of a contestant's page. */
  page(name: string): string;
  readonly shop: string;
  close(): void;
}

const lender = `<!doctype html><title>Lender</title><button>Confirm</button><script>
const query = new URLSearchParams(location.search);
const say = (message) => parent.postMessage(
  { protocol: 'financing-checkout', version: 1, session: 'session-1', ...message }, query.get('origin'));
document.querySelector('button').onclick = () => say({ type: 'confirmed', confirmationToken: 't' });
say({ type: 'ready' });
</script>`;

async function listen(listener: RequestListener): Promise<[string, Server]> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server];
}

export async function serveBench(folder: string): Promise<BenchServer> {
  const [hosted, hostedServer] = await listen((_, response) => {
    response.setHeader('content-type', 'text/html').end(lender);
  });
  const [companion, companionServer] = await listen((request, response) => {
    void text(request).then(() => {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', '*, authorization');
      response.setHeader('content-type', 'application/json');
      const path = request.url ?? '';
      const presentation = {
        sessionToken: 'session-1',
        hosted: { url: `${hosted}/?origin=${encodeURIComponent(shop)}`, modes: ['embedded'] },
      };
      const confirmed = path.endsWith('/confirmation');
      const checkout = {
        id: 'checkout-1',
        environment: 'sandbox',
        amount: { value: 129_900, currency: 'USD' },
        merchantOrderId: 'A-1001',
        ...(confirmed ? { status: 'approved' } : { status: 'open', presentation }),
      };
      response.end(request.method === 'OPTIONS' ? '' : JSON.stringify(checkout));
    });
  });
  const [shop, shopServer] = await listen((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const [, name = '', ...rest] = pathname.split('/');
    const file = join(folder, name, ...rest);
    if (rest.join('') && existsSync(file)) {
      const type = file.endsWith('.css') ? 'text/css' : 'text/javascript';
      return void response.setHeader('content-type', type).end(readFileSync(file));
    }
    const sheets = readdirSync(join(folder, name)).filter((one) => one.endsWith('.css'));
    // The widget is a tag in the page; the others mount into an element on the page.
    const place =
      name === 'financing-checkout'
        ? `<financing-checkout public-key="pk-bench-1" environment="sandbox" order="opaque-1"
            companion="${companion}"></financing-checkout>`
        : '<div id="place"></div>';
    const links = sheets.map((sheet) => `<link rel="stylesheet" href="/${name}/${sheet}">`);
    response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html>
      <html lang="en"><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
      <meta name="viewport" content="width=device-width">${links.join('')}
      <style>body { font: 16px/1.5 system-ui; margin: 2em auto; max-width: 26em }
        financing-checkout:not(:defined) { display: block; min-block-size: 3em }</style>
      <h1>Your order</h1><p>One armchair, $1,299.00</p>${place}<p>Free delivery within two weeks, and thirty days to send it back.</p>
      <script type="module" src="/${name}/main.js"></script></html>`);
  });
  return {
    shop,
    page: (name) => `${shop}/${name}/`,
    close: () => {
      for (const server of [shopServer, companionServer, hostedServer]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
