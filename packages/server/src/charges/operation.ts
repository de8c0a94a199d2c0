import type { ChargeOperationKind } from '@financing-checkout/contract/back-office';
import { randomId, sha256 } from '../platform/id.ts';
import { storedKey } from '../platform/idempotency-key.ts';
import { ProblemError } from '../platform/problem.ts';
import { type Charge, isPendingTransaction, type MadeTransaction } from '../service/charges.ts';
import { failureReason, storedProblem } from '../service/problem.ts';
import { type CallResult, notSent } from '../service/result.ts';
import type { ChargeOperationRow, NewChargeOperation } from '../store/store.ts';
import {
  amountOf,
  currencyOf,
  progressOf,
  readableBalance,
  requireCertain,
  tryBalance,
  withAccepted,
} from './balance.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries, type TransactionReferences } from './ledger-entries.ts';
import { findOperation, pendingColumns } from './lookup.ts';
import { chargeProblem, TRANSACTION_FAILED, transactionFailed } from './problem.ts';

interface ChargeOperationInput {
  kind: ChargeOperationKind;
  chargeId: string;
  /** In minor units; a settle without an amount settles the remaining amount. */
  amount?: number;
  /**
   * ISO 4217 code that the caller states for the charge; required if the currency would otherwise
   * be assumed.
   */
  currency?: string;
  key: string;
  requestId?: string;
  /** Name of the token that requests the operation. */
  actor?: string;
}

/**
 * Settles, refunds or voids a charge, at most once per Idempotency-Key. Operations are recorded
 * before they are sent, one at a time per charge, and never sent again while their outcome is
 * unknown.
 * @returns the operation that the service accepted
 * @throws {ProblemError} `charge-not-found`, `charge-not-permitted`, `amount-exceeds-charge`,
 *   `charge-currency-unclear`, `charge-busy`, `outcome-unknown`, the idempotency problems, and
 *   service failures
 */
export async function operateOnCharge(
  ctx: ChargeContext,
  input: ChargeOperationInput,
): Promise<ChargeOperationRow> {
  const { kind, chargeId } = input;
  const fingerprint = await sha256(
    // Without a currency, the fingerprint must equal the one that earlier versions stored.
    JSON.stringify([
      ...[ctx.environment, kind, chargeId, input.amount ?? null],
      ...(input.currency === undefined ? [] : [input.currency]),
    ]),
  );
  for (;;) {
    const { key, known } = await findKey(ctx, input.key);
    if (known !== undefined && !(known.state === 'not-sent' && known.fingerprint === fingerprint)) {
      return replay(ctx, known, fingerprint);
    }
    const turn = await ctx.store.chargeTurn(ctx.environment, chargeId);
    if (turn.busy) {
      throw new ProblemError('charge-busy', {
        detail:
          'Another operation on this charge is in flight, or its outcome is being looked up: GET /charges/{id} lists it.',
        retrySafe: true,
        retryAfterSeconds: 2,
      });
    }
    let operation: NewChargeOperation;
    try {
      const charge = await ctx.service.charge(chargeId, {
        priority: 'charge',
        requestId: input.requestId,
      });
      if (charge.kind !== 'accepted') throw chargeProblem(charge, { movesMoney: false });
      operation = await plan(ctx, { ...input, key }, charge.body, { fingerprint, known });
    } catch (error) {
      // A concurrent request with this key may have used up the amount: this request gets the other
      // one's response.
      const since = (await findKey(ctx, input.key)).known;
      if (since !== undefined && since.state !== 'not-sent') continue;
      throw error;
    }
    const now = ctx.clock.now();
    const leaseUntil = now + ctx.timing.leaseMs;
    const begun = await ctx.store.beginChargeOperation(operation, turn.revision, now, leaseUntil);
    // The operation did not start: a concurrent request used this key or charge, so the balance has
    // changed.
    if (begun === 'begun') return send(ctx, operation, now, input.requestId);
  }
}

/**
 * Returns the stored form of a key, and the operation that uses it. Companions of several
 * environments may share a store: a key that another environment uses is stored with our
 * environment as a prefix. Other keys have no prefix, because earlier versions stored them that
 * way, and an operation that such a version started must not be repeated.
 */
async function findKey(ctx: ChargeContext, key: string) {
  const known = await ctx.store.findChargeOperation(key);
  if (known === undefined || known.environment === ctx.environment) return { key, known };
  const own = storedKey(ctx.environment, key);
  return { key: own, known: await ctx.store.findChargeOperation(own) };
}

/** Returns the operation to send, after checking it against the charge's remaining amount. */
async function plan(
  ctx: ChargeContext,
  { kind, chargeId, amount, currency: stated, key, requestId, actor }: ChargeOperationInput,
  charge: Charge,
  { fingerprint, known }: { fingerprint: string; known: ChargeOperationRow | undefined },
): Promise<NewChargeOperation> {
  const found = await currencyOf(ctx, charge, stated);
  const { currency, isAssumed } = found;
  if (kind !== 'void') requireCertain(found, stated);
  // A void moves no money, so it is allowed even when no currency can represent the amount. In an
  // assumed currency, the void is checked but recorded without an amount.
  const balance =
    kind === 'void'
      ? tryBalance(charge, currency)
      : await withAccepted(ctx, kind, readableBalance(charge, currency), { chargeId, requestId });
  const checked = balance && amountOf(kind, balance, amount);
  return {
    id: known?.id ?? randomId('opr'),
    environment: ctx.environment,
    chargeId,
    merchantOrderId: charge.merchantOrderId,
    kind,
    amount: kind === 'void' && isAssumed ? undefined : checked,
    // A repeated request keeps its transaction id at the service.
    merchantTransactionId: known?.merchantTransactionId ?? randomId('txn'),
    key,
    fingerprint,
    progressBefore: balance === undefined ? 0 : progressOf(kind, balance),
    requestId,
    actor,
  };
}

