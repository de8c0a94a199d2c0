import type { ChargeOperationKind } from '@financing-checkout/contract/back-office';
import {
  chargeOperationSchema,
  chargeRecordSchema,
  chargesSchema,
  refundRequestSchema,
  resolutionRequestSchema,
  settleRequestSchema,
  unclearOperationsSchema,
  voidRequestSchema,
} from '@financing-checkout/contract/back-office';
import { recordedCurrencySchema } from '@financing-checkout/contract/storefront';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ChargeContext } from '../charges/context.ts';
import { operateOnCharge } from '../charges/operation.ts';
import { resolveOperation } from '../charges/resolution.ts';
import { chargesOfOrder, operationRecord, readCharge } from '../charges/record.ts';
import { actorOf, MAX_SMALL_BODY_BYTES } from '@financing-checkout/kit/http';
import { parseValue, serve, serviceProblems } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import type { ChargeOperationRow } from '../store/store.ts';
import { idempotencyKey } from '../platform/idempotency-key.ts';
import { ofTokens, permit } from './access.ts';
import { inOrder, isInOrder, period, spanOf } from './period.ts';

/** Limit of the service (reference: Charge API). A URL cannot contain "." or ".." as a segment. */
const name = z
  .string()
  .min(1)
  .max(256)
  .regex(/^(?!\.{1,2}$)/, 'must not be "." or ".."');
const chargeParameters = z.strictObject({ chargeId: name });
/** Currency for charges whose order the companion does not know. */
const currency = recordedCurrencySchema.optional();
const chargesQuery = z.strictObject({ merchantOrderId: name, currency });
const chargeQuery = z.strictObject({ currency });
const operationId = /^opr_[\w-]{1,64}$/;
const afterOperation = z
  .string()
  .regex(operationId, 'must be the "next" of another page')
  .optional();
const MAX_IDS = 100;
/**
 * One of three lists: operations that need a manual decision, operations requested with the
 * caller's token, or operations by id.
 */
const operationsQuery = z.union(
  [
    z
      .strictObject({ state: z.literal('unclear'), ...period, after: afterOperation })
      .refine(isInOrder, inOrder),
    z.strictObject({ actor: z.literal('own'), after: afterOperation }),
    z.strictObject({
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
/** The query parameters as documented in the OpenAPI document. */
const operationsParameters = z.strictObject({
  state: z.literal('unclear').optional(),
  /** With `state`, only operations that were created in this period. */
  ...period,
  actor: z.literal('own').optional(),
  ids: z.string().optional(),
  /** Cursor: `next` from the previous page. */
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
  ...serviceProblems,
] as const;

const charges = permit('read', {
  method: 'get',
  path: '/charges',
  summary: 'The charges of an order',
  priorities: ['report'],
  budgets: ofTokens,
  maxBodyBytes: 0,
  query: chargesQuery,
  answers: { 200: { description: 'As the service states them now.', schema: chargesSchema } },
  problems: serviceProblems,
});

const charge = permit('read', {
  method: 'get',
  path: '/charges/:chargeId',
  summary: 'Read a charge',
  priorities: ['report'],
  budgets: ofTokens,
  maxBodyBytes: 0,
  query: chargeQuery,
  answers: { 200: { description: 'As the service states it now.', schema: chargeRecordSchema } },
  problems: ['charge-not-found', ...serviceProblems],
});

const settle = permit('money', {
  method: 'post',
  path: '/charges/:chargeId/settles',
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

const refund = permit('money', {
  method: 'post',
  path: '/charges/:chargeId/refunds',
  ...operationDescription,
  summary: 'Refund a part of a charge',
  priorities: ['charge'],
  budgets: ofTokens,
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
  body: { schema: refundRequestSchema },
  problems: ['amount-exceeds-charge', 'charge-currency-unclear', ...operationProblems],
});

const voiding = permit('money', {
  method: 'post',
  path: '/charges/:chargeId/voids',
  ...operationDescription,
  summary: 'Void a charge',
  priorities: ['charge'],
  budgets: ofTokens,
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
  body: { schema: voidRequestSchema },
  problems: operationProblems,
});

const unclear = permit('read', {
  method: 'get',
  path: '/charge-operations',
  summary: 'Operations that wait for a person, that a token has requested, or by id',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: 0,
  description:
    'With `actor=own`, all operations that the token of the request has requested; with `ids`, those with these ids. With `state=unclear`, operations that the service may have done and cannot be asked about, because the charge was moved by another amount (`reason` is `charge-moved`) or because the service gives no answer. Their charges take no other operation. The list also has settles that were requested with their charge and are pending for a day (`reason` is `pending`), because the service does not say that one has failed.',
  query: operationsQuery,
  parameters: operationsParameters,
  answers: { 200: { description: 'A page, oldest first.', schema: unclearOperationsSchema } },
});

const resolve = permit('money', {
  method: 'post',
  path: '/charge-operations/:operationId/resolution',
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

export const chargeOperations = [charges, charge, settle, refund, voiding, unclear, resolve];

export function chargeRoutes(ctx: ChargeContext): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, charges, async (c, input) => {
    const { merchantOrderId, currency } = input.query();
    const requestId = c.get('requestId');
    return c.json({ charges: await chargesOfOrder(ctx, merchantOrderId, requestId, currency) });
  });

  serve(app, charge, async (c, input) => {
    const { currency } = input.query();
    return c.json(await readCharge(ctx, chargeIdOf(c), c.get('requestId'), currency));
  });

  serve(app, settle, (c, input) => {
    return operate(c, 'settle', input.body());
  });

  serve(app, refund, (c, input) => {
    return operate(c, 'refund', input.body());
  });

  serve(app, voiding, (c, input) => {
    input.body();
    return operate(c, 'void');
  });

  serve(app, unclear, async (c, input) => {
    const rows = await operationsOf(c, input.query());
    const page = rows.slice(0, PAGE_SIZE);
    const last = page.at(-1);
    return c.json({
      operations: page.map((row) => ({
        ...operationRecord(row),
        merchantOrderId: row.merchantOrderId,
      })),
      ...(rows.length > PAGE_SIZE && last !== undefined ? { next: last.id } : {}),
    });
  });

  serve(app, resolve, async (c, input) => {
    const { by, ...resolution } = input.body();
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
      return store.operationsOfActor({ ...part, actor: actorOf(c) });
    }
    return store.unclearOperations({
      ...part,
      ...spanOf(query),
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
      actor: actorOf(c),
    });
    c.set('operationId', operation.id);
    return c.json(operationRecord(operation), 201);
  }
}

function chargeIdOf(c: Context<Env>): string {
  return parseValue(chargeParameters, { chargeId: c.req.param('chargeId') }).chargeId;
}
