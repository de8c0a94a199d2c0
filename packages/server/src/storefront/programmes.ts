import { programmesSchema } from '@financing-checkout/contract/storefront';
import { Hono } from 'hono';
import { etag } from 'hono/etag';
import type { PublishedProgrammes } from '../programmes/published.ts';
import { refuseMethod, route } from '@financing-checkout/kit/http';
import { serve } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import { type Guard, guarded } from './guards.ts';

const PATH = '/programmes';

/** Fresh for five minutes, then stale for up to a day while a cache revalidates (RFC 5861 3). */
const CACHE_CONTROL = 'public, max-age=300, stale-while-revalidate=86400';

const read = route({
  method: 'get',
  path: PATH,
  summary: 'The financing programmes that pages show',
  scope: 'none',
  priorities: [],
  budgets: { none: 'a cache asks for many shoppers, and the answer is computed once' },
  maxBodyBytes: 0,
  description:
    'For financing messages before a checkout. Public and without a key; any origin may read it, and a CDN may keep it: strong ETag, `Cache-Control`. Query parameters are ignored. Without `FINANCING_PROGRAMMES_FILE` the list is empty.',
  answers: {
    200: {
      description: 'The programmes that have not ended, with the SHA-256 of each text.',
      schema: programmesSchema,
    },
    304: { description: 'The client has this version: `If-None-Match`.' },
  },
  problems: ['private-key-exposed', 'internal'],
});

export const programmeOperations = [read];

/**
 * Serves the lenders' programmes to any page and any cache: the response does not depend on the
 * request, so no key is needed, and `Vary: Origin` would make a cache keep a copy per shop.
 */
export function programmeRoutes(
  programmes: PublishedProgrammes,
  refusePrivateKey: Guard,
): Hono<Env> {
  const app = new Hono<Env>();
  app.use(PATH, guarded([refusePrivateKey]));

  app.get(PATH, etag());
  serve(app, read, async (c) => {
    const { body, etag } = await programmes.answer();
    const headers = c.get('headers');
    openToAll(headers);
    headers['cache-control'] = CACHE_CONTROL;
    return c.body(body, 200, { 'content-type': 'application/json', etag });
  });

  app.all(PATH, (c) => {
    if (c.req.method !== 'OPTIONS') return refuseMethod('GET')();
    // Tracing tools add headers to a page's requests, so the browser sends a preflight.
    const headers = c.get('headers');
    openToAll(headers);
    headers['access-control-allow-methods'] = 'GET';
    headers['access-control-allow-headers'] = '*';
    headers['access-control-max-age'] = '86400';
    return c.body(null, 204);
  });
  return app;
}

/** Sets the headers of a response that is the same for every origin. */
function openToAll(headers: Record<string, string>): void {
  delete headers.vary;
  delete headers['access-control-expose-headers'];
  headers['access-control-allow-origin'] = '*';
}
