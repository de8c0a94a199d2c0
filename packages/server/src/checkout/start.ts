import type { PrimeRequest } from '@financing-checkout/contract';
import { storedKey } from '../idempotency/key.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutContext } from './context.ts';
import { randomId, sha256 } from '../platform/id.ts';
import { toCheckoutAnswer } from './presentation.ts';
import { primeCheckout, type PrimeInput } from './prime.ts';

/** How often one ticket may begin again after a checkout that ended without a charge. */
const MAX_STARTS = 20;

/**
 * Primes for a page without script, and says where to send the browser. The same ticket leads to
 * the same checkout while that is open, so a form sent twice begins one; after one that ended
 * without a charge it begins the next.
 * @throws {ProblemError}
 */
export async function startCheckout(
  ctx: CheckoutContext,
  input: Omit<PrimeInput, 'key' | 'body'> & { body: PrimeRequest & { returnUrl: string } },
): Promise<string> {
  const { body, origin, request } = input;
  const { ticketId } = await ctx.orderSource(body.order, { origin, request });
  // Keys from outside have no space in them, so none can be this one. The return address is part of
  // it: the same ticket on another page begins a checkout that comes back there.
  const parts = [ticketId ?? body.order, origin, body.returnUrl, body.locale ?? null];
  const base = await sha256(JSON.stringify(parts));
  for (let start = 0; start < MAX_STARTS; start++) {
    const key = `start ${base} ${start}`;
    if (await hasEnded(ctx, key)) continue;
    // No page has the secret: the lender would see one in the return address, and browsers send no
    // cookie of the companion from the shop's page. The service's notification ends this checkout.
    const secretHash = await sha256(randomId('req'));
    const checkout = await primeCheckout(ctx, { ...input, key, secretHash });
    const hosted = toCheckoutAnswer(ctx, checkout).presentation?.hosted;
    if (hosted?.modes.includes('redirect') === true) return hosted.url;
    throw checkout.status === 'open'
      ? new ProblemError('not-found', { detail: 'FINANCING_HOSTED_URL is not set.' })
      : new ProblemError('checkout-not-open');
  }
  // Not that it is not open: the shopper would read that the order is paid.
  throw new ProblemError('order-ticket-expired', {
    detail: 'It has begun too many checkouts: render the page again for a new one.',
  });
}

/** Whether a key led to a checkout that is over, or to a failure after which another may begin. */
async function hasEnded(ctx: CheckoutContext, key: string): Promise<boolean> {
  const known = await ctx.store.findIdempotency(storedKey(ctx.environment, await sha256(key)));
  if (known === undefined || known.state === 'released') return false;
  if (known.checkoutId === undefined) {
    return known.problem !== undefined || ctx.clock.now() >= known.leaseUntil;
  }
  const checkout = await ctx.store.findCheckout(known.checkoutId);
  return checkout?.status !== 'open' || checkout.expiresAt <= ctx.clock.now();
}
