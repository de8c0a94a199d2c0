import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import type { CallLog } from '../api/calls.ts';
import { parseDuration } from '../platform/duration.ts';
import type { Service } from '../service.ts';
import { behaviourRoutes } from './behaviour.ts';
import { addFundingRoutes } from './fundings.ts';
import { faultRoutes } from './faults.ts';
import { keyRoutes } from './keys.ts';
import { lenderRoutes } from './lenders.ts';
import { linkRoutes } from './links.ts';
import { notificationRoutes } from './notifications.ts';
import { outcomeRoutes } from './outcomes.ts';
import { controlPage } from './page.ts';
import { stateRoutes } from './state.ts';
import { transactionRoutes } from './transactions.ts';
import { readBody, refuse } from './request.ts';

/** An environment without its private key. */
export interface PublicEnvironment {
  name: string;
  baseUrl: string;
  publicKey: string;
}

const clockChange = z
  .strictObject({
    now: z.iso.datetime({ offset: true }).optional(),
    advance: z.string().optional(),
    advanceMs: z.int().min(0).optional(),
    frozen: z.boolean().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, {
    error: 'give now, advance, advanceMs or frozen',
  });

/** Largest body of a control request, in bytes. */
const MAX_BODY_BYTES = 65_536;

/** The control API: for the developer on this machine, and their tests. */
export function createControl(
  service: Service,
  calls: CallLog,
  environments: () => readonly PublicEnvironment[],
): Hono {
  const { clock } = service;
  const app = new Hono();
  const limited = bodyLimit({ maxSize: MAX_BODY_BYTES });
  app.use(onlyFromThisMachine, (c, next) =>
    // A saved state has the size of the state.
    c.req.path === '/state' ? next() : limited(c, next),
  );
  app.route('/', controlPage());
  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.get('/environments', (c) => c.json({ environments: environments() }));
  app.get('/clock', (c) => c.json(clock.read()));
  app.post('/clock', async (c) => {
    const { now, advance, advanceMs, frozen } = await readBody(c, clockChange);
    const duration = advance === undefined ? advanceMs : parseDuration(advance);
    if (advance !== undefined && duration === undefined) {
      return refuse(c, 'advance must be a duration such as 1d, 90m or "1d 12h"');
    }
    const target = now === undefined ? undefined : Date.parse(now);
    try {
      return c.json(clock.change({ now: target, advanceMs: duration, frozen }));
    } catch (error) {
      if (error instanceof RangeError) return refuse(c, error.message);
      throw error;
    }
  });
  app.get('/calls', (c) => {
    const after = c.req.query('after') ?? '0';
    if (!/^\d{1,15}$/.test(after)) return refuse(c, 'after must be the id of a call');
    return c.json({ calls: calls.list(Number(after)) });
  });
  app.delete('/calls', (c) => {
    calls.clear();
    return c.json({ calls: [] });
  });
  addFundingRoutes(app, service);
  app.route('/behaviour', behaviourRoutes(service));
  app.route('/keys', keyRoutes(service));
  app.route('/lenders', lenderRoutes(service));
  app.route('/faults', faultRoutes(service));
  app.route('/outcomes', outcomeRoutes(service));
  app.route('/transaction-outcomes', transactionRoutes(service));
  app.route('/links', linkRoutes(service));
  app.route('/notifications', notificationRoutes(service));
  app.route('/state', stateRoutes(service));
  app.post('/reset', (c) => {
    service.reset();
    calls.clear();
    return c.json({ status: 'empty', clock: clock.read() });
  });
  app.notFound((c) => c.json({ error: 'There is nothing at this address.' }, 404));
  return app;
}

/**
 * Refuses requests of web pages. They name another origin, or, after DNS rebinding, another host;
 * requests of programs name neither.
 */
async function onlyFromThisMachine(c: Context, next: () => Promise<void>) {
  const host = c.req.header('host');
  const url =
    host !== undefined && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (!url || !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) {
    return c.json({ error: 'Only for this machine: use 127.0.0.1 or localhost.' }, 403);
  }
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (foreign || (origin !== undefined && origin !== url.origin)) {
    return c.json({ error: 'Not for pages of another origin.' }, 403);
  }
  await next();
  return undefined;
}
