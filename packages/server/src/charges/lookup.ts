import { workOn } from '../platform/few-at-a-time.ts';
import { isPendingTransaction, settleProgress } from '../service/charges.ts';
import type { CallContext } from '../service/exchange.ts';
import { storedProblem } from '../service/problem.ts';
import { isNotFound } from '../service/result.ts';
import {
  isPastGrace,
  nextPollUnanswered,
  nextRarePoll,
  pollDelay,
  RECHECKED_MS,
} from '../service/timing.ts';
import type { ChargeOperationRow, EndChargeOperation, NewChargeOperation } from '../store/store.ts';
import { progressOf, tryBalance } from './balance.ts';
import { type ChargeContext, raiseAlarm } from './context.ts';
import { operationEntries, transactionTypes } from './ledger-entries.ts';
import { TRANSACTION_FAILED, transactionFailed } from './problem.ts';

/** What a lookup at the service reveals about an operation. */
export type Finding =
  /**
   * `hasOurId`: a transaction with our id proves the operation; otherwise the charge's amounts
   * imply it.
   */
  | { kind: 'done'; transactionId: string | undefined; hasOurId: boolean; isPending: boolean }
  | { kind: 'failed' }
  | { kind: 'absent' }
  /** The charge moved by a different amount than requested, in minor units. */
  | { kind: 'unclear'; moved: number }
  /** The service gave no usable response. */
  | { kind: 'unresolved' };

/** Reason for an operation that stays unknown because its charge moved by a different amount. */
const UNCLEAR = 'charge-moved';

const UNRESOLVED: Finding = { kind: 'unresolved' };

/** The charge itself shows the operation. Its amounts may include a pending transaction. */
const shownByCharge = (isPending: boolean): Finding => ({
  kind: 'done',
  transactionId: undefined,
  hasOurId: false,
  isPending,
});

/**
 * Looking up a money movement is as urgent as the movement itself: the charge stays busy until the
 * outcome is known.
 */
const callFor = ({ requestId }: NewChargeOperation): CallContext => ({
  priority: 'charge',
  requestId,
});

/**
 * Finds the outcome of an operation by our transaction id, which is exact, and otherwise by the
 * state of the charge.
 */
export async function findOperation(
  ctx: ChargeContext,
  operation: NewChargeOperation,
): Promise<Finding> {
  const { kind, amount } = operation;
  if (kind === 'void') return findVoid(ctx, operation);
  const found = await findTransaction(ctx, operation);
  if (found !== undefined) return found;
  const charge = await ctx.service.charge(operation.chargeId, callFor(operation));
  if (charge.kind !== 'accepted') return UNRESOLVED;
  const balance = tryBalance(charge.body, amount?.currency ?? ctx.defaultCurrency);
  if (balance === undefined) return UNRESOLVED;
  const moved = progressOf(kind, balance) - operation.progressBefore;
  if (moved === 0) return { kind: 'absent' };
  // No transaction has our id, but the charge has moved. A movement of exactly this amount proves
  // the operation, because the companion admits one operation at a time. A different amount comes
  // from a manual change.
  if (moved === amount?.value) return shownByCharge(true);
  ctx.logger.log('error', 'charge-operation-unclear', {
    security: true,
    operationId: operation.id,
    reason: UNCLEAR,
  });
  return { kind: 'unclear', moved };
}

/**
 * Looks up an operation that has already ended or that the service has accepted. The charge's
 * amounts prove nothing here, because later operations have changed them.
 * @returns undefined when the service knows no transaction with our id
 */
export function findAgain(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
): Promise<Finding | undefined> {
  const { isWithCharge, kind, resolution } = operation;
  if (isWithCharge) return findWithCharge(ctx, operation);
  // After a manual resolution the charge's state proves nothing: a later void may have caused it.
  if (kind === 'void' && resolution === undefined) return findVoid(ctx, operation);
  return findTransaction(ctx, operation);
}

/** Finds a void by our id or by the state of its charge: a voided charge stays voided. */
async function findVoid(ctx: ChargeContext, operation: NewChargeOperation): Promise<Finding> {
  const found = await findTransaction(ctx, operation);
  if (found !== undefined && found.kind !== 'unresolved') return found;
  const charge = await ctx.service.charge(operation.chargeId, callFor(operation));
  if (charge.kind !== 'accepted') return UNRESOLVED;
  if (charge.body.state === 'Voided') return shownByCharge(false);
  return found ?? { kind: 'absent' };
}

/**
 * Looks up a settle that was requested with its charge. Only the charge itself can show it, because
 * their shared id identifies the authorization (reference: Charge API). A charge that is only
 * authorized does not distinguish a pending settle from a failed one.
 */
