import { z } from 'zod';

/** A timestamp, ISO 8601 with an offset and up to seven decimal places of a second. */
export const dateTime = z.iso.datetime({ offset: true });

/** An amount in the major unit; the service sends no currency with it. */
export const amount = z.number();

/** A map of strings with keys that the merchant or a lender chooses. */
export const textMap = z.record(z.string(), z.string());

/**
 * Charge states in the responses of POST operations: `state` on creation, `status` for settle,
 * refund, void and synthetic. Source: reference, Charge API.
 */
export const answeredChargeStates = [
  'Created',
  'Authorized',
  'PartiallySettled',
  'Settled',
  'PartiallyRefunded',
  'PartiallySettledPartiallyRefunded',
  'SettledPartiallyRefunded',
  'Refunded',
  'PartiallySettledRefunded',
  'Voided',
  'ChargedBack',
] as const;

/**
 * Charge states in the responses of GET and PATCH: {@link answeredChargeStates} in upper case with
 * underscores, except that CHARGEDBACK is one word.
 */
export const readChargeStates = [
  'CREATED',
  'AUTHORIZED',
  'PARTIALLY_SETTLED',
  'SETTLED',
  'PARTIALLY_REFUNDED',
  'PARTIALLY_SETTLED_PARTIALLY_REFUNDED',
  'SETTLED_PARTIALLY_REFUNDED',
  'REFUNDED',
  'PARTIALLY_SETTLED_REFUNDED',
  'VOIDED',
  'CHARGEDBACK',
] as const;

export const transactionState = z.enum([
  'Scheduled',
  'Pending',
  'PendingConsumer',
  'PendingMerchant',
  'Accepted',
  'Completed',
  'Failed',
]);

/** Transaction types where the service looks up a transaction or reports a funding. */
export const transactionType = z.enum([
  'Authorize',
  'Settle',
  'Refund',
  'Void',
  'Chargeback',
  'Reversal',
]);

/** Transaction types in the responses of settle, refund, void and synthetic. */
export const answeredTransactionType = z.enum([
  'AUTHORIZE',
  'SETTLE',
  'REFUND',
  'VOID',
  'CHARGEBACK',
  'REVERSAL',
]);

export const financialProductType = z.enum([
  'LineOfCredit',
  'Installments',
  'LeaseToOwn',
  'MerchantSelfFinancing',
]);
