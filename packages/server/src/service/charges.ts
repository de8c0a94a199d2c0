import type { Money } from '@financing-checkout/contract';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract';
import { z } from 'zod';

/** A decimal number in the major unit, as JSON number or text. */
const wireAmountSchema = z.union([z.number(), z.string().max(40)]);

/** What is needed of a charge (reference: Charge API). `state` is an open vocabulary. */
export const chargeSchema = z.looseObject({
  id: z.string().min(1).max(256),
  state: z.string().min(1).max(64),
  totalAmount: wireAmountSchema,
  merchantOrderId: z.string().max(256),
  currency: z.string().max(3).nullish(),
});
export type Charge = z.infer<typeof chargeSchema>;

/** The charge of an order: the documents promise "a charge id", without a shape. */
export const orderChargeSchema = z
  .looseObject({
    chargeId: z.string().min(1).max(256).optional(),
    id: z.string().max(256).optional(),
  })
  .transform((order) => order.chargeId ?? order.id)
  .pipe(z.string().min(1));

/** A transaction, alone or in a list, as far as it names its charge. */
const transactionSchema = z.looseObject({ chargeId: z.string().min(1).max(256) });
export const transactionLookupSchema = z
  .union([transactionSchema, z.array(transactionSchema)])
  .transform((found) => (Array.isArray(found) ? found[0] : found)?.chargeId);

/** An answer whose body does not matter. */
export const anyBodySchema = z.unknown();

export const applicationStatusSchema = z.looseObject({
  status: z.string().max(64).optional(),
  state: z.string().max(64).optional(),
});

/**
 * How a charge differs from what was primed, or undefined when it is the same money for the same
 * order.
 */
export function chargeDifference(
  charge: Charge,
  primed: { amount: Money; merchantOrderId: string },
): 'amount' | 'currency' | 'merchant-order' | undefined {
  if (charge.merchantOrderId !== primed.merchantOrderId) return 'merchant-order';
  const { currency } = primed.amount;
  if (charge.currency && charge.currency !== currency) return 'currency';
  try {
    return fromMajorUnits(charge.totalAmount, currency).value === primed.amount.value
      ? undefined
      : 'amount';
  } catch (error) {
    // An amount that this currency cannot hold is not the amount that was primed.
    if (error instanceof MoneyError) return 'amount';
    throw error;
  }
}
