import type { AmountDifference } from '@financing-checkout/contract/back-office';
import { isReturned, tryBalance } from '../charges/balance.ts';
import { raiseAlarm } from '../charges/context.ts';
import { chargeEntries } from '../charges/ledger-entries.ts';
import { pendingColumns } from '../charges/lookup.ts';
import { randomId } from '../platform/id.ts';
import {
  type Charge,
  chargeDifference,
  chargedAmount,
  settleProgress,
} from '../service/charges.ts';
import type { CallContext } from '../service/exchange.ts';
import { isNotFound } from '../service/result.ts';
import { nextPollUnanswered, nextRarePoll } from '../service/timing.ts';
import type { CheckoutRow, PendingOperation } from '../store/store.ts';
import { type ChargeRequest, lastChargeRequest } from './charge-request.ts';
import { type Change, changeCheckout, findCheckout, pollLater, stopPolling } from './checkout.ts';
import type { CheckoutContext } from './context.ts';
import { reverseCharge } from './reversal.ts';

/**
 * - `chargeId`: a transaction with our id identifies the charge, so the charge is ours.
 * - `absent`: the service has no charge for this request.
 * - `not-ours`: the service has no transaction with our id and returns a charge of the order that
 *   is not in this store. That proves nothing: another of the merchant's systems may have created
 *   the charge.
 * - `unresolved`: the service did not respond, or returned a charge of another checkout.
 */
type FoundCharge = { chargeId: string } | 'absent' | 'not-ours' | 'unresolved';

/**
 * Looks up the charge of a request first by our transaction id, which is exact, then by the order.
 * The charge is absent only when neither lookup finds it, or when the order's charge belongs to
 * another checkout.
 */
export async function findCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
  context: CallContext,
): Promise<FoundCharge> {
  const byTransaction = await findByTransaction(ctx, checkout, request, context);
  if (byTransaction === 'unanswered') return 'unresolved';
  if (byTransaction !== 'absent') return byTransaction;
  const order = await ctx.service.chargeOfOrder(checkout.merchantOrderId, context);
  if (order.kind !== 'accepted') return isNotFound(order) ? 'absent' : 'unresolved';
  const owner = await ctx.store.findCheckoutOfCharge(ctx.environment, order.body);
  if (owner === undefined) return 'not-ours';
  return owner.id === checkout.id ? { chargeId: order.body } : 'absent';
}

/** Looks up the charge of a request by our transaction id only. */
export async function findByTransaction(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  { merchantTransactionId }: ChargeRequest,
  context: CallContext,
): Promise<{ chargeId: string } | 'absent' | 'unresolved' | 'unanswered'> {
  const found = await ctx.service.transaction(merchantTransactionId, context);
  if (found.kind !== 'accepted') return isNotFound(found) ? 'absent' : 'unanswered';
  const { chargeId } = found.body;
  return (await isOfAnotherCheckout(ctx, checkout, chargeId)) ? 'unresolved' : { chargeId };
}

/** Returns whether a charge pays for another checkout of this store. */
export async function isOfAnotherCheckout(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  chargeId: string,
): Promise<boolean> {
  const owner = await ctx.store.findCheckoutOfCharge(ctx.environment, chargeId);
  return owner !== undefined && owner.id !== checkout.id;
}

/**
 * Looks up the charge of a request and ends its checkout with it.
 * @returns the checkout, or the result of the lookup if it did not find the charge
 */
export async function endIfFound(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
  context: CallContext,
): Promise<CheckoutRow | Exclude<FoundCharge, object>> {
  const found = await findCharge(ctx, checkout, request, context);
  if (typeof found === 'string') return found;
  const ended = await endWithChargeId(ctx, checkout, request, found.chargeId, context.requestId);
  return ended ?? 'unresolved';
}

/**
 * Reads a charge and ends its checkout with it.
 * @returns undefined when the service did not respond
 */
export async function endWithChargeId(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
  chargeId: string,
  requestId: string | undefined,
): Promise<CheckoutRow | undefined> {
  const charge = await ctx.service.charge(chargeId, { priority: 'charge', requestId });
  if (charge.kind !== 'accepted') return undefined;
  const { serviceRequestId } = charge;
  return endWithCharge(ctx, checkout.id, request, charge.body, { requestId, serviceRequestId });
}

/**
 * Ends a checkout whose charge exists: approved when the charge is the primed amount for the primed
 * order and the shopper still owes it. A checkout with any other charge fails, and the charge is
 * reversed. Without that check, the confirmation token of a cheap order could pay for an expensive
 * one.
 */