async function send(
  ctx: ChargeContext,
  operation: NewChargeOperation,
  sentAt: number,
  requestId: string | undefined,
): Promise<ChargeOperationRow> {
  // A process that slept past its lease must not send: another process may already be looking the
  // operation up.
  const isLate = ctx.clock.now() >= sentAt + ctx.timing.leaseMs / 2;
  const result = isLate ? notSent('unreachable') : await call(ctx, operation, requestId);
  // A rejection counts only when the charge confirms it: an intermediary or a faulty service may
  // return a 4xx after the money has moved.
  const doubt = result.kind === 'rejected' ? await findOperation(ctx, operation) : undefined;
  const isDoubted = doubt?.kind === 'unresolved' || doubt?.kind === 'unclear';
  const now = ctx.clock.now();
  const { id } = operation;
  const { serviceRequestId } = result;
  const answer = result.kind === 'accepted' ? result.body : undefined;
  const references: TransactionReferences = {
    transactionId:
      answer?.transactionId ?? (doubt?.kind === 'done' ? doubt.transactionId : undefined),
    lenderReferenceId: answer?.lenderReferenceId,
  };
  const end = { id, sentAt, now, serviceRequestId, ...references };
  const isDone = answer === undefined ? doubt?.kind === 'done' : answer.state !== 'Failed';
  if (isDone) {
    // Without a state, the service may still be processing the operation.
    const isOpen =
      doubt?.kind === 'done'
        ? doubt.isPending
        : answer?.state === undefined || isPendingTransaction(answer.state);
    await ctx.store.endChargeOperation({
      ...end,
      state: 'accepted',
      ...(isOpen ? pendingColumns(ctx) : {}),
      ledger: operationEntries(operation, 'accepted', sentAt, references),
    });
    ctx.changed();
    const row = await ctx.store.findChargeOperation(operation.key);
    if (row === undefined) throw new Error('A recorded operation is missing from the store.');
    return row;
  }
  let problem: ProblemError;
  if (result.kind === 'accepted') problem = transactionFailed(serviceRequestId);
  else if (isDoubted) {
    problem = new ProblemError('outcome-unknown', {
      detail:
        'The service rejected it, but the charge does not confirm that: the companion is looking it up.',
      serviceRequestId,
    });
  } else problem = chargeProblem(result, { movesMoney: true });
  const state = result.kind === 'accepted' ? 'rejected' : isDoubted ? 'unknown' : result.kind;
  const isUnknown = state === 'unknown';
  await ctx.store.endChargeOperation({
    ...end,
    state,
    reason: result.kind === 'accepted' ? TRANSACTION_FAILED : failureReason(result),
    problem: storedProblem(problem),
    ledger: isUnknown ? operationEntries(operation, 'unknown', sentAt) : [],
    attentionAt: isUnknown ? now + ctx.timing.firstPollMs : undefined,
  });
  ctx.logger.log('warn', 'charge-operation', {
    requestId,
    serviceRequestId,
    operationId: id,
    outcome: state,
    code: problem.code,
  });
  throw problemOf(id, problem.code, problem.extras);
}

function call(
  { service }: ChargeContext,
  { kind, chargeId, amount, merchantTransactionId }: NewChargeOperation,
  requestId: string | undefined,
): Promise<CallResult<MadeTransaction>> {
  const context = { priority: 'charge', requestId } as const;
  if (kind === 'void') return service.voidCharge({ chargeId, merchantTransactionId }, context);
  // Only a void may have no amount.
  if (amount === undefined) throw new TypeError(`A ${kind} needs an amount.`);
  const part = { chargeId, amount, merchantTransactionId };
  return kind === 'settle'
    ? service.settleCharge(part, context)
    : service.refundCharge(part, context);
}

function problemOf(
  operationId: string,
  code: ProblemError['code'],
  extras: ProblemError['extras'],
): ProblemError {
  return new ProblemError(code, { ...extras, operationId });
}

/** Returns the recorded response for a key. @throws {ProblemError} */
function replay(
  ctx: ChargeContext,
  known: ChargeOperationRow,
  fingerprint: string,
): ChargeOperationRow {
  if (known.fingerprint !== fingerprint) {
    throw problemOf(known.id, 'idempotency-key-reused', {
      detail: 'Use a new Idempotency-Key for a request with another charge or amount.',
    });
  }
  if (known.state === 'accepted') return known;
  // The row contains the lease of the companion that sends the operation, whose deadline may be
  // longer than ours.
  if (known.state === 'recorded' && ctx.clock.now() < (known.attentionAt ?? 0)) {
    throw problemOf(known.id, 'idempotency-in-flight', { retrySafe: true, retryAfterSeconds: 1 });
  }
  if (known.problem !== undefined) {
    const { code, ...extras } = known.problem;
    throw problemOf(known.id, code, extras);
  }
  // The companion died before it recorded the response. The background poll looks up the operation.
  throw problemOf(known.id, 'outcome-unknown', {
    detail: 'The companion is looking up the outcome: send the same key again later.',
    retryAfterSeconds: 2,
  });
}
