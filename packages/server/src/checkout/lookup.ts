import type { CallResult } from '../service/result.ts';
import type { AttemptRow, CheckoutRow } from '../store/store.ts';
import { chargeEntries } from '../ledger/entries.ts';
import { type ChargeRequest, endWithCharge, isRefused } from './charge.ts';
import type { CheckoutContext } from './context.ts';
import { isPastGrace } from './waits.ts';

/**
 * Finds out at the service what became of a charge whose outcome is unknown, and ends the checkout
 * when it is known. Only reads; nothing is ever sent a second time from here.
 */
export async function lookUpCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const attempts = await ctx.store.findAttempts(checkout.id);
  const attempt = chargeRequest(ctx, attempts);
  if (attempt === undefined) return checkout;

  const found = await findCharge(ctx, checkout, attempt, requestId);
  if (found === 'unresolved') return waitLonger(ctx, checkout, attempt);
  if (found === 'absent') {
    return isPastGrace(ctx, attempt.createdAt)
      ? endAsAbsent(ctx, checkout, attempt)
      : waitLonger(ctx, checkout, attempt);
  }
  const ended = await endWithFound(ctx, checkout, attempt, found.chargeId, requestId);
  return ended ?? waitLonger(ctx, checkout, attempt);
}

/**
 * Looks whether a charge shows after all that was proved absent, or refused: else the shopper would have paid, and
 * nobody here would know. By our transaction id alone: the charge of the order may be one that another
 * checkout is just making.
 * @returns undefined: the service did not answer
 */
export async function lookForLateCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow | undefined> {
  const attempt = chargeRequest(ctx, await ctx.store.findAttempts(checkout.id));
  if (attempt === undefined) return checkout;
  const found = await findByTransaction(ctx, checkout, attempt, requestId);
  if (found === 'unanswered') return undefined;
  return typeof found === 'string'
    ? checkout
    : endWithFound(ctx, checkout, attempt, found.chargeId, requestId);
}

/**
 * Looks once more for charges of an order that were refused a moment ago in other checkouts, before it
 * is charged anew: else it would have two. Not while another checkout holds the order: it is not
 * charged from here then, and a charge of it may be that one's.
 */
export async function lookForRefusedCharges(
  ctx: CheckoutContext,
  { id, merchantOrderId }: CheckoutRow,
  requestId: string,
): Promise<void> {
  const { environment, store } = ctx;
  for (const other of await store.findCheckoutsOfOrder(environment, merchantOrderId)) {
    if (other.id === id || !isRefused(other) || isPastGrace(ctx, other.updatedAt)) continue;
    if (await store.isOrderTaken(environment, merchantOrderId)) return;
    const attempt = chargeRequest(ctx, await store.findAttempts(other.id));
    if (attempt === undefined) continue;
    const found = await findCharge(ctx, other, attempt, requestId);
    if (typeof found !== 'string') {
      await endWithFound(ctx, other, attempt, found.chargeId, requestId);
    }
  }
}

/** The last request of a checkout that was to make its charge. */
export function chargeRequest(
  ctx: CheckoutContext,
  attempts: readonly AttemptRow[],
): ChargeRequest | undefined {
  const last = attempts.findLast(({ kind }) => kind === 'charge');
  if (last?.merchantTransactionId === undefined) return undefined;
  const { id, merchantTransactionId, createdAt, settle = ctx.settle, state } = last;
  return { id, merchantTransactionId, createdAt, settle, isListed: state === 'unknown' };
}

/**
 * By our transaction id, which is exact, then by the order. Absent only when both say so: the charge
 * of the order may be one that another checkout of it made, and that was given back.
 */
async function findCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  attempt: ChargeRequest,
  requestId: string | undefined,
): Promise<{ chargeId: string } | 'absent' | 'unresolved'> {
  const byTransaction = await findByTransaction(ctx, checkout, attempt, requestId);
  if (byTransaction !== 'absent' && byTransaction !== 'unanswered') return byTransaction;
  const order = await ctx.service.chargeOfOrder(checkout.merchantOrderId, requestId);
  const named = order.kind === 'accepted' ? order.body : undefined;
  const ofAnother = named !== undefined && (await isOfAnother(ctx, checkout, named));
  if (named !== undefined && !ofAnother) return { chargeId: named };
  return byTransaction === 'absent' && (ofAnother || isNotFound(order)) ? 'absent' : 'unresolved';
}