export async function endWithCharge(
  ctx: CheckoutContext,
  checkoutId: string,
  request: ChargeRequest,
  charge: Charge,
  { requestId, serviceRequestId }: { requestId?: string; serviceRequestId?: string },
): Promise<CheckoutRow> {
  let isAlarmRaised = false;
  for (;;) {
    const checkout = await findCheckout(ctx, checkoutId);
    if (!isUndecided(checkout, charge)) return checkout;
    const match = await matchCharge(ctx, checkout, charge, requestId);
    // This outcome is already recorded.
    if (match.kind === 'unverified' && checkout.status === 'pending') return checkout;
    if (match.kind === 'mismatch' && !isAlarmRaised) {
      // Must precede the write: if this process dies afterward, the next one finds the checkout
      // already failed.
      isAlarmRaised = true;
      const { reason } = match;
      const fields = { security: true, requestId, serviceRequestId, checkoutId, reason };
      raiseAlarm(ctx, 'charge-mismatch', fields);
    }
    const { set, ...rest } = endBy(ctx, checkout, request, charge, match);
    const columns = { retrySafe: undefined, chargeId: charge.id, chargeState: stateOf(charge) };
    // Only the charge identifies the application of a link, and notifications refer only to the
    // application.
    if (checkout.via === 'link') Object.assign(columns, { applicationId: charge.applicationId });
    const charged = match.kind === 'match' ? match.charged : undefined;
    const result = await ctx.store.changeCheckout({
      id: checkoutId,
      revision: checkout.revision,
      now: ctx.clock.now(),
      set: { ...columns, ...set, attentionTries: 0 },
      ...rest,
      updateAttempt: { id: request.id, state: 'accepted', serviceRequestId },
      ledger: chargeEntries(checkout, request, 'accepted', charge, charged),
    });
    if (result.kind === 'stale') continue;
    if (result.kind === 'order-taken') return reportSecondCharge(ctx, checkout, requestId);
    ctx.changed();
    return match.kind === 'mismatch'
      ? reverseCharge(ctx, result.checkout, requestId)
      : result.checkout;
  }
}

/** Returns the part of a change that ends a checkout, based on the comparison with its charge. */
function endBy(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  request: ChargeRequest,
  charge: Charge,
  match: ChargeMatch,
): Pick<Change, 'set' | 'order' | 'insertPending'> {
  const { clock, timing } = ctx;
  const pollAt = clock.now() + timing.firstPollMs;
  switch (match.kind) {
    case 'match': {
      // A settle that may still follow, or may have failed, is polled until it appears.
      const isSettleUnknown = request.settle && settleProgress(charge) === 'unknown';
      const attentionAt = isSettleUnknown ? pollAt : undefined;
      return {
        set: { status: 'approved', charged: match.charged, attentionAt },
        order: 'claim',
        insertPending: pendingSettle(ctx, checkout, request, charge),
      };
    }
    case 'unverified':
      return {
        set: { status: 'pending', charged: undefined, attentionAt: pollAt },
        order: 'claim',
      };
    case 'returned':
      return { set: { status: 'failed', attentionAt: undefined }, order: 'release' };
    case 'mismatch':
      // While the wrong charge may exist, the order must not get a second one. If this process dies
      // here, the checkout is due when its lease ends.
      return { set: { status: 'failed', attentionAt: clock.now() + timing.leaseMs } };
  }
}

/**
 * Returns whether a charge can still decide a checkout. A charge that the service returns counts
 * even after the companion recorded it as absent or refused.
 */
function isUndecided(checkout: CheckoutRow, charge: Charge): boolean {
  const { status, chargeId } = checkout;
  if (status === 'pending') return chargeId === charge.id;
  return status === 'confirming' || status === 'unavailable' || isRefused(checkout);
}

/**
 * Returns whether a checkout ended because its charge was refused. The service had no such charge
 * at that time, but it may have created the charge anyway and return it later.
 */
export function isRefused({ status, chargeId }: CheckoutRow): boolean {
  return status === 'failed' && chargeId === undefined;
}

/**
 * Returns the state of a charge for the shop. The creation response states `Authorized` and reports
 * separately that the whole settle is done.
 */
function stateOf({ state, settleTransactionState }: Charge): string {
  const isSettled = state === 'Authorized' && settleTransactionState === 'Completed';
  return isSettled ? 'Settled' : state;
}

/**
 * - `match`: the charge has the primed order and the primed amount, or a lower amount for an
 *   accepted reason.
 * - `returned`: the shopper owes nothing on the charge.
 * - `unverified`: the charge is lower than the order total by the sales tax, and the offer that may
 *   explain the difference cannot be read.
 * - `mismatch`: the charge has a different amount or a different order.
 */
