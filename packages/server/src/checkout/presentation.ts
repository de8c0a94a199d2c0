import { reversalOf } from '@financing-checkout/contract/back-office';
import type { Checkout, Presentation, Reversal } from '@financing-checkout/contract/storefront';
import { isoTime } from '@financing-checkout/kit';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/**
 * Returns how the money of an approved checkout was returned, or undefined if it was not returned.
 */
export function reversalOfCheckout(row: CheckoutRow): Reversal | undefined {
  const kind = row.status === 'approved' ? reversalOf(row.chargeState) : undefined;
  if (kind === undefined) return undefined;
  const { refundedAmount: value = 0 } = row;
  return { kind, amount: value === 0 ? undefined : { value, currency: row.amount.currency } };
}

/** Returns a checkout in the form that the browser receives. */
export async function presentCheckout(ctx: CheckoutContext, row: CheckoutRow): Promise<Checkout> {
  const present = row.via === 'link' ? presentationOfLink : presentationOf;
  return {
    id: row.id,
    environment: row.environment,
    status: row.status,
    amount: row.amount,
    merchantOrderId: row.merchantOrderId,
    expiresAt: isoTime(row.expiresAt),
    retrySafe: row.retrySafe,
    reversal: reversalOfCheckout(row),
    presentation: row.status === 'open' ? await present(ctx, row) : undefined,
  };
}

async function presentationOfLink(
  { store }: CheckoutContext,
  { id, sessionToken }: CheckoutRow,
): Promise<Presentation> {
  const link = await store.findLink(id);
  if (link?.url === undefined) return { sessionToken };
  const { expiresAt, qrCode, state, url } = link;
  return { sessionToken, link: { url, qrCode, state, expiresAt: isoTime(expiresAt) } };
}

export function presentationOf(
  ctx: CheckoutContext,
  row: Pick<CheckoutRow, 'sessionToken' | 'origin' | 'returnUrl' | 'locale'>,
): Presentation {
  const { sessionToken, returnUrl } = row;
  const base = { sessionToken, sdk: ctx.sdk };
  if (ctx.hostedUrl === undefined) return base;
  const values: Record<string, string> = {
    sessionToken,
    publicKey: ctx.publicKey,
    origin: row.origin,
    returnUrl: returnUrl ?? '',
    locale: row.locale ?? '',
  };
  const url = ctx.hostedUrl.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  // A redirect needs a page to return to.
  const modes: NonNullable<Presentation['hosted']>['modes'] =
    returnUrl === undefined ? ['embedded', 'popup'] : ['embedded', 'popup', 'redirect'];
  return { hosted: { url, modes }, ...base };
}
