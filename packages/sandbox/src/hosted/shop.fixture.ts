import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestSandbox } from '../sandbox.fixture.ts';
import { SDK_GLOBAL, sdkIntegrity } from './sdk.ts';

/** An expression for the page: a promise that resolves once the script has set `payments`. */
export const paymentsSet = `new Promise((resolve) => {
  const sdk = ${SDK_GLOBAL};
  if (sdk.payments) return resolve();
  Object.defineProperty(sdk, 'payments', {
    configurable: true,
    set(value) {
      Object.defineProperty(sdk, 'payments', { value, configurable: true, writable: true });
      resolve();
    },
  });
})`;

/** A shop page that loads the browser script under a CSP that allows nothing inline. */
export interface TestShop {
  origin: string;
  /** HTML of the page body. */
  body: string;
  close(): void;
}

/** Starts a shop whose page passes its query string, with parameters for tests, to the script. */
export async function startShop({ sandbox }: TestSandbox): Promise<TestShop> {
  const { hostedUrl } = sandbox;
  const server = createServer((request, response) => {
    const { search } = new URL(request.url ?? '', 'http://localhost');
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'content-security-policy': `default-src 'none'; script-src ${hostedUrl}; frame-src ${hostedUrl}; connect-src ${hostedUrl}; require-trusted-types-for 'script'`,
      })
      .end(
        `<!doctype html><title>Shop</title><script src="${hostedUrl}/sdk.js${search}" crossorigin integrity="${sdkIntegrity}"></script>${shop.body}`,
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const shop: TestShop = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    body: '',
    close: () => server.close(),
  };
  return shop;
}
