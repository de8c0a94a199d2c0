import type { ChargeOperationKind } from '@financing-checkout/contract';
import { randomId, sha256 } from '../platform/id.ts';
import { failureReason, storedProblem } from '../checkout/prime.ts';
import { storedKey } from '../idempotency/key.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Charge } from '../service/charges.ts';
import type { CallResult } from '../service/result.ts';
import { isPending, type MadeTransaction } from '../service/transactions.ts';
import type { ChargeOperationRow, NewChargeOperation } from '../store/charge-operations.ts';
import { amountOf, progressOf, readableBalance, tryBalance } from './balance.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries, type TransactionReferences } from './entries.ts';
import { findOperation } from './lookup.ts';
import { followUp } from './follow.ts';
import { withPending } from './pending.ts';
import { chargeProblem, TRANSACTION_FAILED, transactionFailed } from './problem.ts';

export interface ChargeOperationInput {
  kind: ChargeOperationKind;
  chargeId: string;
  /** Minor units; of a settle without one all that is left. */
  amount?: number | undefined;
  /** Idempotency-Key. */
  key: string;
  requestId?: string | undefined;
}

/**
 * Settles, refunds or voids a charge, at most once per Idempotency-Key whatever happens: it is
 * recorded before it is sent, one at a time per charge, and never sent again while it is not known
 * what became of it.
 * @returns the operation the service accepted
 * @throws {ProblemError} `charge-not-found`, `charge-not-permitted`, `amount-exceeds-charge`,
 * `charge-busy`, `outcome-unknown`, the idempotency problems, and the service's failures
 */
export async function operateOnCharge(
  ctx: ChargeContext,
  input: ChargeOperationInput,
): Promise<ChargeOperationRow> {
  const { kind, chargeId } = input;
  const fingerprint = await sha256(
    JSON.stringify([ctx.environment, kind, chargeId, input.amount ?? null]),
  );
  for (;;) {
    const { key, known } = await keptKey(ctx, input.key);
    if (known !== undefined && !(known.state === 'not-sent' && known.fingerprint === fingerprint)) {
      return about(known, () => replay(ctx, known, fingerprint));
    }
    const turn = await ctx.store.chargeTurn(ctx.environment, chargeId);
    if (turn.busy) {
      throw new ProblemError('charge-busy', {
        detail:
          'Another operation on this charge is under way, or what became of it is being looked up: GET /charges/{id} lists it.',
        retrySafe: true,
        retryAfterSeconds: 2,
      });
    }
    let operation: NewChargeOperation;
    try {
      const charge = await ctx.service.charge(chargeId, input.requestId);
      if (charge.kind !== 'accepted') throw chargeProblem(charge, { movesMoney: false });
      operation = await plan(ctx, { ...input, key }, charge.body, { fingerprint, known });
    } catch (error) {
      // The same request may have been done meanwhile, and left nothing: its answer is this one's.
      const since = (await keptKey(ctx, input.key)).known;
      if (since !== undefined && since.state !== 'not-sent') continue;
      throw error;
    }
    const now = ctx.clock.now();
    const begun = await ctx.store.beginChargeOperation(
      operation,
      turn.revision,
      now,
      now + ctx.waits.leaseMs,
    );
    // Somebody was faster, with this key or on this charge: what is left of it has changed.
    if (begun !== 'begun') continue;
    return send(ctx, operation, now, input.requestId);
  }
}

/**
 * A key as it is kept, and what has it. Companions of several environments may share a store: a key
 * that is another one's there is kept with our environment before it. Not always, for companions of an
 * earlier version know keys as they came, and what one of them has begun must not be done anew.
 */
async function keptKey(ctx: ChargeContext, key: string) {
  const known = await ctx.store.findChargeOperation(key);
  if (known === undefined || known.environment === ctx.environment) return { key, known };
  const own = storedKey(ctx.environment, key);
  return { key: own, known: await ctx.store.findChargeOperation(own) };
}

/** What is going to be sent, checked against what the service says is left of the charge. */
async function plan(
  ctx: ChargeContext,
  { kind, chargeId, amount, key, requestId }: ChargeOperationInput,
  charge: Charge,
  { fingerprint, known }: { fingerprint: string; known: ChargeOperationRow | undefined },
): Promise<NewChargeOperation> {
  const checkout = await ctx.store.findCheckoutOfCharge(ctx.environment, chargeId);
  const currency = checkout?.amount.currency ?? ctx.defaultCurrency;
  // A void moves no money: it is possible also where an amount cannot be held exactly.
  const balance =
    kind === 'void'
      ? tryBalance(charge, currency)
      : await withPending(ctx, kind, readableBalance(charge, currency), { chargeId, requestId });
  return {
    id: known?.id ?? randomId('opr'),
    environment: ctx.environment,
    chargeId,
    merchantOrderId: charge.merchantOrderId,
    kind,
    amount: balance && amountOf(kind, balance, amount),
    // The same request to the service keeps its id, however often it is sent.
    merchantTransactionId: known?.merchantTransactionId ?? randomId('txn'),
    key,
    fingerprint,
    progressBefore: balance === undefined ? 0 : progressOf(kind, balance),
    requestId,
  };
}

