import { chargeStates, type KnownChargeState } from '@financing-checkout/contract/back-office';

/**
 * Case, underscores, hyphens and spaces vary between the service's responses and have no meaning.
 */
const folded = (word: string) => word.replace(/[_\- ]/g, '').toLowerCase();

/**
 * Returns a function that maps a word to its spelling in `words` and returns other words unchanged.
 */
function readerOf(words: readonly string[], aliases: Record<string, string> = {}) {
  const known = new Map([
    ...words.map((word) => [folded(word), word] as const),
    ...Object.entries(aliases),
  ]);
  return (word: string): string => known.get(folded(word)) ?? word;
}

/** Synonyms that the service and its clients use for states in the vocabulary. */
const chargeStateAliases: Record<string, KnownChargeState> = {
  // Published as one word for GET and as `ChargedBack` for POST. Clients also use this word.
  chargeback: 'ChargedBack',
  // From the published example of a refund response.
  refund: 'Refunded',
  fullyrefunded: 'Refunded',
};

/**
 * Returns a charge state in the companion's vocabulary. The service has two vocabularies
 * (reference: Charge API): `PARTIALLY_SETTLED` from a GET and `PartiallySettled` from a POST are
 * the same state. Unknown words are returned unchanged because the service may add states.
 */
export const readChargeState = readerOf(chargeStates, chargeStateAliases);

/** Returns a transaction's type or state in one spelling: `SETTLE` becomes `Settle`. */
export const readTransactionWord = readerOf([
  ...['Authorize', 'Settle', 'Refund', 'Void', 'Chargeback', 'Reversal'],
  ...['Scheduled', 'Pending', 'PendingConsumer', 'PendingMerchant'],
  ...['Accepted', 'Completed', 'Failed'],
]);

/** Returns an application's status in one spelling. */
export const readApplicationStatus = readerOf([
  ...['New', 'Prequalified', 'CheckoutInProgress'],
  ...['PendingConsumer', 'PendingLender', 'PendingMerchant'],
  ...['Approved', 'Authorized', 'Declined', 'Expired', 'Cancelled'],
]);