async function findWithCharge(ctx: ChargeContext, operation: NewChargeOperation): Promise<Finding> {
  const { amount, chargeId } = operation;
  const charge = await ctx.service.charge(chargeId, callFor(operation));
  if (charge.kind !== 'accepted') return UNRESOLVED;
  const progress = settleProgress(charge.body);
  if (progress === 'failed') return { kind: 'failed' };
  const balance = tryBalance(charge.body, amount?.currency ?? ctx.defaultCurrency);
  // This settle covers the whole charge, so a smaller amount was settled manually.
  const isDone =
    amount === undefined || balance === undefined
      ? progress === 'settled'
      : balance.settled >= amount.value;
  return shownByCharge(!isDone);
}

/**
 * Looks up our transaction id.
 * @returns undefined when the service has no transaction with that id
 */
async function findTransaction(
  ctx: ChargeContext,
  operation: NewChargeOperation,
): Promise<Finding | undefined> {
  const { chargeId, kind, merchantTransactionId } = operation;
  const found = await ctx.service.transaction(merchantTransactionId, callFor(operation));
  if (found.kind !== 'accepted') return isNotFound(found) ? undefined : UNRESOLVED;
  const { id, state, type } = found.body;
  // Our id on another charge or on a transaction of another kind proves nothing.
  if (found.body.chargeId !== chargeId || type !== transactionTypes[kind]) return UNRESOLVED;
  if (state === 'Failed') return { kind: 'failed' };
  return {
    kind: 'done',
    transactionId: id,
    hasOurId: true,
    isPending: isPendingTransaction(state),
  };
}

/** Reason for an accepted operation that the service may not have completed. */
export const PENDING = 'pending';
/** How long a pending operation is polled, in milliseconds. Lenders take weeks at most. */
const PENDING_POLLED_MS = 35 * 86_400_000;
/** Reason for an accepted operation that had been manually resolved as not done. */
export const FOUND_SINCE = 'found-since';

/** Returns the columns that keep an accepted operation polled until the service completes it. */
export function pendingColumns(ctx: Pick<ChargeContext, 'clock' | 'timing'>) {
  return { reason: PENDING, attentionAt: ctx.clock.now() + ctx.timing.firstPollMs };
}

/**
 * Polls each operation that is due: unknown, pending or manually resolved.
 * @returns the number of due operations
 */
export async function pollDueOperations(
  ctx: ChargeContext,
  limit: number,
  ending: AbortSignal,
): Promise<number> {
  const due = await ctx.store.dueChargeOperations(ctx.environment, ctx.clock.now(), limit);
  return workOn(due, ending, async (operation) => {
    const { id, attentionAt, attentionTries, resolution, state } = operation;
    if (attentionAt === undefined) return;
    if (resolution === undefined && state !== 'accepted') {
      const until = ctx.clock.now() + pollDelay(ctx.timing, attentionTries);
      if (!(await ctx.store.claimChargeOperation(id, attentionAt, until))) return;
      await lookUpOperation(ctx, operation);
      return;
    }
    const isPending = resolution === undefined;
    const polledMs = isPending ? PENDING_POLLED_MS : RECHECKED_MS;
    const rarePoll = nextRarePoll(ctx, operation.updatedAt, polledMs);
    const until = nextPollUnanswered(ctx, attentionTries, rarePoll);
    if (!(await ctx.store.claimChargeOperation(id, attentionAt, until))) return;
    const found = await findAgain(ctx, operation);
    if (isPending) await endPending(ctx, operation, lastFinding(operation, found, rarePoll));
    else await checkResolution(ctx, operation, found);
    if (until !== undefined && found?.kind !== 'unresolved') {
      await ctx.store.claimChargeOperation(id, until, rarePoll, true);
    }
  });
}

/**
 * A settle that was requested with its charge counts as failed if the last poll still shows it as
 * pending.
 */
function lastFinding(
  { isWithCharge }: ChargeOperationRow,
  found: Finding | undefined,
  nextPoll: number | undefined,
): Finding | undefined {
  const isLast = isWithCharge && nextPoll === undefined;
  return isLast && found?.kind === 'done' && found.isPending ? { kind: 'failed' } : found;
}

/**
 * Looks up an operation and records its outcome. This only reads from the service; nothing is sent
 * again.
 */
export async function lookUpOperation(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
): Promise<Finding> {
  const finding = await findOperation(ctx, operation);
  if (!(await recordFinding(ctx, operation, finding))) {
    await checkResolution(ctx, operation, finding);
  }
  return finding;
}