async function send(
  ctx: ChargeContext,
  operation: NewChargeOperation,
  begunAt: number,
  requestId: string | undefined,
): Promise<ChargeOperationRow> {
  // A process that slept past its lease must not send: another one may be looking it up.
  const result: CallResult<MadeTransaction> =
    ctx.clock.now() < begunAt + ctx.waits.leaseMs / 2
      ? await call(ctx, operation, requestId)
      : {
          kind: 'not-sent',
          reason: 'unreachable',
          serviceRequestId: undefined,
          retryAfterMs: undefined,
        };
  // A refusal is believed when the charge shows nothing of it: something in between, or a service
  // that lies, answers 4xx after the money was moved.
  const doubt = result.kind === 'rejected' ? await findOperation(ctx, operation) : undefined;
  const isDoubted = doubt?.kind === 'unresolved' || doubt?.kind === 'unclear';
  const now = ctx.clock.now();
  const { serviceRequestId } = result;
  const answer = result.kind === 'accepted' ? result.body : undefined;
  const references: TransactionReferences = {
    transactionId:
      answer?.transactionId ?? (doubt?.kind === 'done' ? doubt.transactionId : undefined),
    lenderReferenceId: answer?.lenderReferenceId,
  };
  const isMade = answer === undefined ? doubt?.kind === 'done' : answer.state !== 'Failed';
  if (isMade) {
    const isPending = doubt?.kind === 'done' ? doubt.isPending : mayFail(answer?.state);
    await ctx.store.endChargeOperation({
      id: operation.id,
      sentAt: begunAt,
      now,
      state: 'accepted',
      ...references,
      serviceRequestId,
      ...followUp(ctx, isPending),
      ledger: operationEntries(operation, 'accepted', begunAt, references),
    });
    ctx.changed();
    return current(ctx, operation.key);
  }
  const problem =
    result.kind === 'accepted'
      ? transactionFailed(serviceRequestId)
      : isDoubted
        ? new ProblemError('outcome-unknown', {
            detail:
              'The service refused it, and a look at the charge did not confirm that: it is looked up.',
            serviceRequestId,
          })
        : chargeProblem(result, { movesMoney: true });
  const state = result.kind === 'accepted' ? 'rejected' : isDoubted ? 'unknown' : result.kind;
  await ctx.store.endChargeOperation({
    id: operation.id,
    sentAt: begunAt,
    now,
    state,
    ...references,
    serviceRequestId,
    reason: result.kind === 'accepted' ? TRANSACTION_FAILED : failureReason(result),
    problem: storedProblem(problem),
    ledger: state === 'unknown' ? operationEntries(operation, 'unknown', begunAt) : [],
    attentionAt: state === 'unknown' ? now + ctx.waits.firstLookMs : undefined,
  });
  ctx.logger.log('warn', 'charge-operation', {
    requestId,
    serviceRequestId,
    operationId: operation.id,
    outcome: state,
    code: problem.code,
  });
  throw ofOperation(problem, operation);
}

/**
 * Returns whether an accepted transaction is followed: the service has not completed it, or has not
 * stated how it stands.
 */
function mayFail(state: string | undefined): boolean {
  return state === undefined || isPending(state);
}

function call(
  ctx: ChargeContext,
  { kind, chargeId, amount, merchantTransactionId }: NewChargeOperation,
  requestId: string | undefined,
): Promise<CallResult<MadeTransaction>> {
  if (kind === 'void') {
    return ctx.service.voidCharge({ chargeId, merchantTransactionId }, requestId);
  }
  // Only a void is planned without an amount.
  if (amount === undefined) throw new TypeError(`A ${kind} needs an amount.`);
  const part = { chargeId, amount, merchantTransactionId };
  return kind === 'settle'
    ? ctx.service.settleCharge(part, requestId)
    : ctx.service.refundCharge(part, requestId);
}

/** Does something about an operation: what is refused then names it. */
function about<Result>(operation: { id: string }, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof ProblemError ? ofOperation(error, operation) : error;
  }
}

function ofOperation({ code, extras }: ProblemError, { id }: { id: string }): ProblemError {
  return new ProblemError(code, { ...extras, operationId: id });
}

/** The answer a key already has. */
function replay(
  ctx: ChargeContext,
  known: ChargeOperationRow,
  fingerprint: string,
): ChargeOperationRow {
  if (known.fingerprint !== fingerprint) {
    throw new ProblemError('idempotency-key-reused', {
      detail: 'Use a new Idempotency-Key for a request about another charge, or another amount.',
    });
  }
  if (known.state === 'accepted') return known;
  // As long as the companion that sends it has said: its deadline may be longer than ours.
  if (known.state === 'recorded' && ctx.clock.now() < (known.attentionAt ?? 0)) {
    throw new ProblemError('idempotency-in-flight', { retrySafe: true, retryAfterSeconds: 1 });
  }
  if (known.problem !== undefined) {
    const { code, ...extras } = known.problem;
    throw new ProblemError(code, extras);
  }
  // Its companion died before it could write down the answer; the background pass looks it up.
  throw new ProblemError('outcome-unknown', {
    detail: 'What became of this request is being looked up: send the same key again later.',
    retryAfterSeconds: 2,
  });
}

async function current(ctx: ChargeContext, key: string): Promise<ChargeOperationRow> {
  const row = await ctx.store.findChargeOperation(key);
  if (row === undefined) throw new Error('An operation that was recorded is gone.');
  return row;
}
