import { storedProblem } from '../checkout/prime.ts';
import type { ChargeOperationRow, EndChargeOperation } from '../store/charge-operations.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries } from './entries.ts';
import type { Finding } from './lookup.ts';
import { TRANSACTION_FAILED, transactionFailed } from './problem.ts';

/** Reason of an accepted operation that is followed: the service is not known to have completed it. */
export const PENDING = 'pending';
/** For how long a pending operation is looked up, in milliseconds: lenders take weeks at the most. */
export const FOLLOWED_MS = 35 * 86_400_000;

/** Returns the columns that make an accepted operation followed to its end, if it is pending. */
export function followUp(
  ctx: ChargeContext,
  isPending: boolean,
): Pick<EndChargeOperation, 'reason' | 'attentionAt'> {
  return isPending ? followed(ctx) : {};
}

/** Returns the columns that keep an accepted operation followed. */
export function followed(ctx: Pick<ChargeContext, 'clock' | 'waits'>) {
  return { reason: PENDING, attentionAt: ctx.clock.now() + ctx.waits.firstLookMs };
}

/**
 * Writes how a pending operation ended. One that failed moved no money: its ledger entry is taken
 * back, and a request with its key is answered so.
 */
export async function follow(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
  finding: Finding | undefined,
): Promise<void> {
  const failed = finding?.kind === 'failed';
  const { isWithCharge } = operation;
  if (!failed && (finding?.kind !== 'done' || finding.isPending)) return;
  const { id, sentAt, serviceRequestId, lenderReferenceId } = operation;
  const named = finding.kind === 'done' ? finding.transactionId : undefined;
  const transactionId = operation.transactionId ?? named;
  if (failed) {
    // Before it is written: a process that dies in between raises the alarm twice, not never.
    ctx.counters.increment('charge-operation-failed-since');
    ctx.logger.log('error', 'charge-operation-failed-since', {
      operationId: id,
      reason: TRANSACTION_FAILED,
    });
  }
  const ended = await ctx.store.endChargeOperation({
    id,
    sentAt,
    now: ctx.clock.now(),
    follows: true,
    serviceRequestId,
    transactionId,
    lenderReferenceId,
    ...(failed
      ? {
          state: 'rejected',
          reason: TRANSACTION_FAILED,
          problem: storedProblem(transactionFailed(serviceRequestId)),
          ledger: operationEntries(operation, 'absent', sentAt, {
            transactionId,
            lenderReferenceId,
          }),
        }
      : {
          state: 'accepted',
          // The ledger learns the service's id, which a funding carries too. It lists a settle that was
          // requested with its charge from now on.
          ledger:
            !isWithCharge && operation.transactionId === transactionId
              ? []
              : operationEntries(operation, 'accepted', sentAt, {
                  transactionId,
                  lenderReferenceId,
                }),
        }),
  });
  if (ended) ctx.changed();
}
