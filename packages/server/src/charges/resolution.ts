import type { ResolutionOutcome } from '@financing-checkout/contract';
import { storedProblem } from '../checkout/prime.ts';
import { isoTime } from '../platform/clock.ts';
import { ProblemError } from '../platform/problem.ts';
import type { ChargeOperationRow, Resolution } from '../store/charge-operations.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries } from './entries.ts';
import { follow, PENDING } from './follow.ts';
import { type Finding, findAgain, FOUND_SINCE, lookUp } from './lookup.ts';

export interface ResolutionInput extends Resolution {
  operationId: string;
  outcome: ResolutionOutcome;
  requestId?: string | undefined;
}

/**
 * Ends an operation whose outcome is unknown by what a person says who has looked, and gives its
 * charge back. Not before the grace is over: what was sent may be done until then. The service is
 * asked once more, and where it knows what became of it, that holds. The same answer again changes
 * nothing. A settle that was requested with its charge can be ended so while it is pending: the
 * service does not say that one has failed.
 * @returns the operation as it ended
 * @throws {ProblemError} `not-found`; `operation-not-permitted` when it is known what became of it,
 * somebody has said otherwise, it is too early, or it cannot be so
 */
export async function resolveOperation(
  ctx: ChargeContext,
  { operationId, outcome, by, note, requestId }: ResolutionInput,
): Promise<ChargeOperationRow> {
  const operation = await find(ctx, operationId);
  const isPending = isPendingWithCharge(operation);
  if (operation.state !== 'unknown' && !isPending) return answered(operation, outcome);
  const until = operation.sentAt + ctx.waits.absenceGraceMs;
  if (ctx.clock.now() < until) {
    throw new ProblemError('operation-not-permitted', {
      detail: `It may still be done, and is looked up: say what became of it from ${isoTime(until)} on.`,
      retrySafe: true,
    });
  }
  if (isPending) {
    await follow(ctx, operation, await findAgain(ctx, operation));
    const since = await find(ctx, operationId);
    if (!isPendingWithCharge(since)) return answered(since, outcome);
    if (outcome === 'done') throw unshown();
  } else {
    const finding = await lookUp(ctx, operation);
    if (outcome === 'done') refuseImpossible(operation, finding);
  }
  const ended = await ctx.store.endChargeOperation({
    id: operation.id,
    sentAt: operation.sentAt,
    now: ctx.clock.now(),
    serviceRequestId: operation.serviceRequestId,
    follows: isPending,
    resolution: { by, note },
    ...endOf(ctx, operation, outcome),
  });
  if (ended) {
    ctx.logger.log('warn', 'charge-operation-resolved', {
      security: true,
      requestId,
      operationId,
      outcome,
    });
    ctx.changed();
  }
  return answered(await find(ctx, operationId), outcome);
}

function endOf(ctx: ChargeContext, operation: ChargeOperationRow, outcome: ResolutionOutcome) {
  if (outcome === 'done') {
    return {
      state: 'accepted',
      ledger: operationEntries(operation, 'accepted', operation.sentAt),
    } as const;
  }
  // Not `not-sent`: a client that asks what became of its key must not move money by that, on a
  // charge that somebody has moved meanwhile.
  return {
    state: 'rejected',
    reason: 'not-done',
    problem: storedProblem(
      new ProblemError('operation-not-permitted', {
        detail:
          'A person found that it was not done. Its Idempotency-Key sends nothing: look at the charge, and ask for what is still to be done with a new one.',
        retrySafe: true,
      }),
    ),
    ledger: operationEntries(operation, 'absent', operation.sentAt),
    // A transaction may show late. A charge that shows a settle does not say which one.
    attentionAt: operation.isWithCharge ? undefined : ctx.clock.now() + ctx.waits.absenceGraceMs,
  } as const;
}

function isPendingWithCharge({ isWithCharge, reason, state }: ChargeOperationRow): boolean {
  return isWithCharge && state === 'accepted' && reason === PENDING;
}

/** Returns the problem of a settle that a person says is done, and that its charge does not show. */
function unshown(): ProblemError {
  return new ProblemError('operation-not-permitted', {
    detail: 'The charge does not show this settle. It ends as done once the charge shows it.',
  });
}

/** The ledger takes the amount that was asked for, so that much must have moved. */
function refuseImpossible({ amount }: ChargeOperationRow, finding: Finding): void {
  if (finding.kind !== 'unclear' || amount === undefined || finding.moved >= amount.value) return;
  throw new ProblemError('operation-not-permitted', {
    detail: `It cannot be done: it asked for ${amount.value} minor units of ${amount.currency}, and the charge has moved by ${finding.moved}. If nothing of it was done, say not-done.`,
  });
}

/** The operation, when a person has ended it with this answer. @throws {ProblemError} */
function answered(operation: ChargeOperationRow, outcome: ResolutionOutcome): ChargeOperationRow {
  const { reason, resolution, state } = operation;
  if (resolution === undefined) {
    throw new ProblemError('operation-not-permitted', {
      detail:
        state === 'recorded'
          ? 'It is under way, or its companion died: it is looked up.'
          : `What became of it was found out: it is ${state}.`,
    });
  }
  if ((state === 'accepted') === (outcome === 'done')) return operation;
  throw new ProblemError('operation-not-permitted', {
    detail:
      reason === FOUND_SINCE
        ? 'It was said not to be done, and the service has it since: it is accepted.'
        : `A person has said otherwise: it is ${state}. That is not taken back here.`,
  });
}

async function find(ctx: ChargeContext, id: string): Promise<ChargeOperationRow> {
  const operation = await ctx.store.findOperationById(ctx.environment, id);
  if (operation !== undefined) return operation;
  throw new ProblemError('not-found', {
    detail: 'There is no operation on a charge with this id.',
  });
}
