import type { ChargeOperation, ChargeRecord } from '@financing-checkout/contract/back-office';
import { isoTime } from '@financing-checkout/kit';
import { ProblemError } from '../platform/problem.ts';
import type { Charge } from '../service/charges.ts';
import { isNotFound } from '../service/result.ts';
import type { ChargeOperationRow } from '../store/store.ts';
import { currencyOf, leftToRefund, leftToSettle, readableBalance } from './balance.ts';
import type { ChargeContext } from './context.ts';
import { chargeProblem } from './problem.ts';

/**
 * Returns the current state of a charge at the service.
 * @param stated currency to assume for a charge whose order the companion does not know
 * @throws {ProblemError} `charge-not-found`, and service failures
 */
export async function readCharge(
  ctx: ChargeContext,
  chargeId: string,
  requestId: string,
  stated?: string,
): Promise<ChargeRecord> {
  const charge = await ctx.service.charge(chargeId, { priority: 'report', requestId });
  if (charge.kind !== 'accepted') throw chargeProblem(charge, { movesMoney: false });
  return toRecord(ctx, charge.body, stated);
}

/**
 * Returns the charges of an order: first the one that the service returns, then the stored ones.
 * @throws {ProblemError} service failures
 */
export async function chargesOfOrder(
  ctx: ChargeContext,
  merchantOrderId: string,
  requestId: string,
  stated?: string,
): Promise<ChargeRecord[]> {
  const checkouts = await ctx.store.findCheckoutsOfOrder(ctx.environment, merchantOrderId);
  const ids = new Set<string>();
  const named = await ctx.service.chargeOfOrder(merchantOrderId, { priority: 'report', requestId });
  if (named.kind === 'accepted') ids.add(named.body);
  else if (!isNotFound(named)) throw chargeProblem(named, { movesMoney: false });
  for (const { chargeId } of checkouts) {
    if (chargeId !== undefined) ids.add(chargeId);
  }
  const records: ChargeRecord[] = [];
  for (const id of ids) {
    try {
      records.push(await readCharge(ctx, id, requestId, stated));
    } catch (error) {
      // Omits a stored charge that the service no longer knows.
      if (!(error instanceof ProblemError && error.code === 'charge-not-found')) throw error;
    }
  }
  return records;
}

async function toRecord(
  ctx: ChargeContext,
  charge: Charge,
  stated: string | undefined,
): Promise<ChargeRecord> {
  const checkout = await ctx.store.findCheckoutOfCharge(ctx.environment, charge.id);
  const { currency, isAssumed } = await currencyOf(ctx, charge, stated);
  const balance = readableBalance(charge, currency);
  const operations = await ctx.store.findChargeOperations(ctx.environment, charge.id);
  const money = (value: number) => ({ value, currency: balance.currency });
  return {
    id: charge.id,
    merchantOrderId: charge.merchantOrderId,
    state: charge.state,
    authorized: money(balance.authorized),
    currencyAssumed: isAssumed || undefined,
    ordered: checkout?.charged && { amount: checkout.amount, reason: checkout.charged.reason },
    settled: money(balance.settled),
    refunded: money(balance.refunded),
    left: { toSettle: money(leftToSettle(balance)), toRefund: money(leftToRefund(balance)) },
    operations: operations.map(operationRecord),
  };
}

export function operationRecord(row: ChargeOperationRow): ChargeOperation {
  return {
    id: row.id,
    chargeId: row.chargeId,
    kind: row.kind,
    amount: row.amount,
    state: row.state,
    reason: row.reason,
    merchantTransactionId: row.merchantTransactionId,
    transactionId: row.transactionId,
    lenderReferenceId: row.lenderReferenceId,
    actor: row.actor,
    resolution: row.resolution,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}
