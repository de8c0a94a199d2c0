import { chargeEntries } from '../ledger/entries.ts';
import { ProblemError } from '../platform/problem.ts';
import type { CheckoutChange, CheckoutRow } from '../store/store.ts';
import type { ChargeRequest } from './charge-request.ts';
import type { CheckoutContext } from './context.ts';
import { randomId } from '../platform/id.ts';

/**
 * Records that a request is sent again, and renews the claim with it. Its transaction id stays: to
 * the service it is the same request.
 * @param checkout the row that this was decided on
 * @returns undefined when the row has changed since
 */
export async function recordRepeat(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  last: ChargeRequest,
  { reason, requestId }: { reason: string; requestId: string | undefined },
): Promise<ChargeRequest | undefined> {
  const now = ctx.clock.now();
  const id = randomId('att');
  const { merchantTransactionId, settle } = last;
  const result = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: { attentionAt: now + ctx.waits.chargeLeaseMs, attentionTries: 0 },
    updateAttempt: { id: last.id, state: 'unknown', reason },
    insertAttempt: {
      id,
      kind: 'charge',
      checkoutId: checkout.id,
      merchantTransactionId,
      requestId,
      settle,
    },
    ledger: last.isListed ? [] : chargeEntries(checkout, last, 'unknown'),
  });
  if (result.kind !== 'changed') return undefined;
  const recorded = { id, createdAt: now, reason: undefined, sent: last.sent + 1 };
  return { ...last, ...recorded, isListed: true };
}

/** Does {@link recordRepeat} for a request that this process holds. */
export async function renew(
  ctx: CheckoutContext,
  checkoutId: string,
  last: ChargeRequest,
  why: { reason: string; requestId: string | undefined },
): Promise<ChargeRequest | undefined> {
  for (;;) {
    const checkout = await currentCheckout(ctx, checkoutId);
    if (!(await isHeldBy(ctx, checkout, last))) return undefined;
    const recorded = await recordRepeat(ctx, checkout, last, why);
    if (recorded !== undefined) return recorded;
  }
}

/** Returns whether no other process has found the outcome of a request, or taken it over. */
async function isHeldBy(
  { store }: CheckoutContext,
  { id, status, retrySafe }: CheckoutRow,
  request: ChargeRequest,
): Promise<boolean> {
  if (status !== 'confirming' && !(status === 'unavailable' && retrySafe === false)) return false;
  const attempts = await store.findAttempts(id);
  return attempts.some((attempt) => attempt.id === request.id && attempt.state === 'recorded');
}

/** Writes how a request ended, unless the checkout is no longer this process's. */
export async function writeEnd(
  ctx: CheckoutContext,
  id: string,
  request: ChargeRequest,
  what: Pick<CheckoutChange, 'set' | 'order'> & {
    updateAttempt: NonNullable<CheckoutChange['updateAttempt']>;
    ledger?: 'unknown' | [];
  },
): Promise<CheckoutRow> {
  for (;;) {
    const checkout = await currentCheckout(ctx, id);
    if (!(await isHeldBy(ctx, checkout, request))) {
      await ctx.store.updateAttempt(what.updateAttempt, ctx.clock.now());
      return checkout;
    }
    const result = await ctx.store.changeCheckout({
      id,
      revision: checkout.revision,
      now: ctx.clock.now(),
      ...what,
      ledger: what.ledger === 'unknown' ? chargeEntries(checkout, request, 'unknown') : [],
    });
    if (result.kind === 'changed') {
      ctx.changed();
      return result.checkout;
    }
  }
}

/** Returns a checkout as it is now. */
export async function currentCheckout(
  { store }: CheckoutContext,
  id: string,
): Promise<CheckoutRow> {
  const checkout = await store.findCheckout(id);
  if (checkout === undefined) throw new ProblemError('checkout-not-found');
  return checkout;
}
