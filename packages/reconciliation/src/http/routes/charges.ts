import {
  type ChargeOperation,
  chargeOperationSchema,
  chargesSchema,
  person,
  officeCheckoutSchema,
  type OrderCharges,
  refundRequestSchema,
  resolutionRequestSchema,
  settleRequestSchema,
  voidRequestSchema,
} from '@financing-checkout/contract/back-office';
import {
  serviceProblems,
  orderChargeOperations,
  keyHeader,
} from '@financing-checkout/contract/reconciliation';
import { actorOf } from '@financing-checkout/kit/http';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { CompanionRefusal, CompanionSilence, type OfficeRequest } from '../../companion/office.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ActionEnd } from '../../facts/trail.ts';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { ProblemError } from '../../platform/problem.ts';
import { currencyInLedger } from '../../queries/orders/order-lines.ts';
import { type Env, clientSignal, idempotencyKey, parseValue, serve } from '../context.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { ofChange, operation, routesOf } from '../operation.ts';
import { record, type RecordedAction } from '../trail.ts';

/** An ID from the service or the companion. "." and ".." cannot be path segments of a URL. */
const idSchema = z
  .string()
  .min(1)
  .max(256)
  .regex(/^(?!\.{1,2}$)/, 'must not be "." or ".."');
const replayedSchema = z.object({ id: z.string(), state: z.literal('waiting') });

const movements = [
  ['settle', 'settles'],
  ['refund', 'refunds'],
  ['void', 'voids'],
] as const;
interface Movement {
  amount?: number | undefined;
  currency?: string | undefined;
}

function moving<const Segment extends string, Schema extends z.ZodType<Movement>>(
  segment: Segment,
  summary: string,
  schema: Schema,
) {
  return operation({
    ...ofChange,
    path: `/charges/:id/${segment}`,
    summary,
    headers: keyHeader,
    scope: 'money',
    priorities: ['charge'],
    description:
      'Performed by the companion, whose answers and problems are passed on. Amounts are minor units of the charge’s currency. After `companion-unavailable` with `retrySafe: false` the same key says what became of it. Responds when the figures of the order include the operation, or after 3 seconds: `updating` of the order says that they do not yet.',
    body: { schema },
    answers: { 201: { schema: chargeOperationSchema } },
    problems: [
      'idempotency-key-missing',
      'idempotency-in-flight',
      'idempotency-key-reused',
      'charge-not-found',
      'charge-currency-unclear',
      'charge-not-permitted',
      'charge-busy',
      'operation-not-permitted',
      ...serviceProblems,
      'amount-exceeds-charge',
    ],
  });
}

/** Operations that move money, which the companion performs. */
export const chargeOperations = {
  ...routesOf(orderChargeOperations, { priorities: ['report'] }),
  settle: moving('settles', 'Settle a charge, all or a part', settleRequestSchema),
  refund: moving('refunds', 'Refund a part of a charge', refundRequestSchema),
  void: moving('voids', 'Void a charge', voidRequestSchema),
  resolution: operation({
    ...ofChange,
    path: '/charge-operations/:id/resolution',
    scope: 'money',
    summary: 'State the outcome of an operation that is unclear',
    description:
      'Passed on to the companion with the name of the token. Repeating it changes nothing.',
    body: { schema: resolutionRequestSchema.extend({ by: person.optional() }) },
    answers: { 200: { schema: chargeOperationSchema } },
    problems: ['not-found', 'operation-not-permitted', ...serviceProblems],
  }),
  replay: operation({
    ...ofChange,
    path: '/webhooks/:id/replay',
    scope: 'money',
    summary: 'Send a message of the companion to the shop again',
    body: { schema: z.strictObject({}) },
    answers: { 202: { schema: replayedSchema } },
    problems: ['not-found', 'companion-unavailable'],
  }),
};

/**
 * Routes for charges. The companion holds the keys and performs each operation; its responses and
 * problems are passed on.
 */
export function chargeRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const app = new Hono<Env>();

  const tables = { engine, answerFile, rows: Number.MAX_SAFE_INTEGER };
  const chargesOf = (c: Context<Env>, currency: string | undefined) =>
    chargesOfOrder(engine, c.req.param('orderKey') ?? '', currency, clientSignal(c));
  serveTable(app, tables, chargeOperations.list, (c, { currency }) => chargesOf(c, currency));
  serveTable(app, tables, chargeOperations.operations, async (c, part) => {
    const { charges, orderKey } = await chargesOf(c, part.currency);
    const operations = charges.flatMap(({ authorized, merchantOrderId, operations }) =>
      operations.map((one) => ({
        ...one,
        merchantOrderId,
        currency: (one.amount ?? authorized).currency,
      })),
    );
    return { orderKey, operations };
  });

  for (const [kind, segment] of movements) {
    serve(app, chargeOperations[kind], async (c, input) => {
      const body: Movement = input.body();
      const key = idempotencyKey(c);
      const id = idOf(c);
      const { amount, currency } = body;
      const detail = {
        ...(amount === undefined ? {} : { amount }),
        ...(currency === undefined ? {} : { currency }),
      };
      const action = { kind, subject: id, detail, key };
      const path = `charges/:id/${segment}`;
      const wanted = { path, id, body, key, answer: chargeOperationSchema };
      const operation = await move(c, action, wanted, endOf);
      await engine.movedMoney.follow();
      return c.json(operation, 201);
    });
  }

  serve(app, chargeOperations.resolution, async (c, input) => {
    const { by, ...body } = input.body();
    const id = idOf(c);
    const action = { kind: 'resolution', subject: id, detail: body, person: by } as const;
    const wanted = {
      path: 'charge-operations/:id/resolution',
      id,
      body: { ...body, by: actorForCompanion(c, by) },
      answer: chargeOperationSchema,
    };
    const operation = await move(c, action, wanted, endOf);
    await engine.movedMoney.follow();
    return c.json(operation);
  });

  serve(app, chargeOperations.replay, async (c, input) => {
    const body = input.body();
    const id = idOf(c);
    const action = { kind: 'replay', subject: id, detail: {} } as const;
    const wanted = { path: 'webhooks/:id/replay', id, body, answer: replayedSchema };
    return c.json(await move(c, action, wanted), 202);
  });
  return app;

  /**
   * Records and sends a request, ignoring the client's abort signal, because the outcome of a sent
   * request must be recorded.
   */
  function move<Schema extends z.ZodType>(
    c: Context<Env>,
    action: RecordedAction,
    wanted: Omit<OfficeRequest<Schema>, 'method'>,
    endOf?: (answer: z.infer<Schema>) => Omit<ActionEnd, 'at'>,
  ): Promise<z.infer<Schema>> {
    if (engine.config.companion.moneyToken === undefined) {
      throw new ProblemError('token-not-permitted', {
        detail: 'This program has no RECONCILIATION_COMPANION_MONEY_TOKEN, so it moves no money.',
      });
    }
    const send = () => engine.office.send({ method: 'POST', ...wanted });
    return passOn(record(engine, c, action, send, endOf));
  }
}

