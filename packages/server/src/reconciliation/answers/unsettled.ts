import type { Environment } from '@financing-checkout/contract';
import { merchantOrderIdOf } from '../../order-key.ts';
import type { LedgerEntryRow, LedgerStore } from '../../store/ledger.ts';
import { written } from './reasons.ts';

/** An order has one charge at a time, and what is done with it is not much. */
const MAX_ENTRIES = 1_000;

/**
 * What of an order the companion itself had authorised, and never settled or voided: no lender owes it,
 * and no line of the books tells of it.
 * @returns sums by currency, in minor units
 */
export async function unsettledOf(
  store: Pick<LedgerStore, 'ledgerEntries'>,
  environment: Environment,
  orderKey: string,
): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  const merchantOrderId = merchantOrderIdOf(orderKey);
  if (merchantOrderId === undefined) return sums;
  const entries = await store.ledgerEntries({
    environment,
    merchantOrderId,
    after: 0,
    limit: MAX_ENTRIES,
  });
  for (const own of Map.groupBy(standing(entries), ({ chargeId }) => chargeId).values()) {
    // What nobody knows the outcome of may be settled.
    const isTouched = own.some(({ type, state }) => type !== 'Authorize' && state !== 'absent');
    if (isTouched) continue;
    for (const { amount, type, state } of own) {
      if (type !== 'Authorize' || state !== 'accepted' || amount === undefined) continue;
      sums.set(amount.currency, (sums.get(amount.currency) ?? 0) + amount.value);
    }
  }
  return sums;
}

/** Of several entries of one transaction the last one holds. */
function standing(entries: readonly LedgerEntryRow[]): LedgerEntryRow[] {
  const last = new Map<string, LedgerEntryRow>();
  for (const entry of entries) last.set(`${entry.type} ${entry.merchantTransactionId}`, entry);
  return [...last.values()];
}

export function unsettledSentence(amount: number, currency: string): string {
  return `${written(amount, currency)} is authorised and was never settled: no lender owes it before that.`;
}
