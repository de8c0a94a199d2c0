import type { Outcome } from '@financing-checkout/contract';
import { ProblemError } from '../problem/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { lookDelay } from './waits.ts';

/**
 * The outcome of a checkout without a charge of ours, by its application's state at the service
 * (reference: Checkout Management). An unknown state says nothing against the shopper having left.
 */
export function outcomeOfApplication(state: string): Outcome {
  if (state === 'Declined') return 'declined';
  if (state === 'Expired') return 'expired';
  if (state === 'Approved' || state === 'Authorized' || state.startsWith('Pending'))
    return 'pending';
  return 'cancelled';
}

/**
 * The shopper left: ends an open checkout with what the service knows of it. A checkout that is
 * being confirmed, or has ended, stays as it is.
 * @throws {ProblemError} `checkout-not-found`
 */
export async function cancelCheckout(
  ctx: CheckoutContext,
  checkoutId: string,
  requestId: string,
): Promise<CheckoutRow> {
  for (;;) {
    const before = await ctx.store.findCheckout(checkoutId);
    if (before === undefined) throw new ProblemError('checkout-not-found');
    if (before.status !== 'open') return before;
    const outcome = (await askApplication(ctx, before, requestId)) ?? 'cancelled';
    const ended = await endApplication(ctx, before, outcome);
    // Undefined: a confirmation was faster while the service was asked. It wins.
    if (ended !== undefined) return ended;
  }
}

/** Looks whether a pending checkout has ended without the shopper's browser. */
export async function followPending(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const outcome = await askApplication(ctx, checkout, requestId);
  if (outcome === undefined || outcome === 'pending') return checkout;
  return (await endApplication(ctx, checkout, outcome)) ?? checkout;
}

/**
 * Looks at the application of a checkout because the service says that it has changed. What was
 * said does not count: the state is asked for. An open checkout stays open while the shopper can go
 * on; one that waits for somebody else goes on without the browser.
 * @returns undefined when the service could not be asked
 */
export async function followApplication(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow | undefined> {
  if (checkout.status !== 'open' && checkout.status !== 'pending') return checkout;
  if (checkout.applicationId === undefined) return checkout;
  const result = await ctx.service.applicationStatus(checkout.applicationId, requestId);
  if (result.kind !== 'accepted') return undefined;
  const state = result.body;
  const ended = state === 'Declined' || state === 'Expired' || state === 'Cancelled';
  const waits = checkout.status === 'open' && state.startsWith('Pending');
  if (!ended && !waits) return checkout;
  const after = await endApplication(ctx, checkout, outcomeOfApplication(state));
  return after ?? ctx.store.findCheckout(checkout.id);
}

async function askApplication(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): Promise<Outcome | undefined> {
  if (checkout.applicationId === undefined) return undefined;
  const result = await ctx.service.applicationStatus(checkout.applicationId, requestId);
  return result.kind === 'accepted' ? outcomeOfApplication(result.body) : undefined;
}

async function endApplication(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  outcome: Outcome,
): Promise<CheckoutRow | undefined> {
  const now = ctx.clock.now();
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: {
      status: outcome,
      retrySafe: undefined,
      // A pending one goes on without the browser: it is followed.
      attentionAt: outcome === 'pending' ? now + lookDelay(ctx.waits, 4) : undefined,
      attentionTries: 4,
    },
  });
  if (change.kind !== 'changed') return undefined;
  ctx.changed();
  return change.checkout;
}
