import { ProblemError } from '../platform/problem.ts';
import type { Charge } from '../service/charges.ts';
import type { ChargeContext } from './context.ts';

/** The currency of a charge's amounts: the service states none with a charge. */
export interface ChargeCurrency {
  currency: string;
  /** Whether nothing that the companion knows confirms the currency. */
  isAssumed: boolean;
}

/**
 * Returns the currency of a charge: that of its checkout, else the only one of its order in the ledger
 * and the checkouts, else the stated or the default one, as assumed.
 * @param stated ISO 4217 code in which the caller reads a charge of unknown currency
 */
export async function currencyOf(
  ctx: ChargeContext,
  { id, merchantOrderId }: Charge,
  stated: string | undefined,
): Promise<ChargeCurrency> {
  const { environment, store } = ctx;
  const checkout = await store.findCheckoutOfCharge(environment, id);
  const known =
    checkout?.amount.currency ??
    (await store.currenciesOfOrders(environment, [merchantOrderId])).get(merchantOrderId);
  if (known !== undefined) return { currency: known, isAssumed: false };
  return { currency: stated ?? ctx.defaultCurrency, isAssumed: true };
}

/**
 * Refuses to move money in a currency that differs from the stated one, or that is assumed.
 * @throws {ProblemError} `charge-currency-unclear`
 */
export function requireCertain(
  { currency, isAssumed }: ChargeCurrency,
  stated: string | undefined,
): void {
  if (stated === undefined ? !isAssumed : stated === currency) return;
  throw new ProblemError(
    'charge-currency-unclear',
    stated === undefined
      ? {
          detail:
            'The companion did not create this charge, and the service states no currency: send the currency of the charge as `currency`. Nothing was done.',
          errors: [{ path: 'currency', message: 'is required for this charge' }],
        }
      : {
          detail: `The order of this charge is in ${currency}, and the request states ${stated}. Nothing was done.`,
          errors: [{ path: 'currency', message: `must be ${currency}` }],
        },
  );
}
