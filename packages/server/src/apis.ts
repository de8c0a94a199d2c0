import type { Hono } from 'hono';
import { backOfficeRoutes } from './back-office/api.ts';
import { type CompanionOptions, resolveOptions } from './options.ts';
import { openApiDocument } from './platform/http/openapi.ts';
import type { Env } from './platform/http/requests.ts';
import { storefrontRoutes } from './storefront/api.ts';
import { version } from './version.ts';

/**
 * Creates the storefront API: what `<financing-checkout>` calls. A Hono app, to be served by itself
 * or mounted in another one.
 *
 * @example
 * ```ts
 * const app = new Hono();
 * app.route('/financing', createStorefrontApi(options));
 * ```
 * @throws {TypeError} for options that contradict each other, or that would give the key away
 */
export function createStorefrontApi(options: CompanionOptions): Hono<Env> {
  return storefrontRoutes(resolveOptions(options), options);
}

/**
 * Creates the back-office API: charges, fundings and checkouts, for the merchant's own network.
 * @throws {TypeError} for options that contradict each other
 */
export function createBackOfficeApi(options: CompanionOptions): Hono<Env> {
  const app = backOfficeRoutes(resolveOptions(options), { ...options, document });
  return app;

  /** Returns the OpenAPI document of both APIs, under the addresses that a companion has by default. */
  function document() {
    return openApiDocument(version, [
      {
        tag: 'Storefront API',
        description: 'For pages of the shop, on the public listener. By default:',
        server: 'http://localhost:4000',
        app: createStorefrontApi(options),
      },
      {
        tag: 'Back-office API',
        description: 'For the merchant’s own network, on the private listener. By default:',
        server: 'http://127.0.0.1:4001',
        app,
      },
    ]);
  }
}
