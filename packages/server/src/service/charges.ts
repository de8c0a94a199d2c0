import type { Money } from '@financing-checkout/contract';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract';
import { z } from 'zod';
import { wireAmountSchema } from './amount.ts';
import { keptText } from './kept-text.ts';
import { isPending } from './transactions.ts';

/** What is needed of a charge (reference: Charge API). `state` is an open vocabulary. */
export const chargeSchema = z.looseObject({
  id: keptText(256).min(1),
  state: keptText(64).min(1),
  totalAmount: wireAmountSchema,
  settledAmount: wireAmountSchema.nullish(),
  refundedAmount: wireAmountSchema.nullish(),
  merchantOrderId: keptText(256),
  currency: z.string().max(3).nullish(),
  /** What was done to it, where the service lists that with it; believed only as far as it can be read. */
  transactions: z
    .array(
      z.looseObject({
        type: z.string().max(64).nullish(),
        state: z.string().max(64).nullish(),
        merchantTransactionId: z.string().max(256).nullish(),
      }),
    )
    .max(1_000)
    .nullish()
    .catch(undefined),
});
export type Charge = z.infer<typeof chargeSchema>;

/** The currency of a charge; `fallback` where the service names none. */
export function currencyOf({ currency }: Charge, fallback: string): string {
  return currency === undefined || currency === null || currency === '' ? fallback : currency;
}

/** Whether the settle that was asked for with a charge is one that the service is not through with. */
export function isSettlePending({ transactions }: Charge, merchantTransactionId: string): boolean {
  return (transactions ?? []).some(
    (made) =>
      made.type === 'Settle' &&
      isPending(made.state) &&
      (made.merchantTransactionId ?? merchantTransactionId) === merchantTransactionId,
  );
}

/** The charge of an order: the documents promise "a charge id", without a shape. */
export const orderChargeSchema = z
  .looseObject({
    chargeId: keptText(256).min(1).nullish(),
    id: keptText(256).nullish(),
  })
  .transform((order) => order.chargeId ?? order.id)
  .pipe(z.string().min(1));

export const applicationStatusSchema = z.looseObject({
  status: z.string().max(64).nullish(),
  state: z.string().max(64).nullish(),
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
