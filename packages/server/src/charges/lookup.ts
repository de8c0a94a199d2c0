import { storedProblem } from '../checkout/prime.ts';
import { CHECKED_MS, isPastGrace, lookDelay, rareLook, unlessAnswered } from '../checkout/waits.ts';
import { fewAtATime } from '../platform/few-at-a-time.ts';
import type { ProblemError } from '../platform/problem.ts';
import { settleProgress } from '../service/charges.ts';
import { isNotFound } from '../service/result.ts';
import { isPending } from '../service/transactions.ts';
import type { ChargeOperationRow, NewChargeOperation } from '../store/charge-operations.ts';
import { type Balance, progressOf, tryBalance } from './balance.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries } from './entries.ts';
import { follow, FOLLOWED_MS, followUp } from './follow.ts';
import { TRANSACTION_FAILED, transactionFailed } from './problem.ts';

/** Looks at each operation that is due: unknown, followed or resolved by a person. @returns how many */
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
    const found = await findAgain(ctx, operation);
    const finding = isFollowed ? asEnded(operation, found, rare) : found;
    if (isFollowed) await follow(ctx, operation, finding);
    else await compare(ctx, operation, finding);
    if (until !== undefined && finding?.kind !== 'unresolved') {
      await ctx.store.claimChargeOperation(id, until, rare, true);
    }
  });
  return due.length;
}

/**
 * Returns what the last look shows: a settle that was requested with its charge has failed when the
 * charge does not show it for as long as it is followed.
 */
function asEnded(
  { isWithCharge }: ChargeOperationRow,
  finding: Finding | undefined,
  next: number | undefined,
): Finding | undefined {
  const isLast = isWithCharge && next === undefined;
  return isLast && finding?.kind === 'done' && finding.isPending ? { kind: 'failed' } : finding;
}

export type Finding =
  /** `named`: the service has a transaction with our id; without it the charge shows the operation. */
  | { kind: 'done'; transactionId: string | undefined; named: boolean; isPending: boolean }
  | { kind: 'failed' }
  | { kind: 'absent' }
  /** The charge has moved by another amount, in minor units, than was asked for. */
  | { kind: 'unclear'; moved: number }
  | { kind: 'unresolved' };

/** Reason of an operation that stays unknown because its charge has moved by another amount. */
const UNCLEAR = 'charge-moved';

/**
 * Finds the outcome of an operation, and writes it. It only reads at the service; nothing is ever sent
 * again.
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
        ledger: operationEntries(operation, 'accepted', sentAt, {
          transactionId: finding.transactionId,
        }),
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
  // The companion that sent it died: its outcome is unknown from now on.
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

/** The charge shows the operation. Its amounts may count a pending transaction. */
const byCharge = (isPending: boolean): Finding => ({
  kind: 'done',
  transactionId: undefined,
  named: false,
  isPending,
});

/**
 * Finds the outcome of an operation: by our transaction id, which is exact; then by what the charge
 * itself shows.
 */
export async function findOperation(
  ctx: ChargeContext,
  operation: NewChargeOperation,
): Promise<Finding> {
  const { kind } = operation;
  if (kind === 'void') return findVoid(ctx, operation);
  const found = await findTransaction(ctx, operation);
  if (found !== undefined) return found;
  const balance = await balanceNow(ctx, operation);
  if (balance === undefined) return { kind: 'unresolved' };
  const moved = progressOf(kind, balance) - operation.progressBefore;
  if (moved === 0) return { kind: 'absent' };
  // No transaction has our id, and yet the charge has moved. By exactly this amount, while no other
  // operation of ours was let through: it was done. By another one, a person did something by hand.
  if (moved === operation.amount?.value) return byCharge(true);
  ctx.logger.log('error', 'charge-operation-unclear', {
    security: true,
    operationId: operation.id,
    reason: UNCLEAR,
  });
  return { kind: 'unclear', moved };
}

/** Finds a void by our id, or by the state of its charge: a charge that is voided stays so. */
async function findVoid(ctx: ChargeContext, operation: NewChargeOperation): Promise<Finding> {
  const found = await findTransaction(ctx, operation);
  if (found !== undefined && found.kind !== 'unresolved') return found;
  const charge = await ctx.service.charge(operation.chargeId, operation.requestId);
  if (charge.kind !== 'accepted') return { kind: 'unresolved' };
  if (charge.body.state === 'Voided') return byCharge(false);
  return found ?? { kind: 'absent' };
}

/**
 * Finds a settle that was requested with its charge by the charge alone: the id that both were
 * requested with names the authorization (reference: Charge API). A charge that is only authorized
 * shows no difference between a settle that is pending and one that failed.
 */
async function findWithCharge(ctx: ChargeContext, operation: NewChargeOperation): Promise<Finding> {
  const { chargeId, requestId } = operation;
  const charge = await ctx.service.charge(chargeId, requestId);
  if (charge.kind !== 'accepted') return { kind: 'unresolved' };
  const progress = settleProgress(charge.body);
  if (progress === 'failed') return { kind: 'failed' };
  const { amount } = operation;
  const balance = tryBalance(charge.body, amount?.currency ?? ctx.defaultCurrency);
  // It is a settle of the whole charge: a part is one that a person made by hand.
  const isDone =
    amount === undefined || balance === undefined
      ? progress === 'settled'
      : balance.settled >= amount.value;
  return byCharge(!isDone);
}

async function balanceNow(
  ctx: ChargeContext,
  { amount, chargeId, requestId }: NewChargeOperation,
): Promise<Balance | undefined> {
  const charge = await ctx.service.charge(chargeId, requestId);
  if (charge.kind !== 'accepted') return undefined;
  return tryBalance(charge.body, amount?.currency ?? ctx.defaultCurrency);
}

/**
 * Looks once more at an operation that has ended, or that the service has accepted. The charge's
 * amounts count for nothing here: later operations have moved them.
 */
export function findAgain(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
): Promise<Finding | undefined> {
  const { isWithCharge, kind, resolution } = operation;
  if (isWithCharge) return findWithCharge(ctx, operation);
  // Of a resolved void the charge's state proves nothing: a later void may have made it so.
  if (kind === 'void' && resolution === undefined) return findVoid(ctx, operation);
  return findTransaction(ctx, operation);
}

const transactionTypes = { settle: 'Settle', refund: 'Refund', void: 'Void' } as const;

/** Looks up our transaction id. Undefined: the service knows no transaction with it. */
async function findTransaction(
  ctx: ChargeContext,
  { chargeId, kind, merchantTransactionId, requestId }: NewChargeOperation,
): Promise<Finding | undefined> {
  const found = await ctx.service.transaction(merchantTransactionId, requestId);
  if (found.kind !== 'accepted') return isNotFound(found) ? undefined : { kind: 'unresolved' };
  const { id, state, type } = found.body;
  // Our id on another charge, or on a transaction of another kind: nothing is guessed.
  if (found.body.chargeId !== chargeId || type !== transactionTypes[kind]) {
    return { kind: 'unresolved' };
  }
  if (state === 'Failed') return { kind: 'failed' };
  return { kind: 'done', transactionId: id, named: true, isPending: isPending(state) };
}

/** Reason of an accepted operation that a person had resolved as not done. */
export const FOUND_SINCE = 'found-since';

/**
 * Raises an alarm when the service contradicts a person's resolution. A transaction with our id is
 * money that was moved: it goes into the ledger in spite of the resolution.
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
  // Before it is written: after a crash in between, no look compares the operation again.
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
      ledger: operationEntries(operation, 'accepted', sentAt, { transactionId }),
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