type ChargeMatch =
  | { kind: 'match'; charged: AmountDifference | undefined }
  | { kind: 'returned' }
  | { kind: 'unverified' }
  | { kind: 'mismatch'; reason: 'amount' | 'merchant-order' };

/** A lease-to-own lender buys the goods and charges no sales tax (reference: Charge API). */
const LEASE_TO_OWN = 'LeaseToOwn';

async function matchCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  charge: Charge,
  requestId: string | undefined,
): Promise<ChargeMatch> {
  const { currency } = checkout.amount;
  if (isReturned(charge, currency)) return { kind: 'returned' };
  const reason = chargeDifference(charge, checkout);
  if (reason === undefined) return { kind: 'match', charged: undefined };
  const amount = chargedAmount(charge, currency);
  if (reason !== 'amount' || amount === undefined || !excludesTax(checkout, amount.value)) {
    return { kind: 'mismatch', reason };
  }
  const applicationId = charge.applicationId ?? checkout.applicationId;
  if (applicationId === undefined) return { kind: 'unverified' };
  const context = { priority: 'charge', requestId } as const;
  const application = await ctx.service.application(applicationId, context);
  const product =
    application.kind === 'accepted' ? application.body.financialProductType : undefined;
  if (product === undefined) return { kind: 'unverified' };
  if (product !== LEASE_TO_OWN) return { kind: 'mismatch', reason };
  return { kind: 'match', charged: { amount, reason: 'lease-to-own-sales-tax' } };
}

/**
 * Returns whether a charge is lower than the order total by exactly the sales tax, including or
 * excluding the tax on shipping.
 */
function excludesTax(
  { amount, taxAmount, shippingTaxAmount }: CheckoutRow,
  charged: number,
): boolean {
  const difference = amount.value - charged;
  return (
    difference > 0 && (difference === taxAmount || difference === taxAmount + shippingTaxAmount)
  );
}

/**
 * Returns the settle that was requested with a charge if the service has accepted but not completed
 * the settle. It is tracked like a separately requested settle, because it may still fail.
 */
function pendingSettle(
  ctx: CheckoutContext,
  { environment, merchantOrderId, amount }: CheckoutRow,
  { id, merchantTransactionId, createdAt, settle }: ChargeRequest,
  charge: Charge,
): PendingOperation | undefined {
  if (!settle || settleProgress(charge) !== 'pending') return undefined;
  return {
    id: randomId('opr'),
    environment,
    chargeId: charge.id,
    merchantOrderId,
    kind: 'settle',
    amount: chargedAmount(charge, amount.currency) ?? amount,
    merchantTransactionId,
    // The space prevents collisions with client keys.
    key: `settle with ${id}`,
    fingerprint: '',
    progressBefore: 0,
    lenderReferenceId: charge.lenderSettleReferenceId,
    sentAt: createdAt,
    ...pendingColumns(ctx),
  };
}

/**
 * Reports a charge that appears after another checkout took over its order, so that the order has
 * two charges. Manual action is needed; the checkout is not approved.
 */
function reportSecondCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  const checkoutId = checkout.id;
  const fields = { security: true, requestId, checkoutId, reason: 'order-taken' };
  raiseAlarm(ctx, 'charge-doubled', fields);
  // The report is made once, unless this process dies here: the next poll would then repeat it.
  return stopPolling(ctx, checkout);
}

/** How long to wait for a settle that was requested with its charge, in milliseconds. */
const SETTLE_AWAITED_MS = 86_400_000;

/**
 * Records the current state of an approved checkout's charge, for the shop. The settle that was
 * requested with the charge enters the ledger once the charge shows it.
 */
export async function refreshCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId?: string,
): Promise<CheckoutRow> {
  const { amount, attentionTries, chargeId } = checkout;
  if (chargeId === undefined) return checkout;
  // Must precede the read of the charge: an operation that settles the charge later is then picked
  // up by the next poll.
  const { busy } = await ctx.store.chargeTurn(ctx.environment, chargeId);
  // The money has moved: only the shop's record still depends on the response.
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
    // A later operation on the charge sets its own attention time, so that poll is still due.
    attentionSeen: checkout.attentionAt,
    ledger: isSettled && !busy ? settleEntries(checkout, awaited, charge) : [],
  });
}

/**
 * Returns the request of a charge whose settle the ledger does not list. Any settle of the charge
 * counts, including one from the back office.
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
