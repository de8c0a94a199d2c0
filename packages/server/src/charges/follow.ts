import { storedProblem } from '../checkout/prime.ts';
import type { ChargeOperationRow, EndChargeOperation } from '../store/charge-operations.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries } from './entries.ts';
import type { Finding } from './lookup.ts';
import { TRANSACTION_FAILED, transactionFailed } from './problem.ts';

/** Why an accepted operation is asked after: the service has it, and is not known to be through. */
export const PENDING = 'pending';
/** For how long the service is asked now and then, in milliseconds: lenders take weeks at the most. */
export const FOLLOWED_MS = 35 * 86_400_000;

/** What is written of an operation that the service has accepted, so that it is followed to its end. */
export function followUp(
  ctx: ChargeContext,
  isPending: boolean,
): Pick<EndChargeOperation, 'reason' | 'attentionAt'> {
  return isPending ? followed(ctx) : {};
}

/** What keeps an accepted operation followed. */
export function followed(ctx: Pick<ChargeContext, 'clock' | 'waits'>) {
  return { reason: PENDING, attentionAt: ctx.clock.now() + ctx.waits.firstLookMs };
}

/**
 * Writes down how an operation ended that was pending. One that failed moved no money: it leaves the
 * ledger again, and whoever asks with its key hears so.
 */
export async function follow(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
  finding: Finding | undefined,
): Promise<void> {
  const failed = finding?.kind === 'failed';
  if (!failed && (finding?.kind !== 'done' || finding.isPending)) return;
  const { id, sentAt, serviceRequestId } = operation;
  const named = finding.kind === 'done' ? finding.transactionId : undefined;
  const transactionId = operation.transactionId ?? named;
  if (failed) {
    // Before it is written: a process that dies in between tells it twice, and not never.
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
    ...(failed
      ? {
          state: 'rejected',
          reason: TRANSACTION_FAILED,
          problem: storedProblem(transactionFailed(serviceRequestId)),
          ledger: operationEntries(operation, 'absent', sentAt, transactionId),
        }
      : {
          state: 'accepted',
          // The books find a funding by the service's id, which nobody had said before.
          ledger:
            operation.transactionId === transactionId
              ? []
              : operationEntries(operation, 'accepted', sentAt, transactionId),
        }),
  });
  if (ended) ctx.changed();
}
