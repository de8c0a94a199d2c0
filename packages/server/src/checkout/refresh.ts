import { tryBalance } from '../charges/balance.ts';
import { chargeEntries } from '../ledger/entries.ts';
import { type Charge, settleProgress } from '../service/charges.ts';
import type { CheckoutRow } from '../store/store.ts';
import { type ChargeRequest, chargeRequest } from './charge-request.ts';
import type { CheckoutContext } from './context.ts';
import { tryAgain, write } from './reversal.ts';
import { rareLook, unlessAnswered } from './waits.ts';

/** For how long a settle is awaited that was requested with its charge, in milliseconds. */
const SETTLE_AWAITED_MS = 86_400_000;

/**
 * Takes over what the service says of the charge of an approved checkout: the shop hears of it. The
 * ledger gets the settle that was requested with the charge, once the charge shows it.
 */
export async function refreshCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  if (checkout.chargeId === undefined) return checkout;
  // Before the charge is read: an operation that settles it after this shows in the next turn.
  const { busy } = await ctx.store.chargeTurn(ctx.environment, checkout.chargeId);
  const charge = await ctx.service.charge(checkout.chargeId, requestId);
  if (charge.kind !== 'accepted') return tryAgain(ctx, checkout);
  const awaited = await awaitedSettle(ctx, checkout, checkout.chargeId);
  const isSettled = awaited !== undefined && isFullySettled(charge.body, checkout);
  const isBooked = isSettled && !busy;
  const isLookedAt = isSettled
    ? busy
    : awaited !== undefined && settleProgress(charge.body) === 'unknown';
  const set = {
    chargeState: charge.body.state,
    refundedAmount: tryBalance(charge.body, checkout.amount.currency)?.refunded,
    attentionAt: awaited && isLookedAt ? nextLook(ctx, checkout, awaited) : undefined,
  };
  // A later operation on the charge asks for attention of its own: that look is still to come.
  return write(ctx, checkout, set, {
    attentionSeen: checkout.attentionAt,
    ledger: isBooked ? settleEntries(checkout, awaited, charge.body) : [],
  });
}

/**
 * The request of a charge whose settle the ledger does not have. It has one as soon as any settle of
 * the charge is listed: also one that the back office made.
 */
async function awaitedSettle(
  { environment, settle, store }: CheckoutContext,
  { id, merchantOrderId }: CheckoutRow,
  chargeId: string,
): Promise<ChargeRequest | undefined> {
  const request = chargeRequest({ settle }, await store.findAttempts(id));
  if (request?.settle !== true) return undefined;
  const query = { environment, merchantOrderId, after: 0, limit: 1_000 };
  const settles = new Map<string, boolean>();
  for (const entry of await store.ledgerEntries(query)) {
    if (entry.type !== 'Settle' || entry.chargeId !== chargeId) continue;
    settles.set(entry.merchantTransactionId, entry.state !== 'absent');
  }
  return [...settles.values()].some(Boolean) ? undefined : request;
}

function isFullySettled(charge: Charge, { amount }: CheckoutRow): boolean {
  const balance = tryBalance(charge, amount.currency);
  return balance !== undefined && balance.settled > 0 && balance.settled === balance.authorized;
}

function settleEntries(checkout: CheckoutRow, request: ChargeRequest, charge: Charge) {
  const entries = chargeEntries(checkout, request, 'accepted', charge, checkout.charged);
  return entries.filter(({ type }) => type === 'Settle');
}

/** Soon at first, then ever more rarely, for a day. */
function nextLook(
  ctx: CheckoutContext,
  { attentionTries }: CheckoutRow,
  { createdAt }: ChargeRequest,
): number | undefined {
  return unlessAnswered(ctx, attentionTries, rareLook(ctx, createdAt, SETTLE_AWAITED_MS));
}
