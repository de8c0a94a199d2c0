import { tryBalance } from '../charges/balance.ts';
import { chargeEntries } from '../charges/ledger-entries.ts';
import { type Charge, settleProgress } from '../service/charges.ts';
import { nextPollUnanswered, nextRarePoll } from '../service/timing.ts';
import type { CheckoutRow } from '../store/store.ts';
import { type ChargeRequest, lastChargeRequest } from './charge-request.ts';
import { changeCheckout, pollLater } from './checkout.ts';
import type { CheckoutContext } from './context.ts';

/** How long a settle that was requested with its charge is awaited, in milliseconds. */
const SETTLE_AWAITED_MS = 86_400_000;

/**
 * Records the current state of an approved checkout's charge, for the shop. The ledger gets the settle
 * that was requested with the charge once the charge shows it.
 */
export async function refreshCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const { amount, attentionTries, chargeId } = checkout;
  if (chargeId === undefined) return checkout;
  // Before the charge is read: an operation that settles it later shows in the next turn.
  const { busy } = await ctx.store.chargeTurn(ctx.environment, chargeId);
  // The money has moved: only the shop's record waits for the answer.
  const answer = await ctx.service.charge(chargeId, { priority: 'checkout', requestId });
  if (answer.kind !== 'accepted') return pollLater(ctx, checkout);
  const charge = answer.body;
  const awaited = await findAwaitedSettle(ctx, checkout, chargeId);
  const isSettled = awaited !== undefined && isFullySettled(charge, checkout);
  const isPolled = isSettled ? busy : settleProgress(charge) === 'unknown';
  const nextPoll =
    awaited && isPolled ? nextRarePoll(ctx, awaited.createdAt, SETTLE_AWAITED_MS) : undefined;
  return changeCheckout(ctx, checkout, {
    set: {
      chargeState: charge.state,
      refundedAmount: tryBalance(charge, amount.currency)?.refunded,
      attentionAt: nextPollUnanswered(ctx, attentionTries, nextPoll),
    },
    // A later operation on the charge sets its own time of attention: that poll is still due.
    attentionSeen: checkout.attentionAt,
    ledger: isSettled && !busy ? settleEntries(checkout, awaited, charge) : [],
  });
}

/**
 * Returns the request of a charge whose settle the ledger does not list. Any settle of the charge
 * counts, also one from the back office.
 */
async function findAwaitedSettle(
  ctx: CheckoutContext,
  { id, environment, merchantOrderId }: CheckoutRow,
  chargeId: string,
): Promise<ChargeRequest | undefined> {
  const request = await lastChargeRequest(ctx, id);
  if (request?.settle !== true) return undefined;
  const query = { environment, merchantOrderId, after: 0, limit: 1_000 };
  const settles = new Map<string, boolean>();
  for (const entry of await ctx.store.ledgerEntries(query)) {
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