async function findByTransaction(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  { merchantTransactionId }: ChargeRequest,
  requestId: string | undefined,
): Promise<{ chargeId: string } | 'absent' | 'unresolved' | 'unanswered'> {
  const found = await ctx.service.transactions(merchantTransactionId, requestId);
  const [ours] = found.kind === 'accepted' ? found.body : [];
  if (ours === undefined) {
    return found.kind === 'accepted' || isNotFound(found) ? 'absent' : 'unanswered';
  }
  const { chargeId } = ours;
  return (await isOfAnother(ctx, checkout, chargeId)) ? 'unresolved' : { chargeId };
}

/** Ends a checkout with its charge. @returns undefined: the service did not answer */
async function endWithFound(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  attempt: ChargeRequest,
  chargeId: string,
  requestId: string | undefined,
): Promise<CheckoutRow | undefined> {
  const charge = await ctx.service.charge(chargeId, requestId);
  if (charge.kind !== 'accepted') return undefined;
  const { serviceRequestId } = charge;
  return endWithCharge(ctx, checkout.id, attempt, charge.body, { requestId, serviceRequestId });
}

/** Whether a charge is known here as that of another checkout, whose money it is then. */
export async function isOfAnother(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  chargeId: string,
): Promise<boolean> {
  const owner = await ctx.store.findCheckoutOfCharge(ctx.environment, chargeId);
  return owner !== undefined && owner.id !== checkout.id;
}

/**
 * Whether a refusal of a charge is to be doubted: something in between, or a service that lies,
 * answers 4xx after the charge was made. It is believed when neither our transaction nor a charge of
 * the order that nobody here knows is found, and looked for later, too: {@link lookForLateCharge}.
 */
export async function isDoubtful(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  attempt: ChargeRequest,
  requestId: string,
): Promise<boolean> {
  return (await findCharge(ctx, checkout, attempt, requestId)) !== 'absent';
}

function isNotFound(result: CallResult<unknown>): boolean {
  return result.kind === 'rejected' && result.status === 404;
}

/** A checkout whose companion died while confirming is shown as what it is: unknown. */
async function waitLonger(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  attempt: ChargeRequest,
): Promise<CheckoutRow> {
  if (checkout.status !== 'confirming') return checkout;
  const now = ctx.clock.now();
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: {
      status: 'unavailable',
      retrySafe: false,
      attentionAt: now + ctx.waits.firstLookMs,
      attentionTries: 0,
    },
    updateAttempt: { id: attempt.id, state: 'unknown', reason: 'interrupted' },
    ledger: chargeEntries(checkout, attempt, 'unknown'),
  });
  return current(ctx, checkout, change);
}

/** Proved: there is no charge. The same confirmation, or a new checkout, may be sent. */
async function endAsAbsent(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  attempt: ChargeRequest,
): Promise<CheckoutRow> {
  const now = ctx.clock.now();
  const attentionAt = now + ctx.waits.absenceGraceMs;
  const change = await ctx.store.changeCheckout({
    id: checkout.id,
    revision: checkout.revision,
    now,
    set: { status: 'unavailable', retrySafe: true, attentionAt, attentionTries: 0 },
    updateAttempt: { id: attempt.id, state: 'not-sent', reason: 'absent' },
    order: 'release',
    ledger: chargeEntries(checkout, attempt, 'absent'),
  });
  return current(ctx, checkout, change);
}

async function current(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  change: Awaited<ReturnType<CheckoutContext['store']['changeCheckout']>>,
): Promise<CheckoutRow> {
  if (change.kind === 'changed') {
    ctx.changed();
    return change.checkout;
  }
  return (await ctx.store.findCheckout(checkout.id)) ?? checkout;
}
