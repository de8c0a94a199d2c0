import {
  type LedgerEntry,
  ledgerSchema,
  lostRecordsSchema,
} from '@financing-checkout/contract/back-office';
import { Hono } from 'hono';
import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { isoTime } from '@financing-checkout/kit';
import { serve } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import type { LedgerEntryRow } from '../store/store.ts';
import { ofTokens, permit } from './access.ts';

const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 date or date-time',
});
const count = (max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value <= max, { error: `must be at most ${max}` });

export const ledgerQuery = z.strictObject({
  /** Inclusive lower bound of `occurredAt`. */
  from: moment.optional(),
  /** Exclusive upper bound of `occurredAt`. */
  to: moment.optional(),
  merchantOrderId: z.string().min(1).max(256).optional(),
  /** Cursor: `next` from the previous page. Returns entries with a greater id. */
  after: count(Number.MAX_SAFE_INTEGER).default(0),
  limit: count(1_000)
    .refine((value) => value > 0, { error: 'must be 1 or more' })
    .default(200),
});

const ledger = permit('read', {
  method: 'get',
  path: '/ledger',
  summary: 'The transactions the companion made',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: 0,
  description: 'In the order of writing. The next page is `after` the `next` of this one.',
  query: ledgerQuery,
  answers: { 200: { description: 'A page.', schema: ledgerSchema } },
});

const losses = permit('read', {
  method: 'get',
  path: '/lost-records',
  summary: 'Records that the service has and the store has lost',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: 0,
  description: 'Found after a standby was promoted or a backup was restored.',
  answers: { 200: { description: 'Newest first, at most 1,000.', schema: lostRecordsSchema } },
});
const LISTED_LOSSES = 1_000;

export const ledgerOperations = [ledger, losses];

export function ledgerRoutes(ctx: Pick<CheckoutContext, 'environment' | 'store'>): Hono<Env> {
  const app = new Hono<Env>();
  serve(app, ledger, async (c, input) => {
    const { from, to, limit, ...query } = input.query();
    const rows = await ctx.store.ledgerEntries({
      ...query,
      environment: ctx.environment,
      from: from === undefined ? undefined : Date.parse(from),
      to: to === undefined ? undefined : Date.parse(to),
      // Fetches one extra entry to know whether there is a next page.
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next = rows.length > limit && last !== undefined ? { next: last.id } : {};
    return c.json({ entries: page.map(ledgerEntry), ...next });
  });

  serve(app, losses, async (c) => {
    const records = await ctx.store.lostRecords(ctx.environment, 0, LISTED_LOSSES);
    return c.json({
      records: records.map(({ foundAt, ...one }) => ({ ...one, foundAt: isoTime(foundAt) })),
    });
  });
  return app;
}

function ledgerEntry(row: LedgerEntryRow): LedgerEntry {
  return {
    id: row.id,
    merchantOrderId: row.merchantOrderId,
    chargeId: row.chargeId,
    type: row.type,
    amount: row.amount,
    merchantTransactionId: row.merchantTransactionId,
    transactionId: row.transactionId,
    lenderReferenceId: row.lenderReferenceId,
    ordered: row.ordered,
    state: row.state,
    occurredAt: isoTime(row.occurredAt),
  };
}
