import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import type { Service } from '../service.ts';
import { arrive } from './visit.ts';

const content = readFileSync(new URL('../../assets/sdk.js', import.meta.url), 'utf8');

/** Name of the one global that the script sets. */
export const SDK_GLOBAL = 'FinancingService';

/** What a page that loads the script can hold it to (Subresource Integrity 3.5). */
export const sdkIntegrity = `sha384-${createHash('sha384').update(content).digest('base64')}`;

/** A stand-in for the service's browser SDK, and what it asks for by itself. */
export function sdkRoutes(service: Service): Hono {
  const app = new Hono();
  app.get('/sdk.js', (c) =>
    c.body(content, 200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      // Integrity is checked of what may be read only.
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    }),
  );
  app.get('/sdk/application', (c) => {
    const { session = '', key = '' } = c.req.query();
    const visit = { session, key, origin: '', returnUrl: '', locale: '' };
    const arrival = arrive(visit, service);
    c.header('Access-Control-Allow-Origin', '*');
    c.header('Cache-Control', 'no-store');
    if (arrival.kind === 'failed') return c.json({}, 404);
    return c.json({ applicationId: arrival.application.id });
  });
  return app;
}
