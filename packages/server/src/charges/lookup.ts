import { storedProblem } from '../checkout/prime.ts';
import { CHECKED_MS, isPastGrace, lookDelay, rareLook, unlessAnswered } from '../checkout/waits.ts';
import { fewAtATime } from '../few-at-a-time.ts';
import type { ProblemError } from '../problem/problem.ts';
import { isPending, transactionsOf } from '../service/transactions.ts';
import type { ChargeOperationRow, NewChargeOperation } from '../store/charge-operations.ts';
import { progressOf, tryBalance } from './balance.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries } from './entries.ts';
import { follow, FOLLOWED_MS, followUp } from './follow.ts';
import { TRANSACTION_FAILED, transactionFailed } from './problem.ts';

/** One round over the operations whose outcome is to be looked up. @returns how many were due */
export async function attendDueOperations(
  ctx: ChargeContext,
  limit: number,
  ending: AbortSignal,
): Promise<number> {
  const due = await ctx.store.dueChargeOperations(ctx.environment, ctx.clock.now(), limit);
  await fewAtATime(due.values(), async (operation) => {
    if (ending.aborted) return;
    const { id, attentionAt, attentionTries, resolution, state } = operation;
    if (attentionAt === undefined) return;
    if (resolution === undefined && state !== 'accepted') {
      const until = ctx.clock.now() + lookDelay(ctx.waits, attentionTries);
      if (!(await ctx.store.claimChargeOperation(id, attentionAt, until))) return;
      await lookUp(ctx, operation);
      return;
    }
    const isFollowed = resolution === undefined;
    const rare = rareLook(ctx, operation.updatedAt, isFollowed ? FOLLOWED_MS : CHECKED_MS);
    const until = unlessAnswered(ctx, attentionTries, rare);
    if (!(await ctx.store.claimChargeOperation(id, attentionAt, until))) return;
    const finding = await findTransaction(ctx, operation);
    if (isFollowed) await follow(ctx, operation, finding);
    else await compare(ctx, operation, finding);
    if (until !== undefined && finding?.kind !== 'unresolved') {
      await ctx.store.claimChargeOperation(id, until, rare, true);
    }
  });
  return due.length;
}

export type Finding =
  /** `named`: the service has a transaction with our id. Otherwise the charge says so. */
  | { kind: 'done'; transactionId: string | undefined; named: boolean; isPending: boolean }
  | { kind: 'failed' }
  | { kind: 'absent' }
  /** The charge has moved by another amount, in minor units, than was asked for. */
  | { kind: 'unclear'; moved: number }
  | { kind: 'unresolved' };

/** Why an operation stays unknown when its charge was moved by somebody else. */
const UNCLEAR = 'charge-moved';

/**
 * Finds out what became of an operation, and writes it down. At the service it only reads; nothing
 * is ever sent again.
 */
export async function lookUp(ctx: ChargeContext, operation: ChargeOperationRow): Promise<Finding> {
  const finding = await findOperation(ctx, operation);
  if (!(await writeDown(ctx, operation, finding))) await compare(ctx, operation, finding);
  return finding;
}

/** @returns false when the operation has ended before */
async function writeDown(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
  finding: Finding,
): Promise<boolean> {
  const now = ctx.clock.now();
  const { id, sentAt } = operation;
  switch (finding.kind) {
    case 'done': {
      const ended = await ctx.store.endChargeOperation({
        id,
        sentAt,
        now,
        state: 'accepted',
        transactionId: finding.transactionId,
        ...followUp(ctx, finding.isPending),
        ledger: operationEntries(operation, 'accepted', sentAt, finding.transactionId),
      });
      ctx.changed();
      return ended;
    }
    case 'failed':
      return endWithout(ctx, operation, {
        state: 'rejected',
        reason: TRANSACTION_FAILED,
        problem: transactionFailed(),
      });
    case 'absent':
      if (isPastGrace(ctx, sentAt)) {
        return endWithout(ctx, operation, { state: 'not-sent', reason: 'absent' });
      }
      break;
    case 'unclear':
      if (operation.state === 'unknown' && operation.reason !== UNCLEAR) {
        await ctx.store.markUnclear(id, UNCLEAR, now);
      }
      break;
    case 'unresolved':
  }
  // Its companion died: from now on it is what it is, unknown.
  if (operation.state === 'recorded') {
    await ctx.store.endChargeOperation({
      id,
      sentAt,
      now,
      state: 'unknown',
      reason: finding.kind === 'unclear' ? UNCLEAR : 'interrupted',
      ledger: operationEntries(operation, 'unknown', sentAt),
      attentionAt: now + lookDelay(ctx.waits, 0),
    });
  }
  return true;
}

