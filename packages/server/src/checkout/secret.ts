import { equalInConstantTime } from '../keys/secret.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { sha256 } from '../platform/id.ts';

/** For how long a checkout of an earlier version needs no secret: its page has none to send. */
const EARLIER_VERSION_MS = 86_400_000;

/**
 * Refuses a page that does not have the secret of a checkout: the id is in logs and messages, and the
 * public key is public. The answer is the one for a checkout that does not exist.
 * @param secret the Idempotency-Key of the prime
 * @throws {ProblemError} `checkout-not-found`
 */
export async function requireSecret(
  { clock, environment, store }: Pick<CheckoutContext, 'clock' | 'environment' | 'store'>,
  checkoutId: string,
  secret: string,
): Promise<void> {
  const hash = await sha256(secret);
  const checkout = await store.findCheckout(checkoutId);
  const isOpened = checkout?.environment === environment && hasSecret(checkout, hash, clock.now());
  if (isOpened) return;
  throw new ProblemError('checkout-not-found', {
    detail: 'Send the Idempotency-Key of its prime as Financing-Checkout-Secret.',
  });
}

function hasSecret({ secretHash, createdAt }: CheckoutRow, hash: string, now: number): boolean {
  if (secretHash === undefined) return now < createdAt + EARLIER_VERSION_MS;
  return equalInConstantTime(secretHash, hash);
}