/**
 * Returns an order's charges, as the companion reports them. If the companion does not know a
 * charge's order, the currency is that of the order's ledger lines, if they have only one.
 * @param currency for charges of unknown currency; default: the ledger's, else the companion's
 * default currency
 * @throws {ProblemError} `order-not-found`, `companion-unavailable`, or the companion's own
 */
async function chargesOfOrder(
  { data, office }: Pick<Engine, 'data' | 'office'>,
  orderKey: string,
  currency: string | undefined,
  signal: AbortSignal,
): Promise<OrderCharges> {
  const merchantOrderId = merchantOrderIdOf(orderKey);
  if (merchantOrderId === undefined) {
    throw new ProblemError('order-not-found', {
      detail: 'Only an order of the merchant has charges: "order:" and its id, percent-encoded.',
    });
  }
  const wanted = { method: 'GET', query: { merchantOrderId }, signal } as const;
  const chargesIn = (currency: string | undefined) => {
    const query = currency === undefined ? wanted.query : { merchantOrderId, currency };
    return passOn(office.send({ ...wanted, query, path: 'charges', answer: chargesSchema }));
  };
  const [{ charges }, checkout] = await Promise.all([
    chargesIn(currency),
    chargedOf(office.send({ ...wanted, path: 'checkouts', answer: checkoutsSchema })),
  ]);
  const isAssumed = charges.some(({ currencyAssumed }) => currencyAssumed === true);
  const known = isAssumed ? await currencyInLedger(data.context(signal), orderKey) : undefined;
  if (known === undefined || (currency ?? known) !== known)
    return { orderKey, charges, ...checkout };
  const own = currency === known ? charges : (await chargesIn(known)).charges;
  const stated = own.map((charge) => ({ ...charge, currencyAssumed: undefined }));
  return { orderKey, charges: stated, ...checkout };
}

const checkoutsSchema = z.object({ checkouts: z.array(officeCheckoutSchema) });

/**
 * Returns data from the checkout that has a charge, or nothing if it is unavailable, because
 * charges can be shown without it.
 */
async function chargedOf(
  checkouts: Promise<z.infer<typeof checkoutsSchema>>,
): Promise<Omit<OrderCharges, 'charges' | 'orderKey'>> {
  const found = await checkouts.catch(() => ({ checkouts: [] }));
  const charged = found.checkouts.find(({ chargeId }) => chargeId !== undefined);
  if (charged === undefined) return {};
  const { createdAt: primedAt, items, taxAmount } = charged;
  return { primedAt, ...(items && { items, taxAmount }) };
}

/** The companion limits names to 200 characters. A truncated name must still be valid. */
function actorForCompanion(c: Context<Env>, person: string | undefined): string {
  const room = 200 - actorOf(c, '').length;
  return actorOf(c, room > 0 ? person?.slice(0, room) : undefined).slice(0, 200);
}

function idOf(c: Context<Env>): string {
  return parseValue(z.object({ id: idSchema }), { id: c.req.param('id') }).id;
}

function endOf({ amount, id, state, reason }: ChargeOperation): Omit<ActionEnd, 'at'> {
  return {
    outcome: state,
    detail: {
      operation: id,
      ...(amount && { amount: amount.value, currency: amount.currency }),
      ...(reason === undefined ? {} : { reason }),
    },
  };
}

/** Passes on the companion's refusals, and explains a missing response. */
async function passOn<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CompanionRefusal) {
      const { problem, retryAfterSeconds } = error;
      const { code, detail, errors, retrySafe, serviceRequestId } = problem;
      throw new ProblemError(code, {
        detail,
        errors,
        retrySafe,
        serviceRequestId,
        retryAfterSeconds,
      });
    }
    if (error instanceof CompanionSilence) {
      throw new ProblemError('companion-unavailable', {
        detail: error.isUnclear
          ? `Whether it was done is unknown (${error.reason}): repeat the request with the same Idempotency-Key.`
          : `Nothing was done: ${error.reason}.`,
        retrySafe: !error.isUnclear,
        retryAfterSeconds: 5,
      });
    }
    throw error;
  }
}
