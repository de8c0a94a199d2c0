import { storedProblem } from '../checkout/prime.ts';
import { lookDelay } from '../checkout/waits.ts';
import { ProblemError } from '../problem/problem.ts';
import type { ChargeOperationRow, NewChargeOperation } from '../store/charge-operations.ts';
import { progressOf, tryBalance } from './balance.ts';
import type { ChargeContext } from './context.ts';
import { operationEntries } from './entries.ts';

/** One round over the operations whose outcome is to be looked up. @returns how many were due */
export async function attendDueOperations(ctx: ChargeContext, limit: number): Promise<number> {
  const now = ctx.clock.now();
  const due = await ctx.store.dueChargeOperations(ctx.environment, now, limit);
  for (const operation of due) {
    const { id, attentionAt, attentionTries } = operation;
    if (attentionAt === undefined) continue;
    const until = now + lookDelay(ctx.waits, attentionTries);
    if (await ctx.store.claimChargeOperation(id, attentionAt, until)) await lookUp(ctx, operation);
  }
  return due.length;
}

export type Finding =
  | { kind: 'done'; transactionId: string | undefined }
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
  await writeDown(ctx, operation, finding);
  return finding;
}

async function writeDown(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
  finding: Finding,
): Promise<void> {
  const now = ctx.clock.now();
  const { id, sentAt } = operation;
  switch (finding.kind) {
    case 'done':
      await ctx.store.endChargeOperation({
        id,
        sentAt,
        now,
        state: 'accepted',
        transactionId: finding.transactionId,
        ledger: operationEntries(operation, 'accepted', sentAt, finding.transactionId),
      });
      ctx.changed();
      return;
    case 'failed':
      return endWithout(ctx, operation, {
        state: 'rejected',
        reason: 'transaction-failed',
        problem: new ProblemError('service-rejected', {
          detail: 'The financing service made the transaction, and it failed.',
        }),
      });
    case 'absent':
      if (now - sentAt >= ctx.waits.absenceGraceMs) {
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
  if (operation.state === 'recorded') {
    // Its companion died: from now on it is what it is, unknown.
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
}

/** By our transaction id, which is exact; then by what the charge itself says. */
export async function findOperation(
  ctx: ChargeContext,
  operation: NewChargeOperation,
): Promise<Finding> {
  const { chargeId, kind, merchantTransactionId } = operation;
  // The service takes no id of ours with a void: only the charge tells.
  let named = kind === 'void';
  if (!named) {
    const found = await ctx.service.transactions(merchantTransactionId);
    if (found.kind === 'accepted') {
      const ours = found.body.find((transaction) => transaction.chargeId === chargeId);
      if (ours?.state === 'Failed') return { kind: 'failed' };
      if (ours !== undefined) return { kind: 'done', transactionId: ours.id ?? undefined };
      named = found.body.length === 0;
    } else {
      named = found.kind === 'rejected' && found.status === 404;
    }
  }
  if (!named) return { kind: 'unresolved' };
  const charge = await ctx.service.charge(chargeId);
  if (charge.kind !== 'accepted') return { kind: 'unresolved' };
  if (kind === 'void') {
    const voided = charge.body.state === 'Voided';
    return voided ? { kind: 'done', transactionId: undefined } : { kind: 'absent' };
  }
  const currency = operation.amount?.currency ?? ctx.defaultCurrency;
  const balance = tryBalance(charge.body, currency);
  if (balance === undefined) return { kind: 'unresolved' };
  const moved = progressOf(kind, balance) - operation.progressBefore;
  if (moved === 0) return { kind: 'absent' };
  // No transaction has our id, and yet the charge has moved. By exactly this amount, while no other
  // operation of ours was let through: it was done. Otherwise a person did something by hand.
  if (moved === operation.amount?.value) return { kind: 'done', transactionId: undefined };
  ctx.logger.log('error', 'charge-operation-unclear', {
    security: true,
    operationId: operation.id,
    reason: UNCLEAR,
  });
  return { kind: 'unclear', moved };
}

/** Ends an operation that moved nothing; its "unknown" ledger entry, if any, is taken back. */
async function endWithout(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
  end: { state: 'rejected' | 'not-sent'; reason: string; problem?: ProblemError },
): Promise<void> {
  await ctx.store.endChargeOperation({
    id: operation.id,
    sentAt: operation.sentAt,
    now: ctx.clock.now(),
    state: end.state,
    reason: end.reason,
    problem: end.problem && storedProblem(end.problem),
    ledger:
      operation.state === 'unknown' ? operationEntries(operation, 'absent', operation.sentAt) : [],
  });
  ctx.logger.log('warn', 'charge-operation', {
    operationId: operation.id,
    outcome: end.state,
    reason: end.reason,
  });
}
