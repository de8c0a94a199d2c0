import { fewAtATime } from '../platform/few-at-a-time.ts';
import { storedProblem } from '../service/problem.ts';
import {
  isPastGrace,
  nextPollUnanswered,
  nextRarePoll,
  pollDelay,
  RECHECKED_MS,
} from '../service/timing.ts';
import type { ChargeOperationRow, EndChargeOperation } from '../store/charge-operations.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries } from './ledger-entries.ts';
import { findAgain, type Finding, findOperation, UNCLEAR } from './lookup.ts';
import { TRANSACTION_FAILED, transactionFailed } from './problem.ts';

/** Reason of an accepted operation that the service has not completed, as far as is known. */
export const PENDING = 'pending';
/** How long a pending operation is polled, in milliseconds: lenders take weeks at most. */
const PENDING_POLLED_MS = 35 * 86_400_000;
/** Reason of an accepted operation that a person had resolved as not done. */
export const FOUND_SINCE = 'found-since';

/** Returns the columns that keep an accepted operation polled until the service completes it. */
export function pendingColumns(ctx: Pick<ChargeContext, 'clock' | 'timing'>) {
  return { reason: PENDING, attentionAt: ctx.clock.now() + ctx.timing.firstPollMs };
}

/**
 * Polls each operation that is due: unknown, pending or resolved by a person.
 * @returns the number of due operations
 */
export async function pollDueOperations(
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
  return due.length;
}

/** A settle that was requested with its charge has failed when the last poll still shows it pending. */
function lastFinding(
  { isWithCharge }: ChargeOperationRow,
  found: Finding | undefined,
  nextPoll: number | undefined,
): Finding | undefined {
  const isLast = isWithCharge && nextPoll === undefined;
  return isLast && found?.kind === 'done' && found.isPending ? { kind: 'failed' } : found;
}

/** Looks up an operation and records its outcome. It only reads at the service; nothing is sent again. */
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
  // The companion that sent it died, so its outcome is unknown.
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
 * Records the end of a pending operation. A failed one moved no money: its ledger entry is withdrawn,
 * and a repeated request with its key gets that answer.
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
    // Before the record: a process that dies in between raises the alarm twice rather than never.
    ctx.counters.increment('charge-operation-failed-since');
    ctx.logger.log('error', 'charge-operation-failed-since', {
      operationId: id,
      reason: TRANSACTION_FAILED,
    });
  }
  // The ledger gets the service's id, which a funding carries too, and a settle that was requested with
  // its charge.
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
 * Raises an alarm when the service contradicts a person's resolution. A transaction with our id proves
 * that money moved: it enters the ledger in spite of the resolution.
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
  // Before the record: after a crash in between, no poll compares the operation again.
  ctx.counters.increment('charge-operation-contradicted');
  ctx.logger.log('error', 'charge-operation-contradicted', {
    security: true,
    operationId: id,
    outcome: finding?.kind,
  });
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
