import { equalInConstantTime } from '@financing-checkout/kit';
import { randomId, sha256 } from '../platform/id.ts';
import { isIdempotencyKey, storedKey } from '../platform/idempotency-key.ts';
import { ProblemError } from '../platform/problem.ts';
import { pollDelay } from '../service/timing.ts';
import type { CheckoutChange, CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/**
 * Returns a checkout of this companion's environment. Companions of several environments may share
 * a store, and each environment's service knows only its own checkouts.
 * @throws {ProblemError} `checkout-not-found`
 */
export async function findCheckout(
  { environment, store }: Pick<CheckoutContext, 'environment' | 'store'>,
  id: string,
): Promise<CheckoutRow> {
  const checkout = await store.findCheckout(id);
  if (checkout?.environment === environment) return checkout;
  throw new ProblemError('checkout-not-found');
}

/**
 * Refuses a page that does not have the checkout's secret: the id appears in logs and messages, and
 * the public key is public. The response is the same as for a missing checkout.
 * @param secret the Idempotency-Key of the prime, or of a prime that has joined the checkout's link
 * @throws {ProblemError} `checkout-not-found`
 */
export async function requireSecret(
  { environment, store }: Pick<CheckoutContext, 'environment' | 'store'>,
  checkoutId: string,
  secret: string,
): Promise<void> {
  const hash = await sha256(secret);
  const checkout = await store.findCheckout(checkoutId);
  if (checkout?.environment === environment) {
    if (equalInConstantTime(checkout.secretHash, hash)) return;
    // The keys of staff and of forms have a space, so no page can send them.
    if (checkout.via === 'link' && isIdempotencyKey(secret)) {
      const joined = await store.findIdempotency(storedKey(environment, hash));
      if (joined?.checkoutId === checkoutId) return;
    }
  }
  throw new ProblemError('checkout-not-found', {
    detail: 'Send the Idempotency-Key of its prime as Financing-Checkout-Secret.',
  });
}

/** Returns a secret hash that no page can match, because the secret is not kept. */
export const noSecret = () => sha256(randomId('req'));

export type Change = Omit<CheckoutChange, 'id' | 'revision' | 'now'> & { now?: number };

/** Changes a checkout. @returns undefined when the row has changed since it was read */
export async function tryChangeCheckout(
  ctx: CheckoutContext,
  { id, revision }: CheckoutRow,
  change: Change,
): Promise<CheckoutRow | undefined> {
  const result = await ctx.store.changeCheckout({ id, revision, now: ctx.clock.now(), ...change });
  if (result.kind !== 'changed') return undefined;
  ctx.changed();
  return result.checkout;
}

/** Changes a checkout unless the row has changed since it was read. @returns the current row */
export async function changeCheckout(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  change: Change,
): Promise<CheckoutRow> {
  const changed = await tryChangeCheckout(ctx, checkout, change);
  return changed ?? (await ctx.store.findCheckout(checkout.id)) ?? checkout;
}

/** Defers the remaining work on a checkout to its next poll. */
export function pollLater(ctx: CheckoutContext, checkout: CheckoutRow): Promise<CheckoutRow> {
  const attentionAt = ctx.clock.now() + pollDelay(ctx.timing, checkout.attentionTries);
  return changeCheckout(ctx, checkout, { set: { attentionAt } });
}

/** Ends the work on a checkout: nothing is left to do, or manual action is needed. */
export function stopPolling(ctx: CheckoutContext, checkout: CheckoutRow): Promise<CheckoutRow> {
  return changeCheckout(ctx, checkout, { set: { attentionAt: undefined } });
}
