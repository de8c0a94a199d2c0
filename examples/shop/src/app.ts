import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { matchedRoutes } from 'hono/route';
import type { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Assets } from './assets.ts';
import { createReconciler } from './back-office/reconciler.ts';
import { backOfficeRoutes } from './back-office/routes.ts';
import { createCarts } from './cart/cart.ts';
import { cartRoutes } from './cart/routes.ts';
import { catalogRoutes } from './catalog/routes.ts';
import { checkoutRoutes } from './checkout/routes.ts';
import type { ShopConfig } from './config.ts';
import type { Log } from './log.ts';
import { orderRoutes } from './orders/routes.ts';
import { createOrders } from './orders/store.ts';
import { messagePage } from './page/layout.ts';
import { createPages } from './page/pages.ts';
import { createCompanion } from './payment/companion.ts';
import { paymentRoutes } from './payment/routes.ts';
import { createSettlement } from './payment/settlement.ts';
import { webhookRoutes } from './payment/webhook.ts';
import { canonicalOrigin, headers } from './security.ts';
import { visitor } from './visitor.ts';
import type { ShopEnv } from './visitor.ts';

export interface ShopOptions {
  config: Omit<ShopConfig, 'host' | 'port' | 'database' | 'adminToken'> & {
    adminToken: string;
    /** Signs visitors' ids. */
    visitorSecret: string;
  };
  database: DatabaseSync;
  assets: Assets;
  log: Log;
  /** The shop's clock. The time window for webhooks uses the system clock. */
  now?: () => Date;
  /** Calls the companion's back office and reconciliation. */
  fetch?: typeof fetch;
}

const pictures = fileURLToPath(new URL('../pictures/', import.meta.url));

/**
 * Returns the route instead of the path, because anyone who reads an order's id in a log could open
 * the order.
 */
function routeOf(c: Context): string {
  return matchedRoutes(c).findLast(({ path }) => path !== '/*')?.path ?? 'none';
}

/**
 * Creates the shop as one Hono app.
 *
 * @example
 * const shop = createShop({ config, database: openDatabase(':memory:'), assets, log });
 * await shop.request('/');
 */
export function createShop(options: ShopOptions): Hono<ShopEnv> {
  const { config, database, assets, log, now = () => new Date() } = options;
  const carts = createCarts(database);
  const orders = createOrders(database, now);
  const reach = options.fetch && { fetch: options.fetch };
  const companion = createCompanion({ ...config.backOffice, ...reach });
  const { environment } = config;
  const settlement = createSettlement({ orders, companion, environment, log, now });
  const { publicApiKey, companionUrl } = config;
  const pages = createPages(assets, carts, { publicApiKey, environment, companionUrl });

  const app = new Hono<ShopEnv>();

  app.use(async function requestLog(c, next) {
    const started = performance.now();
    await next();
    const route = routeOf(c);
    if (route === '/healthz') return;
    const duration = Math.round(performance.now() - started);
    log('info', 'request', { method: c.req.method, route, status: c.res.status, ms: duration });
  });
  app.use(
    headers({
      origin: config.origin,
      companionOrigin: new URL(config.companionUrl).origin,
      hostedOrigin: config.hostedOrigin,
      sdkOrigin: config.sdkOrigin,
    }),
  );

  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.route('/webhooks', webhookRoutes({ secret: config.webhookSecret, settlement, log }));
  app.get(
    '/assets/*',
    serveStatic({
      root: assets.directory,
      rewriteRequestPath: (path) => path.replace(/^\/assets/, ''),
      // File names contain a content hash.
      onFound: (_, c) => c.header('cache-control', 'public, max-age=31536000, immutable'),
    }),
  );
  app.get(
    '/pictures/*',
    serveStatic({
      root: pictures,
      rewriteRequestPath: (path) => path.replace(/^\/pictures/, ''),
      onFound: (_, c) => c.header('cache-control', 'public, max-age=3600'),
    }),
  );

  app.use(canonicalOrigin(config.origin));
  app.use(visitor(config.origin.startsWith('https:'), config.visitorSecret));
  app.use(bodyLimit({ maxSize: 32 * 1024 }));
  // Rejects forms from other sites by their Origin or Sec-Fetch-Site header.
  app.use(csrf({ origin: config.origin }));

  app.route('/', catalogRoutes(pages, companionUrl));
  app.route('/cart', cartRoutes(pages, carts, companionUrl));
  app.route('/checkout', checkoutRoutes(pages, carts, orders));
  app.route('/orders', orderRoutes({ pages, orders, carts, settlement }));
  app.route(
    '/orders',
    paymentRoutes({
      pages,
      orders,
      settlement,
      ticket: { ...config.ticket, environment, origin: config.origin },
      publicApiKey,
      environment,
      companionUrl,
    }),
  );
  app.route(
    '/admin',
    backOfficeRoutes({
      pages,
      orders,
      companion,
      // Pages for shoppers never send requests to reconciliation.
      reconciler: createReconciler({ ...config.reconciliation, ...reach }),
      token: config.adminToken,
      log,
      now,
    }),
  );

  app.notFound((c) =>
    c.get('visitor')
      ? pages.show(c, messagePage('Not found', 'There is nothing at this address.'), 404)
      : c.text('Not found', 404),
  );
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    // An unexpected error's message may contain personal data, so only its kind and location are
    // logged.
    const place = error.stack?.split('\n').find((line) => line.trim().startsWith('at ')) ?? '';
    log('error', 'unexpected', { route: routeOf(c), kind: error.name, place: place.trim() });
    return c.text('Something went wrong here. Please try again.', 500);
  });
  return app;
}
