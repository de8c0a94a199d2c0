import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import type { CallLog } from '../calls/calls.ts';
import { parseDuration } from '../clock/duration.ts';
import { environmentNames } from '../environments/environment.ts';
import { lenders } from '../lender/lenders.ts';
import { toMinorUnits } from '../money/money.ts';
import type { Service } from '../service.ts';

/** An environment as anybody may know it: without its private key. */
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

const looseFunding = z.strictObject({
  environment: z.enum(environmentNames).default('sandbox'),
  lenderId: z.enum(lenders.map(({ id }) => id)).optional(),
  transactionType: z.enum(['Settle', 'Refund', 'Chargeback', 'Reversal']).default('Settle'),
  amount: z.number().positive(),
  discount: z.number().min(0).default(0),
  currency: z.string().default('USD'),
  transactionId: z.string().max(256).optional(),
  merchantOrderId: z.string().max(256).optional(),
});

/** Largest body of a control request, in bytes. */
const MAX_BODY_BYTES = 65_536;

/** The control API: for the developer on this machine, and their tests. */
export function createControl(
  service: Service,
  calls: CallLog,
  environments: () => readonly PublicEnvironment[],
): Hono {
  const { clock, settlement } = service;
  const app = new Hono();
  app.use(onlyFromThisMachine, bodyLimit({ maxSize: MAX_BODY_BYTES }));
  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.get('/environments', (c) => c.json({ environments: environments() }));
  app.get('/clock', (c) => c.json(clock.read()));
  app.post('/clock', async (c) => {
    const change = clockChange.safeParse(await json(c));
    if (!change.success) return refuse(c, z.prettifyError(change.error));
    const { now, advance, advanceMs, frozen } = change.data;
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
  app.post('/fundings', async (c) => {
    const body = looseFunding.safeParse(await json(c));
    if (!body.success) return refuse(c, z.prettifyError(body.error));
    const { environment, transactionType, currency, transactionId, merchantOrderId } = body.data;
    const amount = toMinorUnits(body.data.amount, currency);
    const discount = toMinorUnits(body.data.discount, currency);
    if (typeof amount === 'string') return refuse(c, `amount ${amount}`);
    if (typeof discount === 'string') return refuse(c, `discount ${discount}`);
    const lender = lenders.find(({ id }) => id === body.data.lenderId) ?? lenders[0];
    if (!lender) return refuse(c, 'there is no lender');
    settlement.post({
      environment,
      lender,
      transactionType,
      amount,
      discount,
      currency,
      transactionId,
      merchantOrderId,
    });
    return c.json({ posted: 1 }, 201);
  });
  app.post('/reset', (c) => {
    service.reset();
    calls.clear();
    return c.json({ status: 'empty', clock: clock.read() });
  });
  app.notFound((c) => c.json({ error: 'There is nothing at this address.' }, 404));
  return app;
}

/**
 * A web page must not turn these knobs. Its requests name another origin, or, after DNS rebinding,
 * another host; a program's name neither.
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

/** The body as JSON; what is not JSON fails the schema like any other wrong value. */
async function json(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text()) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function refuse(c: Context, error: string) {
  return c.json({ error }, 400);
}
