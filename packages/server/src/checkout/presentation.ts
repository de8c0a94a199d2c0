import { reversalOf } from '@financing-checkout/contract';
import type { Checkout, Presentation, Reversal } from '@financing-checkout/contract';
import { isoTime } from '../platform/clock.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/** Returns how the money of an approved checkout went back; undefined where none did. */
export function reversalOfCheckout(row: CheckoutRow): Reversal | undefined {
  const kind = row.status === 'approved' ? reversalOf(row.chargeState) : undefined;
  if (kind === undefined) return undefined;
  const { refundedAmount: value } = row;
  const { currency } = row.amount;
  return { kind, ...(value === undefined || value === 0 ? {} : { amount: { value, currency } }) };
}

/** A checkout as the browser sees it. */
export function toCheckoutAnswer(ctx: CheckoutContext, row: CheckoutRow): Checkout {
  const reversal = reversalOfCheckout(row);
  return {
    id: row.id,
    environment: row.environment,
    status: row.status,
    amount: row.amount,
    merchantOrderId: row.merchantOrderId,
    expiresAt: isoTime(row.expiresAt),
    ...(row.retrySafe === undefined ? {} : { retrySafe: row.retrySafe }),
    ...(reversal === undefined ? {} : { reversal }),
    ...(row.status === 'open' ? { presentation: presentation(ctx, row) } : {}),
  };
}

function presentation(ctx: CheckoutContext, row: CheckoutRow): Presentation {
  const base = { sessionToken: row.sessionToken, ...(ctx.sdk && { sdk: ctx.sdk }) };
  if (ctx.hostedUrl === undefined) return base;
  const values: Record<string, string> = {
    sessionToken: row.sessionToken,
    publicKey: ctx.publicKey,
    origin: row.origin,
    returnUrl: row.returnUrl ?? '',
    locale: row.locale ?? '',
  };
  const url = ctx.hostedUrl.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  return {
    hosted: {
      url,
      // A redirect needs somewhere to come back to.
      modes:
        row.returnUrl === undefined ? ['embedded', 'popup'] : ['embedded', 'popup', 'redirect'],
    },
    ...base,
  };
}
