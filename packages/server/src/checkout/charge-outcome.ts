import type { AmountDifference } from '@financing-checkout/contract';
import { isReturned } from '../charges/balance.ts';
import { chargeEntries } from '../charges/ledger-entries.ts';
import { pendingColumns } from '../charges/outcome.ts';
import { randomId } from '../platform/id.ts';
import {
  type Charge,
  chargeDifference,
  chargedAmount,
  settleProgress,
} from '../service/charges.ts';
import type { PendingOperation } from '../store/pending-operations.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { ChargeRequest } from './charge-request.ts';
import { changeCheckout, findCheckout } from './checkout.ts';
import type { CheckoutContext } from './context.ts';
import { reverseCharge } from './reversal.ts';

/** Reads a charge and ends its checkout with it. @returns undefined when the service did not answer */
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
 * reversed. Without that check, the token of a cheap order would pay for an expensive one.
 */
export async function endWithCharge(
  ctx: CheckoutContext,
  checkoutId: string,
  request: ChargeRequest,
  charge: Charge,
  ids: { requestId?: string | undefined; serviceRequestId?: string | undefined },
): Promise<CheckoutRow> {
  let isAlarmRaised = false;
  for (;;) {
    const checkout = await findCheckout(ctx, checkoutId);
    if (!isUndecided(checkout, charge)) return checkout;
    const match = await matchCharge(ctx, checkout, charge, ids.requestId);
    // Already recorded: nothing has changed.
    if (match.kind === 'unverified' && checkout.status === 'pending') return checkout;
    const charged = match.kind === 'match' ? match.charged : undefined;
    const now = ctx.clock.now();
    const columns = { retrySafe: undefined, chargeId: charge.id, chargeState: stateOf(charge) };
    // Only its charge names the application of a link, and notifications name only that.
    if (checkout.via === 'link') Object.assign(columns, { applicationId: charge.applicationId });
    const common = {
      id: checkoutId,
      revision: checkout.revision,
      now,
      updateAttempt: {
        id: request.id,
        state: 'accepted' as const,
        serviceRequestId: ids.serviceRequestId,
      },
      ledger: chargeEntries(checkout, request, 'accepted', charge, charged),
    };

    if (match.kind === 'match' || match.kind === 'unverified') {
      const isMatch = match.kind === 'match';
      // A settle that may still follow, or may have failed, is polled until it shows.
      const isSettleUnknown = request.settle && settleProgress(charge) === 'unknown';
      const result = await ctx.store.changeCheckout({
        ...common,
        set: {
          ...columns,
          status: isMatch ? 'approved' : 'pending',
          charged,
          attentionAt: !isMatch || isSettleUnknown ? now + ctx.timing.firstPollMs : undefined,
          attentionTries: 0,
        },
        order: 'claim',
        insertPending: isMatch ? pendingSettle(ctx, checkout, request, charge) : undefined,
      });
      if (result.kind === 'stale') continue;
      if (result.kind === 'order-taken') return reportSecondCharge(ctx, checkout, ids.requestId);
      ctx.changed();
      return result.checkout;
    }
    const isDone = match.kind === 'returned';
    if (match.kind === 'mismatch' && !isAlarmRaised) {
      // Before the record: if this process dies, the next one finds the checkout failed.
      isAlarmRaised = true;
      ctx.counters.increment('charge-mismatch');
      ctx.logger.log('error', 'charge-mismatch', {
        security: true,
        requestId: ids.requestId,
        serviceRequestId: ids.serviceRequestId,
        checkoutId,
        reason: match.reason,
      });
    }
    // While the wrong charge may exist, the order must not get a second one. If this process dies here,
    // the checkout is due when its lease ends.
    const result = await ctx.store.changeCheckout({
      ...common,
      set: {
        ...columns,
        status: 'failed',
        attentionAt: isDone ? undefined : now + ctx.timing.leaseMs,
        attentionTries: 0,
      },
      order: isDone ? 'release' : undefined,
    });
    if (result.kind !== 'changed') continue;
    ctx.changed();
    return isDone ? result.checkout : reverseCharge(ctx, result.checkout, ids.requestId);
  }
}

/**
 * Returns whether a charge can still decide a checkout. A charge that the service shows counts, also
 * after the companion recorded it as absent or refused.
 */
function isUndecided(checkout: CheckoutRow, charge: Charge): boolean {
  const { status, chargeId } = checkout;
  if (status === 'pending') return chargeId === charge.id;
  return status === 'confirming' || status === 'unavailable' || isRefused(checkout);
}

/**
 * Returns whether a checkout ended because its charge was refused. The service knew no such charge
 * then; it may have created the charge anyway and show it later.
 */
export function isRefused({ status, chargeId }: CheckoutRow): boolean {
  return status === 'failed' && chargeId === undefined;
}

/**
 * Returns the state of a charge for the shop. The answer to the creation states `Authorized`, and
 * separately that the whole settle is done.
 */
function stateOf({ state, settleTransactionState }: Charge): string {
  const isSettled = state === 'Authorized' && settleTransactionState === 'Completed';
  return isSettled ? 'Settled' : state;
}

/**
 * - `match`: the charge is the primed amount for the primed order, or less for an accepted reason.
 * - `returned`: the shopper owes nothing of it.
 * - `unverified`: it is less than the order by the sales tax, and the offer that may explain it cannot
 *   be read.
 * - `mismatch`: it has another amount, or another order.
 */
type ChargeMatch =
  | { kind: 'match'; charged: AmountDifference | undefined }
  | { kind: 'returned' }
  | { kind: 'unverified' }
  | { kind: 'mismatch'; reason: 'amount' | 'merchant-order' };

/** A lease-to-own lender buys the goods and charges no sales tax (reference: Charge API). */
const LEASE_TO_OWN = 'LeaseToOwn';

/** Compares a charge with the primed order. */
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
  const application = await ctx.service.application(applicationId, {
    priority: 'charge',
    requestId,
  });
  const product =
    application.kind === 'accepted' ? application.body.financialProductType : undefined;
  if (product === undefined) return { kind: 'unverified' };
  if (product !== LEASE_TO_OWN) return { kind: 'mismatch', reason };
  return { kind: 'match', charged: { amount, reason: 'lease-to-own-sales-tax' } };
}

/** Returns whether a charge is less than the order by exactly its sales tax, with or without shipping's. */
function excludesTax(
  { amount, taxAmount, shippingTaxAmount }: CheckoutRow,
  charged: number,
): boolean {
  const tax = taxAmount ?? 0;
  const difference = amount.value - charged;
  return difference > 0 && (difference === tax || difference === tax + (shippingTaxAmount ?? 0));
}

/**
 * Returns the settle that was requested with a charge when the service has accepted but not completed
 * it. It is followed like a settle that was requested by itself, because it may still fail.
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
    // The space keeps it apart from each client's key.
    key: `settle with ${id}`,
    fingerprint: '',
    progressBefore: 0,
    lenderReferenceId: charge.lenderSettleReferenceId,
    sentAt: createdAt,
    ...pendingColumns(ctx),
  };
}

/**
 * Reports a charge that shows after another checkout took over its order: one order has two charges. A
 * person must act; the checkout is not approved.
 */
function reportSecondCharge(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  requestId: string | undefined,
): Promise<CheckoutRow> {
  ctx.counters.increment('charge-doubled');
  ctx.logger.log('error', 'charge-doubled', {
    security: true,
    requestId,
    checkoutId: checkout.id,
    reason: 'order-taken',
  });
  // The report appears once unless this process dies here: the next poll would repeat it.
  return changeCheckout(ctx, checkout, { set: { attentionAt: undefined } });
}