/** @returns false when the operation has already ended */
async function recordFinding(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
  finding: Finding,
): Promise<boolean> {
  const { id, sentAt } = operation;
  switch (finding.kind) {
    case 'done': {
      const { transactionId } = finding;
      const ended = await endOperation(ctx, operation, {
        state: 'accepted',
        transactionId,
        ...(finding.isPending ? pendingColumns(ctx) : {}),
        ledger: operationEntries(operation, 'accepted', sentAt, { transactionId }),
      });
      ctx.changed();
      return ended;
    }
    case 'failed':
      return endWithoutMoney(ctx, operation, {
        state: 'rejected',
        reason: TRANSACTION_FAILED,
        problem: storedProblem(transactionFailed()),
      });
    case 'absent':
      if (isPastGrace(ctx, sentAt)) {
        return endWithoutMoney(ctx, operation, { state: 'not-sent', reason: 'absent' });
      }
      break;
    case 'unclear':
      if (operation.state === 'unknown' && operation.reason !== UNCLEAR) {
        await ctx.store.markUnclear(id, UNCLEAR, ctx.clock.now());
      }
      break;
    case 'unresolved':
  }
  // The companion that sent the operation died, so the outcome is unknown.
  if (operation.state === 'recorded') {
    await endOperation(ctx, operation, {
      state: 'unknown',
      reason: finding.kind === 'unclear' ? UNCLEAR : 'interrupted',
      ledger: operationEntries(operation, 'unknown', sentAt),
      attentionAt: ctx.clock.now() + pollDelay(ctx.timing, 0),
    });
  }
  return true;
}

/** Ends an operation that moved no money, and withdraws its "unknown" ledger entry, if any. */
async function endWithoutMoney(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
  end: Pick<EndChargeOperation, 'state' | 'reason' | 'problem'>,
): Promise<boolean> {
  const ledger =
    operation.state === 'unknown' ? operationEntries(operation, 'absent', operation.sentAt) : [];
  const ended = await endOperation(ctx, operation, { ...end, ledger });
  if (ended) {
    ctx.logger.log('warn', 'charge-operation', {
      operationId: operation.id,
      outcome: end.state,
      reason: end.reason,
    });
  }
  return ended;
}

/**
 * Records the end of a pending operation. A failed operation moved no money: its ledger entry is
 * withdrawn, and a repeated request with its key gets that failure.
 */
export async function endPending(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
  finding: Finding | undefined,
): Promise<void> {
  const isFailed = finding?.kind === 'failed';
  if (!isFailed && (finding?.kind !== 'done' || finding.isPending)) return;
  const { id, sentAt, isWithCharge, serviceRequestId, lenderReferenceId } = operation;
  const transactionId =
    operation.transactionId ?? (finding.kind === 'done' ? finding.transactionId : undefined);
  if (isFailed) {
    // Must precede the write: a crash in between then raises the alarm twice rather than never.
    const fields = { operationId: id, reason: TRANSACTION_FAILED };
    raiseAlarm(ctx, 'charge-operation-failed-since', fields);
  }
  // Adds the service's id, which a funding also carries, to the ledger, and any settle that was
  // requested with the charge.
  const isListed = !isFailed && !isWithCharge && operation.transactionId === transactionId;
  const references = { transactionId, lenderReferenceId };
  const ended = await endOperation(ctx, operation, {
    follows: true,
    serviceRequestId,
    ...references,
    state: isFailed ? 'rejected' : 'accepted',
    ...(isFailed && {
      reason: TRANSACTION_FAILED,
      problem: storedProblem(transactionFailed(serviceRequestId)),
    }),
    ledger: isListed
      ? []
      : operationEntries(operation, isFailed ? 'absent' : 'accepted', sentAt, references),
  });
  if (ended) ctx.changed();
}

/**
 * Raises an alarm when the service contradicts a manual resolution. A transaction with our id
 * proves that money moved, so it is added to the ledger despite the resolution.
 */
async function checkResolution(
  ctx: ChargeContext,
  { environment, id }: ChargeOperationRow,
  finding: Finding | undefined,
): Promise<void> {
  const operation = await ctx.store.findOperationById(environment, id);
  if (operation?.resolution === undefined) return;
  const { state, sentAt, serviceRequestId } = operation;
  const contradicts = state === 'accepted' ? finding?.kind === 'failed' : finding?.kind === 'done';
  if (!contradicts) return;
  // Must precede the write: otherwise, after a crash in between, no poll would raise the alarm.
  const fields = { security: true, operationId: id, outcome: finding?.kind };
  raiseAlarm(ctx, 'charge-operation-contradicted', fields);
  if (finding?.kind !== 'done' || !finding.hasOurId) return;
  const { transactionId } = finding;
  const overruled = await endOperation(ctx, operation, {
    state: 'accepted',
    reason: FOUND_SINCE,
    transactionId,
    serviceRequestId,
    overrules: true,
    ledger: operationEntries(operation, 'accepted', sentAt, { transactionId }),
  });
  if (overruled) ctx.changed();
}

function endOperation(
  { clock, store }: ChargeContext,
  { id, sentAt }: ChargeOperationRow,
  end: Omit<EndChargeOperation, 'id' | 'sentAt' | 'now'>,
): Promise<boolean> {
  return store.endChargeOperation({ id, sentAt, now: clock.now(), ...end });
}
