import type { PrimeRequest } from '@financing-checkout/contract';
import { randomId, sha256 } from '../platform/id.ts';
import { storedKey } from '../platform/idempotency-key.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutContext } from './context.ts';
import { presentCheckout } from './presentation.ts';
import { primeCheckout, type PrimeInput } from './prime.ts';

/** How often one ticket may start again after a checkout that ended without a charge. */
const MAX_STARTS = 20;

/**
 * Primes a checkout for a page without script and returns the address for the browser. While the
 * checkout is open, the same ticket leads to it, so a form that is sent twice starts one checkout; after
 * a checkout that ended without a charge it starts the next one.
 * @throws {ProblemError}
 */
export async function startCheckout(
  ctx: CheckoutContext,
  input: Omit<PrimeInput, 'key' | 'body'> & { body: PrimeRequest & { returnUrl: string } },
): Promise<string> {
  const { body, origin, request } = input;
  const { ticketId } = await ctx.orderSource(body.order, { origin, request });
  // The return address is part of the key: the same ticket on another page starts a checkout that
  // returns there. The spaces in the key keep it apart from each client's key.
  const parts = [ticketId ?? body.order, origin, body.returnUrl, body.locale ?? null];
  const base = await sha256(JSON.stringify(parts));
  for (let start = 0; start < MAX_STARTS; start++) {
    const key = `start ${base} ${start}`;
    if (await isUsed(ctx, key)) continue;
    // No page gets the secret: the lender would see it in the return address, and browsers send no
    // cookie of the companion from the shop's page. The service's notification ends this checkout.
    const secretHash = await sha256(randomId('req'));
    const checkout = await primeCheckout(ctx, { ...input, key, secretHash });
    const hosted = (await presentCheckout(ctx, checkout)).presentation?.hosted;
    if (hosted?.modes.includes('redirect') === true) return hosted.url;
    throw checkout.status === 'open'
      ? new ProblemError('not-found', { detail: 'FINANCING_HOSTED_URL is not set.' })
      : new ProblemError('checkout-not-open');
  }
  // Not `checkout-not-open`: the shopper would read that the order is paid.
  throw new ProblemError('order-ticket-expired', {
    detail: 'The ticket has started too many checkouts: render the page again for a new one.',
  });
}

/** Returns whether a key led to a checkout that has ended, or to a failure that permits another start. */
async function isUsed(ctx: CheckoutContext, key: string): Promise<boolean> {
  const known = await ctx.store.findIdempotency(storedKey(ctx.environment, await sha256(key)));
  if (known === undefined || known.state === 'released') return false;
  if (known.checkoutId === undefined) {
    return known.problem !== undefined || ctx.clock.now() >= known.leaseUntil;
  }
  const checkout = await ctx.store.findCheckout(known.checkoutId);
  return checkout?.status !== 'open' || checkout.expiresAt <= ctx.clock.now();
}
