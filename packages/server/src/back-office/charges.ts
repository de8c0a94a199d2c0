import type { ChargeOperationKind } from '@financing-checkout/contract';
import {
  refundRequestSchema,
  resolutionRequestSchema,
  settleRequestSchema,
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
import { idempotencyKey } from '../idempotency/key.ts';
import { actorOf } from './access.ts';

/** Limit of the service (reference: Charge API); "." and ".." cannot be part of an address. */
const name = z
  .string()
  .min(1)
  .max(256)
  .regex(/^(?!\.{1,2}$)/, 'must not be "." or ".."');
const chargeParameters = z.strictObject({ chargeId: name });
export const chargesQuery = z.strictObject({ merchantOrderId: name });
export const operationsQuery = z.strictObject({
  state: z.literal('unclear', { error: 'must be unclear' }),
  /** The `next` of the page before. */
  after: z
    .string()
    .regex(/^opr_[\w-]{1,64}$/, 'must be the "next" of another page')
    .optional(),
});

const PAGE_SIZE = 200;

/** Routes of the back office for charges: read, settle, refund, void, and say what became of it. */
export function chargeRoutes(ctx: ChargeContext): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/charges', async (c) => {
    const { merchantOrderId } = parseQuery(c, chargesQuery);
    return c.json({ charges: await chargesOfOrder(ctx, merchantOrderId, c.get('requestId')) });
  });

  app.get('/charges/:chargeId', async (c) =>
    c.json(await readCharge(ctx, chargeIdOf(c), c.get('requestId'))),
  );

  app.post('/charges/:chargeId/settles', (c) => {
    const { amount } = parseBody(c, settleRequestSchema);
    return operate(c, 'settle', amount);
  });
  app.post('/charges/:chargeId/refunds', (c) => {
    const { amount } = parseBody(c, refundRequestSchema);
    return operate(c, 'refund', amount);
  });
  app.post('/charges/:chargeId/voids', (c) => {
    parseBody(c, voidRequestSchema);
    return operate(c, 'void');
  });

  app.get('/charge-operations', async (c) => {
    const { after } = parseQuery(c, operationsQuery);
    const rows = await ctx.store.unclearOperations({
      environment: ctx.environment,
      sentBy: ctx.clock.now() - ctx.waits.absenceGraceMs,
      after,
      limit: PAGE_SIZE + 1,
    });
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

  app.post('/charge-operations/:operationId/resolution', async (c) => {
    const { by, ...said } = parseBody(c, resolutionRequestSchema);
    const operationId = c.req.param('operationId');
    const requestId = c.get('requestId');
    return c.json(
      operationRecord(
        await resolveOperation(ctx, { ...said, by: actorOf(c, by), operationId, requestId }),
      ),
    );
  });
  return app;

  async function operate(
    c: Context<Env>,
    kind: ChargeOperationKind,
    amount?: number,
  ): Promise<Response> {
    const operation = await operateOnCharge(ctx, {
      kind,
      chargeId: chargeIdOf(c),
      amount,
      key: idempotencyKey(c.req.header('idempotency-key')),
      requestId: c.get('requestId'),
    });
    c.set('operationId', operation.id);
    return c.json(operationRecord(operation), 201);
  }
}

function chargeIdOf(c: Context<Env>): string {
  return parseValue(chargeParameters, { chargeId: c.req.param('chargeId') }).chargeId;
}
