import type { ChargeOperationKind } from '@financing-checkout/contract';
import {
  chargeOperationSchema,
  chargeRecordSchema,
  chargesSchema,
  currencySchema,
  refundRequestSchema,
  resolutionRequestSchema,
  settleRequestSchema,
  unclearOperationsSchema,
  voidRequestSchema,
} from '@financing-checkout/contract';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ChargeContext } from '../charges/context.ts';
import { operateOnCharge } from '../charges/operation.ts';
import { resolveOperation } from '../charges/resolution.ts';
import { chargesOfOrder, operationRecord, readCharge } from '../charges/record.ts';
import { parseBody, parseQuery, parseValue } from '../platform/http/parse.ts';
import type { Env } from '../platform/http/requests.ts';
import type { ChargeOperationRow } from '../store/charge-operations.ts';
import { idempotencyKey } from '../platform/idempotency-key.ts';
import { actorOf, ofTokens, permit } from './access.ts';
import { readProblems } from './fundings.ts';
import { MAX_SMALL_BODY_BYTES } from '../platform/http/terms.ts';

/** Limit of the service (reference: Charge API). A URL cannot contain "." or ".." as a segment. */
const name = z
  .string()
  .min(1)
  .max(256)
  .regex(/^(?!\.{1,2}$)/, 'must not be "." or ".."');
const chargeParameters = z.strictObject({ chargeId: name });
/** Currency in which to read charges of orders that the companion does not know. */
const currency = currencySchema.optional();
const chargesQuery = z.strictObject({ merchantOrderId: name, currency });
const chargeQuery = z.strictObject({ currency });
const operationId = /^opr_[\w-]{1,64}$/;
const afterOperation = z
  .string()
  .regex(operationId, 'must be the "next" of another page')
  .optional();
const MAX_IDS = 100;
/** One of three lists: what waits for a person, what the request's own token has done, or ids. */
const operationsQuery = z.union(
  [
    z.strictObject({ state: z.literal('unclear'), after: afterOperation }),
    z.strictObject({ actor: z.literal('own'), after: afterOperation }),
    z.strictObject({
      /** Separated by commas. */
      ids: z
        .string()
        .transform((text) => text.split(','))
        .pipe(z.array(z.string().regex(operationId)).max(MAX_IDS)),
    }),
  ],
  {
    error: `must be state=unclear, actor=own, or ids= with up to ${MAX_IDS} ids`,
  },
);
/** As the API describes them. */
const operationsParameters = z.strictObject({
  state: z.literal('unclear').optional(),
  actor: z.literal('own').optional(),
  ids: z.string().optional(),
  /** The `next` of the previous page. */
  after: afterOperation,
});

const PAGE_SIZE = 200;

const operationDescription = {
  headers: {
    'Idempotency-Key': '1 to 255 printable ASCII characters, new for each operation.',
  },
  answers: { 201: { description: 'The operation, as recorded.', schema: chargeOperationSchema } },
};
const operationProblems = [
  'idempotency-key-missing',
  'idempotency-in-flight',
  'idempotency-key-reused',
  'charge-not-found',
  'charge-not-permitted',
  'charge-busy',
  'operation-not-permitted',
  ...readProblems,
] as const;

