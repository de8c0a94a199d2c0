import type { ResolutionOutcome } from '@financing-checkout/contract/back-office';
import { isoTime } from '@financing-checkout/kit';
import { ProblemError } from '../platform/problem.ts';
import { storedProblem } from '../service/problem.ts';
import type { ChargeOperationRow, Resolution } from '../store/charge-operations.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries } from './ledger-entries.ts';
import {
  endPending,
  findAgain,
  type Finding,
  FOUND_SINCE,
  lookUpOperation,
  PENDING,
} from './lookup.ts';

interface ResolutionInput extends Resolution {
  operationId: string;
  outcome: ResolutionOutcome;
  requestId?: string;
}

/**
 * Ends an operation with an unknown outcome, as resolved manually after a check, and releases its
 * charge. Refused during the grace period, when the service may still execute the operation. The
 * service is queried once more, and its response takes precedence. Repeating the same resolution
 * changes nothing. A pending settle that was requested with its charge can be ended this way too,
 * because the service does not report when such a settle fails.
 * @returns the ended operation
 * @throws {ProblemError} `not-found`; `operation-not-permitted` when the outcome is known, differs
 * from an earlier resolution, or is impossible, and during the grace period
 */
export async function resolveOperation(
  ctx: ChargeContext,
  { operationId, outcome, by, note, requestId }: ResolutionInput,
): Promise<ChargeOperationRow> {
  const operation = await find(ctx, operationId);
  const isPending = isPendingWithCharge(operation);
  if (operation.state !== 'unknown' && !isPending) return resolved(operation, outcome);
  const until = operation.sentAt + ctx.timing.absenceGraceMs;
  if (ctx.clock.now() < until) {
    throw notPermitted(
      `The service may still execute it, and the companion looks it up: resolve it from ${isoTime(until)} on.`,
      { retrySafe: true },
    );
  }
  if (isPending) {
    await endPending(ctx, operation, await findAgain(ctx, operation));
    const since = await find(ctx, operationId);
    if (!isPendingWithCharge(since)) return resolved(since, outcome);
    if (outcome === 'done') {
      throw notPermitted(
        'The charge does not show this settle. It ends as done once the charge shows it.',
      );
    }
  } else {
    const finding = await lookUpOperation(ctx, operation);
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
  return resolved(await find(ctx, operationId), outcome);
}

function endOf(ctx: ChargeContext, operation: ChargeOperationRow, outcome: ResolutionOutcome) {
  if (outcome === 'done') {
    return {
      state: 'accepted',
      ledger: operationEntries(operation, 'accepted', operation.sentAt),
    } as const;
  }
  // Not `not-sent`: a client that repeats its key to learn the outcome must not move money on a
  // charge that may have been changed manually since.
  const problem = notPermitted(
    'A person found that it was not executed. Its Idempotency-Key sends nothing: check the charge, and request the rest with a new key.',
    { retrySafe: true },
  );
  return {
    state: 'rejected',
    reason: 'not-done',
    problem: storedProblem(problem),
    ledger: operationEntries(operation, 'absent', operation.sentAt),
    // A transaction may appear late. A charge that shows a settle does not identify which settle it
    // was.
    attentionAt: operation.isWithCharge ? undefined : ctx.clock.now() + ctx.timing.absenceGraceMs,
  } as const;
}

function isPendingWithCharge({ isWithCharge, reason, state }: ChargeOperationRow): boolean {
  return isWithCharge && state === 'accepted' && reason === PENDING;
}

/**
 * The ledger records the requested amount, so the charge must have moved by at least that amount.
 */
function refuseImpossible({ amount }: ChargeOperationRow, finding: Finding): void {
  if (finding.kind !== 'unclear' || amount === undefined || finding.moved >= amount.value) return;
  throw notPermitted(
    `"done" is impossible: the request was for ${amount.value} minor units of ${amount.currency}, and the charge has moved by ${finding.moved}. Use "not-done" if no part of it was executed.`,
  );
}

/**
 * Returns an operation that already ended with this resolution.
 * @throws {ProblemError} for any other operation
 */
function resolved(operation: ChargeOperationRow, outcome: ResolutionOutcome): ChargeOperationRow {
  const { reason, resolution, state } = operation;
  if (resolution === undefined) {
    throw notPermitted(
      state === 'recorded'
        ? 'It is in flight, or its companion died: the companion looks it up.'
        : `Its outcome is known: it is ${state}.`,
    );
  }
  if ((state === 'accepted') === (outcome === 'done')) return operation;
  throw notPermitted(
    reason === FOUND_SINCE
      ? 'It was resolved as not done, but the service has shown it since: it is accepted.'
      : `A person has resolved it as ${state}. This endpoint does not reverse a resolution.`,
  );
}

async function find(ctx: ChargeContext, id: string): Promise<ChargeOperationRow> {
  const operation = await ctx.store.findOperationById(ctx.environment, id);
  if (operation !== undefined) return operation;
  throw new ProblemError('not-found', { detail: 'No operation on a charge has this id.' });
}

function notPermitted(detail: string, more: { retrySafe?: true } = {}): ProblemError {
  return new ProblemError('operation-not-permitted', { detail, ...more });
}
