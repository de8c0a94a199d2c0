import { transactionsOf } from '../service/transactions.ts';
import type { ChargeOperationRow } from '../store/charge-operations.ts';
import { type Balance, progressOf } from './balance.ts';
import type { ChargeContext } from './context.ts';

/**
 * A balance in which everything counts that the service has accepted from here: while a transaction
 * is pending there, the charge may not show it yet, and what is left would be given out twice.
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

/** Whether the service has given up since on what it had accepted. */
async function hasFailed(
  ctx: ChargeContext,
  { chargeId, merchantTransactionId }: ChargeOperationRow,
  requestId: string | undefined,
): Promise<boolean> {
  const found = await ctx.service.transactions(merchantTransactionId, requestId);
  if (found.kind !== 'accepted') return false;
  const ours = transactionsOf(found.body, chargeId);
  return ours.length > 0 && ours.every(({ state }) => state === 'Failed');
}

function sum(operations: readonly ChargeOperationRow[]): number {
  return operations.reduce((total, { amount }) => total + (amount?.value ?? 0), 0);
}
