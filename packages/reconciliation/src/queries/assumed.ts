import { reasonWords } from '@financing-checkout/contract/reconciliation';

/** Explains an assumed currency and how to fix it. */
export const ASSUMED_CURRENCY = reasonWords.en.currencyAssumed;

/** The field of an answer, if the currency is assumed. */
export function currencyAssumed(isAssumed: unknown): { currencyAssumed?: true } {
  return isAssumed === true ? { currencyAssumed: true } : {};
}