/** Creates the routes for charges: read, settle, refund, void, and resolve an operation. */
export function chargeRoutes(ctx: ChargeContext): Hono<Env> {
  const app = new Hono<Env>();

  const charges = permit('read', {
    summary: 'The charges of an order',
    priorities: ['report'],
    budgets: ofTokens,
    maxBodyBytes: 0,
    query: chargesQuery,
    answers: { 200: { description: 'As the service states them now.', schema: chargesSchema } },
    problems: readProblems,
  });
  app.get('/charges', charges, async (c) => {
    const { merchantOrderId, currency } = parseQuery(c, chargesQuery);
    const requestId = c.get('requestId');
    return c.json({ charges: await chargesOfOrder(ctx, merchantOrderId, requestId, currency) });
  });

  const charge = permit('read', {
    summary: 'Read a charge',
    priorities: ['report'],
    budgets: ofTokens,
    maxBodyBytes: 0,
    query: chargeQuery,
    answers: { 200: { description: 'As the service states it now.', schema: chargeRecordSchema } },
    problems: ['charge-not-found', ...readProblems],
  });
  app.get('/charges/:chargeId', charge, async (c) => {
    const { currency } = parseQuery(c, chargeQuery);
    return c.json(await readCharge(ctx, chargeIdOf(c), c.get('requestId'), currency));
  });

  const settle = permit('money', {
    ...operationDescription,
    summary: 'Settle a charge, all or a part',
    priorities: ['charge'],
    budgets: ofTokens,
    maxBodyBytes: MAX_SMALL_BODY_BYTES,
    description:
      'Amounts are integer minor units of the charge’s currency, which the request states where `currencyAssumed` is set.',
    body: { schema: settleRequestSchema },
    problems: ['amount-exceeds-charge', 'charge-currency-unclear', ...operationProblems],
  });
  app.post('/charges/:chargeId/settles', settle, (c) => {
    return operate(c, 'settle', parseBody(c, settleRequestSchema));
  });

  const refund = permit('money', {
    ...operationDescription,
    summary: 'Refund a part of a charge',
    priorities: ['charge'],
    budgets: ofTokens,
    maxBodyBytes: MAX_SMALL_BODY_BYTES,
    body: { schema: refundRequestSchema },
    problems: ['amount-exceeds-charge', 'charge-currency-unclear', ...operationProblems],
  });
  app.post('/charges/:chargeId/refunds', refund, (c) => {
    return operate(c, 'refund', parseBody(c, refundRequestSchema));
  });

  const voiding = permit('money', {
    ...operationDescription,
    summary: 'Void a charge',
    priorities: ['charge'],
    budgets: ofTokens,
    maxBodyBytes: MAX_SMALL_BODY_BYTES,
    body: { schema: voidRequestSchema },
    problems: operationProblems,
  });
  app.post('/charges/:chargeId/voids', voiding, (c) => {
    parseBody(c, voidRequestSchema);
    return operate(c, 'void');
  });

  const unclear = permit('read', {
    summary: 'Operations that wait for a person, that a token has requested, or by id',
    priorities: [],
    budgets: ofTokens,
    maxBodyBytes: 0,
    description:
      'With `actor=own`, all operations that the token of the request has requested; with `ids`, those with these ids. With `state=unclear`, operations that the service may have done and cannot be asked about, because the charge was moved by another amount (`reason` is `charge-moved`) or because the service gives no answer. Their charges take no other operation. The list also has settles that were requested with their charge and are pending for a day (`reason` is `pending`), because the service does not say that one has failed.',
    query: operationsParameters,
    answers: { 200: { description: 'A page, oldest first.', schema: unclearOperationsSchema } },
  });
  app.get('/charge-operations', unclear, async (c) => {
    const rows = await operationsOf(c, parseQuery(c, operationsQuery));
    const page = rows.slice(0, PAGE_SIZE);
    const last = page.at(-1);
    c.header('financing-environment', ctx.environment);
    return c.json({
      operations: page.map((row) => ({
        ...operationRecord(row),
        merchantOrderId: row.merchantOrderId,
      })),
      ...(rows.length > PAGE_SIZE && last !== undefined ? { next: last.id } : {}),
    });
  });

  const resolve = permit('money', {
    summary: 'Resolve an operation that waits for a person',
    priorities: [],
    budgets: ofTokens,
    maxBodyBytes: MAX_SMALL_BODY_BYTES,
    description:
      '`done`: exactly the requested operation took place. `not-done`: nothing of it took place. The companion asks the service once more, and an answer of the service wins. Repeating the same outcome changes nothing.',
    body: { schema: resolutionRequestSchema },
    answers: { 200: { description: 'The operation as it ended.', schema: chargeOperationSchema } },
    problems: ['not-found', 'operation-not-permitted'],
  });
  app.post('/charge-operations/:operationId/resolution', resolve, async (c) => {
    const { by, ...resolution } = parseBody(c, resolutionRequestSchema);
    const operationId = c.req.param('operationId');
    const requestId = c.get('requestId');
    return c.json(
      operationRecord(
        await resolveOperation(ctx, { ...resolution, by: actorOf(c, by), operationId, requestId }),
      ),
    );
  });
  return app;

  function operationsOf(
    c: Context<Env>,
    query: z.infer<typeof operationsQuery>,
  ): Promise<ChargeOperationRow[]> {
    const { environment, store } = ctx;
    if ('ids' in query) return store.operationsWithIds(environment, query.ids);
    const part = { environment, after: query.after, limit: PAGE_SIZE + 1 };
    if ('actor' in query) {
      return store.operationsOfActor({ ...part, actor: actorOf(c, undefined) });
    }
    return store.unclearOperations({
      ...part,
      sentBy: ctx.clock.now() - ctx.timing.absenceGraceMs,
    });
  }

  async function operate(
    c: Context<Env>,
    kind: ChargeOperationKind,
    { amount, currency }: z.infer<typeof settleRequestSchema> = {},
  ): Promise<Response> {
    const operation = await operateOnCharge(ctx, {
      kind,
      chargeId: chargeIdOf(c),
      amount,
      currency,
      key: idempotencyKey(c.req.header('idempotency-key')),
      requestId: c.get('requestId'),
      actor: actorOf(c, undefined),
    });
    c.set('operationId', operation.id);
    return c.json(operationRecord(operation), 201);
  }
}

function chargeIdOf(c: Context<Env>): string {
  return parseValue(chargeParameters, { chargeId: c.req.param('chargeId') }).chargeId;
}
