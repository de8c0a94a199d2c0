import { z } from 'zod';
import { toMinorUnits } from '../platform/money.ts';
import { invalidFields } from '../platform/service-error.ts';

/**
 * The documented bodies of the post-sale requests; other fields are rejected. A field that may be
 * null by definition is `nullish`; an empty id counts as absent. Source: docs.chargeafter.com,
 * Charge API.
 */
const requiredText = z.string().min(1, 'must not be empty');
const merchantId = z
  .string()
  .max(256, 'should be up to 256 characters')
  .transform((text) => (text === '' ? undefined : text));
const nullableId = merchantId.nullish().transform((id) => id ?? undefined);
const amount = z.number().positive('must be more than zero');
const nullableAmount = amount.nullish().transform((value) => value ?? undefined);
const tags = z
  .record(z.string(), z.string())
  .nullish()
  .transform((map) => map ?? undefined);
const dateTime = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 date-time' });

export const creationRequest = z.strictObject({
  confirmationToken: requiredText,
  merchantOrderId: nullableId,
  merchantTransactionId: nullableId,
  tags,
});
export const updateRequest = z.strictObject({ merchantOrderId: merchantId.optional(), tags });
/** The body of settles and refunds. */
export const amountRequest = z.strictObject({
  amount: amount.optional(),
  merchantTransactionId: nullableId,
});
export const voidRequest = z.strictObject({
  amount: nullableAmount,
  merchantTransactionId: nullableId,
});
export const voidConfirmedRequest = z.strictObject({ confirmationToken: requiredText });
export const syntheticRequest = z.strictObject({
  transactionType: z.enum(['Settle', 'Refund', 'Void', 'Chargeback', 'Reversal']),
  amount: nullableAmount,
  merchantTransactionId: nullableId,
  reconciliationId: z
    .string()
    .nullish()
    .transform((id) => (id === '' || id === null ? undefined : id)),
  createdAt: dateTime
    .nullish()
    .transform((text) => (typeof text === 'string' ? Date.parse(text) : undefined)),
  // Accepted and ignored: no documented response includes it.
  reason: z.string().nullish(),
});
export const deliveryRequest = z.strictObject({
  items: z
    .array(
      z.strictObject({
        sku: requiredText,
        quantity: z.int32().positive('must be more than zero'),
        deliveryDate: dateTime.optional(),
      }),
    )
    .min(1, 'must not be empty'),
});

/** @throws {ServiceError} 422 when the currency cannot hold the amount exactly */
export function minorUnits(value: number | undefined, currency: string): number | undefined {
  if (value === undefined) return undefined;
  const minor = toMinorUnits(value, currency);
  if (typeof minor === 'string') throw invalidFields([{ field: 'amount', error: minor }]);
  return minor;
}
