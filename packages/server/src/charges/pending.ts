import type { ChargeOperationRow } from '../store/charge-operations.ts';
import { type Balance, progressOf } from './balance.ts';
import type { ChargeContext } from './context.ts';

/**
 * Returns a balance that counts everything that the service has accepted from here: the charge may not
 * show a pending transaction yet, and its amount would be given out twice.
 */
export async function withPending(
  ctx: ChargeContext,
  kind: 'settle' | 'refund',
  balance: Balance,
  { chargeId, requestId }: { chargeId: string; requestId?: string | undefined },
): Promise<Balance> {
  const operations = await ctx.store.findChargeOperations(ctx.environment, chargeId);
  const accepted = operations.filter((each) => each.kind === kind && each.state === 'accepted');
  const before = accepted[0]?.progressBefore ?? 0;
  const shown = progressOf(kind, balance);
  let counted = before + sum(accepted);
  if (counted > shown) {
    const standing: ChargeOperationRow[] = [];
    for (const operation of accepted) {
      if (!(await hasFailed(ctx, operation, requestId))) standing.push(operation);
    }
    counted = before + sum(standing);
  }
  const progress = Math.max(shown, counted);
  return kind === 'settle' ? { ...balance, settled: progress } : { ...balance, refunded: progress };
}

/** Returns whether an accepted operation, which the charge does not show, has failed since. */
async function hasFailed(
  ctx: ChargeContext,
  { attentionAt, chargeId, isWithCharge, merchantTransactionId }: ChargeOperationRow,
  requestId: string | undefined,
): Promise<boolean> {
  // A settle that was requested with its charge has no transaction with an id of ours. The charge has
  // not shown it for as long as it was followed: it no longer withholds what a person wants to settle.
  if (isWithCharge) return attentionAt === undefined;
  const found = await ctx.service.transaction(merchantTransactionId, requestId);
  if (found.kind !== 'accepted') return false;
  return found.body.chargeId === chargeId && found.body.state === 'Failed';
}

function sum(operations: readonly ChargeOperationRow[]): number {
  return operations.reduce((total, { amount }) => total + (amount?.value ?? 0), 0);
}
