import type { LedgerEntry } from '@financing-checkout/contract/back-office';
import { written } from './reasons.ts';

/**
 * Sums the amounts that the companion authorized for an order and never settled or voided: no
 * lender owes them, and no ledger line mentions them.
 * @param entries all entries of the order in the companion's ledger, sorted by id
 * @returns sums by currency, in minor units
 */
export function unsettledOf(entries: readonly LedgerEntry[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const own of Map.groupBy(lastOf(entries), ({ chargeId }) => chargeId).values()) {
    // A transaction with an unknown outcome may be settled.
    const isTouched = own.some(({ type, state }) => type !== 'Authorize' && state !== 'absent');
    if (isTouched) continue;
    for (const { amount, type, state } of own) {
      if (type !== 'Authorize' || state !== 'accepted' || amount === undefined) continue;
      sums.set(amount.currency, (sums.get(amount.currency) ?? 0) + amount.value);
    }
  }
  return sums;
}

/** Returns the authorizations that the service accepted. */
export function authorizationsOf(entries: readonly LedgerEntry[]): LedgerEntry[] {
  return lastOf(entries).filter(({ state, type }) => type === 'Authorize' && state === 'accepted');
}

/** Returns the last entry of each transaction, which is the one that counts. */
function lastOf(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const last = new Map<string, LedgerEntry>();
  for (const entry of entries) last.set(`${entry.type} ${entry.merchantTransactionId}`, entry);
  return [...last.values()];
}

export function unsettledSentence(amount: number, currency: string): string {
  return `${written(amount, currency)} is authorized and was never settled: lenders do not owe it yet.`;
}