/** The charge shows it. What became of a void is its state; a sum may count what is pending yet. */
const byCharge = (isPending: boolean): Finding => ({
  kind: 'done',
  transactionId: undefined,
  named: false,
  isPending,
});

/** By our transaction id, which is exact; then by what the charge itself says. */
export async function findOperation(
  ctx: ChargeContext,
  operation: NewChargeOperation,
): Promise<Finding> {
  const { chargeId, kind, requestId } = operation;
  // The service takes no id of ours with a void: only the charge tells.
  const found = kind === 'void' ? undefined : await findTransaction(ctx, operation);
  if (found !== undefined) return found;
  const charge = await ctx.service.charge(chargeId, requestId);
  if (charge.kind !== 'accepted') return { kind: 'unresolved' };
  if (kind === 'void') {
    const voided = charge.body.state === 'Voided';
    return voided ? byCharge(false) : { kind: 'absent' };
  }
  const currency = operation.amount?.currency ?? ctx.defaultCurrency;
  const balance = tryBalance(charge.body, currency);
  if (balance === undefined) return { kind: 'unresolved' };
  const moved = progressOf(kind, balance) - operation.progressBefore;
  if (moved === 0) return { kind: 'absent' };
  // No transaction has our id, and yet the charge has moved. By exactly this amount, while no other
  // operation of ours was let through: it was done. Otherwise a person did something by hand.
  if (moved === operation.amount?.value) return byCharge(true);
  ctx.logger.log('error', 'charge-operation-unclear', {
    security: true,
    operationId: operation.id,
    reason: UNCLEAR,
  });
  return { kind: 'unclear', moved };
}

/** By our transaction id alone. Undefined: the service knows none with it. */
async function findTransaction(
  ctx: ChargeContext,
  { chargeId, merchantTransactionId, requestId }: NewChargeOperation,
): Promise<Finding | undefined> {
  const found = await ctx.service.transactions(merchantTransactionId, requestId);
  if (found.kind !== 'accepted') {
    const unknown = found.kind === 'rejected' && found.status === 404;
    return unknown ? undefined : { kind: 'unresolved' };
  }
  const [ours] = transactionsOf(found.body, chargeId);
  if (ours?.state === 'Failed') return { kind: 'failed' };
  if (ours !== undefined) {
    const { id, state } = ours;
    return {
      kind: 'done',
      transactionId: id ?? undefined,
      named: true,
      isPending: isPending(state),
    };
  }
  return found.body.length === 0 ? undefined : { kind: 'unresolved' };
}

/** Why an operation is accepted of which a person had said that it was not done. */
export const FOUND_SINCE = 'found-since';

/**
 * Tells when the service contradicts what a person has said meanwhile. A transaction of ours that
 * it has is money that was moved: that goes into the ledger, whoever has said what.
 */
async function compare(
  ctx: ChargeContext,
  { environment, id }: ChargeOperationRow,
  finding: Finding | undefined,
): Promise<void> {
  const operation = await ctx.store.findOperationById(environment, id);
  if (operation?.resolution === undefined) return;
  const { state, sentAt, serviceRequestId } = operation;
  const contradicts = state === 'accepted' ? finding?.kind === 'failed' : finding?.kind === 'done';
  if (!contradicts) return;
  // Before it is written down: who dies then leaves an operation that nobody compares any more.
  ctx.counters.increment('charge-operation-contradicted');
  ctx.logger.log('error', 'charge-operation-contradicted', {
    security: true,
    operationId: id,
    outcome: finding?.kind,
  });
  if (finding?.kind === 'done' && finding.named) {
    const { transactionId } = finding;
    const overruled = await ctx.store.endChargeOperation({
      id,
      sentAt,
      now: ctx.clock.now(),
      state: 'accepted',
      reason: FOUND_SINCE,
      transactionId,
      serviceRequestId,
      overrules: true,
      ledger: operationEntries(operation, 'accepted', sentAt, transactionId),
    });
    if (overruled) ctx.changed();
  }
}

/** Ends an operation that moved nothing; its "unknown" ledger entry, if any, is taken back. */
async function endWithout(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
  end: { state: 'rejected' | 'not-sent'; reason: string; problem?: ProblemError },
): Promise<boolean> {
  const ended = await ctx.store.endChargeOperation({
    id: operation.id,
    sentAt: operation.sentAt,
    now: ctx.clock.now(),
    state: end.state,
    reason: end.reason,
    problem: end.problem && storedProblem(end.problem),
    ledger:
      operation.state === 'unknown' ? operationEntries(operation, 'absent', operation.sentAt) : [],
  });
  if (!ended) return false;
  ctx.logger.log('warn', 'charge-operation', {
    operationId: operation.id,
    outcome: end.state,
    reason: end.reason,
  });
  return true;
}
