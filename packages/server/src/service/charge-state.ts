import { chargeStates, type KnownChargeState } from '@financing-checkout/contract';

/** Case, underscores and hyphens differ between the service's answers and mean nothing. */
const folded = (word: string) => word.replace(/[_\- ]/g, '').toLowerCase();

/** Words of the service and of its clients for a state that has another name in the vocabulary. */
const aliases: Record<string, KnownChargeState> = {
  // Published as one word with a GET, as `ChargedBack` with a POST; clients also write it so.
  chargeback: 'ChargedBack',
  // The published example of a refund's answer.
  refund: 'Refunded',
  fullyrefunded: 'Refunded',
};

const states = new Map<string, KnownChargeState>([
  ...chargeStates.map((state) => [folded(state), state] as const),
  ...Object.entries(aliases),
]);

/**
 * Returns the state of a charge in the one vocabulary of the companion, from either of the service's
 * two (reference: Charge API): `PARTIALLY_SETTLED` of a GET and `PartiallySettled` of a POST are
 * one state. A word that is in neither stays as it is: the service may add states.
 */
export function readChargeState(word: string): string {
  return states.get(folded(word)) ?? word;
}

const transactionTypes = ['Authorize', 'Settle', 'Refund', 'Void', 'Chargeback', 'Reversal'];
const transactionStates = [
  'Scheduled',
  'Pending',
  'PendingConsumer',
  'PendingMerchant',
  'Accepted',
  'Completed',
  'Failed',
];
const words = new Map(
  [...transactionTypes, ...transactionStates].map((word) => [folded(word), word] as const),
);

/** Returns a transaction's type or state in one spelling: `SETTLE` of an answer is `Settle`. */
export function readTransactionWord(word: string): string {
  return words.get(folded(word)) ?? word;
}
