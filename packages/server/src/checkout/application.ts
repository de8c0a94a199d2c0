import type { Outcome } from '@financing-checkout/contract';
import { ProblemError } from '../problem/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import { type CheckoutContext, ownCheckout } from './context.ts';
import { lookDelay } from './waits.ts';

/** States in which the shopper has confirmed an offer, and no charge is known. */
const confirmed = new Set(['Approved', 'Authorized']);

/**
 * The outcome of a checkout without a charge of ours, by its application's state at the service
 * (reference: Checkout Management). An unknown state says nothing against the shopper having left.
 */
export function outcomeOfApplication(state: string): Outcome {
  if (state === 'Declined') return 'declined';
  if (state === 'Expired') return 'expired';
  if (confirmed.has(state) || state.startsWith('Pending')) return 'pending';
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
    const before = await ownCheckout(ctx, checkoutId);
    if (before.status !== 'open') return before;
    const state = await stateOf(ctx, before, requestId);
    const outcome = state === undefined ? 'cancelled' : outcomeOfApplication(state);
    const ended = await endApplication(ctx, before, outcome);
    // Undefined: a confirmation was faster while the service was asked. It wins.
    if (ended !== undefined) return ended;
  }
}

/**
 * Looks whether a pending checkout has ended without the shopper's browser, or waits for the shopper
 * again: a lender may take its time and then make offers. The shopper has not left it, so a state
 * that is not known leaves it pending.
 */
export async function followPending(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const state = await stateOf(ctx, checkout, requestId);
  if (state !== undefined && waitsForShopper.has(state)) return reopen(ctx, checkout);
  if (state === undefined || !isOver(state)) return checkout;
  return (await endApplication(ctx, checkout, outcomeOfApplication(state))) ?? checkout;
}

const waitsForShopper = new Set(['New', 'CheckoutInProgress', 'Prequalified']);
const isOver = (state: string) =>
  state === 'Declined' || state === 'Expired' || state === 'Cancelled';

/** The shopper can go on, for as long as a new checkout could be used. */
async function reopen(ctx: CheckoutContext, checkout: CheckoutRow): Promise<CheckoutRow> {
  const now = ctx.clock.now();
  const expiresAt = now + checkout.expiresAt - checkout.createdAt;
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: { status: 'open', expiresAt, attentionAt: expiresAt, attentionTries: 0 },
  });
  if (change.kind !== 'changed') return (await ctx.store.findCheckout(checkout.id)) ?? checkout;
  ctx.changed();
  return change.checkout;
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
  const state = await stateOf(ctx, checkout, requestId);
  if (state === undefined) return undefined;
  const waits = checkout.status === 'open' && state.startsWith('Pending');
  if (!isOver(state) && !waits) return checkout;
  const after = await endApplication(ctx, checkout, outcomeOfApplication(state));
  return after ?? ctx.store.findCheckout(checkout.id);
}

/**
 * Whether the service says that an offer was confirmed.
 * @throws {ProblemError} `service-unavailable` where it does not say anything
 */
export async function isApproved(
  ctx: CheckoutContext,
  { applicationId }: CheckoutRow,
  requestId: string,
): Promise<boolean> {
  if (applicationId === undefined) return false;
  const state = await ctx.service.applicationStatus(applicationId, requestId);
  if (state.kind === 'accepted') return confirmed.has(state.body);
  if (state.kind === 'rejected') return false;
  throw new ProblemError('service-unavailable', {
    detail: 'Nothing was done. Try again in a moment.',
    retrySafe: true,
    serviceRequestId: state.serviceRequestId,
    retryAfterSeconds: Math.max(1, Math.ceil((state.retryAfterMs ?? 2_000) / 1000)),
  });
}

/** The state of its application; undefined when there is none, or the service did not say. */
async function stateOf(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): Promise<string | undefined> {
  if (checkout.applicationId === undefined) return undefined;
  const result = await ctx.service.applicationStatus(checkout.applicationId, requestId);
  return result.kind === 'accepted' ? result.body : undefined;
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
