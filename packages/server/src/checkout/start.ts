import type { PrimeRequest } from '@financing-checkout/contract/storefront';
import { sha256 } from '../platform/id.ts';
import { storedKey } from '../platform/idempotency-key.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import { noSecret } from './checkout.ts';
import type { CheckoutContext } from './context.ts';
import { presentCheckout } from './presentation.ts';
import { fingerprintOf, type PrimeInput, refuseOtherPage } from './prime.ts';
import { openSession } from './session.ts';

/**
 * Maximum number of times that a ticket may start again after a checkout that ended without a
 * charge.
 */
const MAX_STARTS = 20;

/** A form that a page without JavaScript submits. */
export interface StartInput extends Omit<PrimeInput, 'key' | 'body' | 'stated'> {
  body: PrimeRequest & { returnUrl: string };
  /**
   * Counts a valid ticket, by its id, before the store is asked.
   * @throws {ProblemError} `rate-limited`
   */
  admit: (ticket: string) => void;
}

/**
 * Primes a checkout for a page without JavaScript and returns the redirect URL. While the checkout
 * is open, the same ticket leads to it, so a form that is submitted twice starts only one checkout.
 * After a checkout that ended without a charge, the ticket starts a new one.
 * @throws {ProblemError}
 */
export async function startCheckout(ctx: CheckoutContext, input: StartInput): Promise<string> {
  const { body, origin, request } = input;
  refuseOtherPage(ctx, input);
  const stated = await ctx.orderSource(body.order, { origin, request });
  const { ticketId } = stated;
  input.admit(ticketId ?? body.order);
  // The return URL is part of the key: the same ticket on another page starts a checkout that
  // returns to that page. The spaces in the key prevent collisions with client keys.
  const parts = [ticketId ?? body.order, origin, body.returnUrl, body.locale ?? null];
  const base = await sha256(JSON.stringify(parts));
  for (let start = 0; start < MAX_STARTS; start++) {
    const key = `start ${base} ${start}`;
    const begun = await checkoutOfKey(ctx, key, input);
    if (begun === 'ended') continue;
    // No page gets the secret: the lender would see it in the return URL, and browsers do not send
    // the companion's cookies from the shop's page. The service's notification ends this checkout.
    const checkout =
      begun ?? (await openSession(ctx, { ...input, stated, key, secretHash: await noSecret() }));
    const hosted = (await presentCheckout(ctx, checkout)).presentation?.hosted;
    if (hosted?.modes.includes('redirect') === true) return hosted.url;
    throw checkout.status === 'open'
      ? new ProblemError('not-found', { detail: 'FINANCING_HOSTED_URL is not set.' })
      : new ProblemError('checkout-not-open');
  }
  // Not `checkout-not-open`, which would tell the shopper that the order is paid.
  throw new ProblemError('order-ticket-expired', {
    detail: 'The ticket has started too many checkouts: render the page again for a new one.',
  });
}

/**
 * Returns the open checkout that a key led to, so that a form that is submitted again costs two
 * reads of the store. `ended`: the checkout has ended, or a failure allows a new start. Undefined:
 * a prime with this key decides.
 */
async function checkoutOfKey(
  ctx: CheckoutContext,
  key: string,
  input: StartInput,
): Promise<CheckoutRow | 'ended' | undefined> {
  const known = await ctx.store.findIdempotency(storedKey(ctx.environment, await sha256(key)));
  if (known === undefined || known.state === 'released') return undefined;
  if (known.checkoutId === undefined) {
    const isOver = known.problem !== undefined || ctx.clock.now() >= known.leaseUntil;
    return isOver ? 'ended' : undefined;
  }
  const checkout = await ctx.store.findCheckout(known.checkoutId);
  if (checkout?.status !== 'open' || checkout.expiresAt <= ctx.clock.now()) return 'ended';
  // Two tickets with the same id: a prime refuses the second one.
  return known.fingerprint === (await fingerprintOf(input)) ? checkout : undefined;
}
