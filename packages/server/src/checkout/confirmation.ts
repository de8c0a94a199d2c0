import { randomId } from '../platform/id.ts';
import { ProblemError } from '../platform/problem.ts';
import { serviceUnavailable } from '../service/problem.ts';
import { isPastGrace } from '../service/timing.ts';
import type { CheckoutRow } from '../store/store.ts';
import { confirmationHash, isApproved } from './application.ts';
import { refuseAboveRefusals } from './budgets.ts';
import { type ChargeClaim, createCharge } from './charge-creation.ts';
import { endWithChargeId, findCharge } from './charge-outcome.ts';
import { lastChargeRequest, recordOf } from './charge-request.ts';
import { findCheckout } from './checkout.ts';
import type { CheckoutContext } from './context.ts';
import { type CurrentOrder, refuseChangedOrder } from './order.ts';

interface ConfirmationInput {
  checkoutId: string;
  confirmationToken: string;
  requestId: string;
  current?: CurrentOrder;
  /**
   * Whether the token comes from the service itself. Such a token also confirms a checkout that has
   * expired here, because the shopper approved in time. If a page sends a token after the
   * expiration, the companion asks the service: the service reports the same approval on its own,
   * and the page must not show a refusal just before the charge is created.
   */
  byService?: boolean;
}

/**
 * Creates the charge of a checkout, at most once: the confirmation claims the checkout and its
 * merchant order in one transaction, and the attempt is written to disk before it is sent.
 * @returns the checkout: `confirming` while the service is working, `unavailable` while the outcome
 *   is unknown
 * @throws {ProblemError} `checkout-not-found`, `checkout-not-open`, `rate-limited`, and service
 *   failures after which provably nothing was done
 */
export async function confirmCheckout(
  ctx: CheckoutContext,
  input: ConfirmationInput,
): Promise<CheckoutRow> {
  const hash = await confirmationHash(input.checkoutId, input.confirmationToken);
  const claim = await claimCharge(ctx, input, hash);
  return 'current' in claim ? claim.current : createCharge(ctx, claim, input.requestId);
}

async function claimCharge(
  ctx: CheckoutContext,
  { checkoutId, confirmationToken, current, byService, requestId }: ConfirmationInput,
  hash: string,
): Promise<ChargeClaim | { current: CheckoutRow }> {
  for (;;) {
    const before = await findCheckout(ctx, checkoutId);
    if (before.via === 'link' && byService !== true) {
      throw new ProblemError('checkout-not-open', {
        detail: 'The shopper confirms this checkout on the device that has opened its link.',
      });
    }
    const isRepeated = before.confirmationHash !== undefined;
    if (isRepeated && before.confirmationHash !== hash) {
      throw new ProblemError('checkout-not-open', {
        detail: 'It was already confirmed with another confirmation token.',
      });
    }
    if (!(await isConfirmable(ctx, before, { byService, requestId }))) {
      if (isRepeated) return { current: before };
      throw new ProblemError('checkout-not-open', {
        detail: 'The checkout has ended: start a new one.',
        retrySafe: true,
      });
    }
    if (current && (await refuseChangedOrder(ctx, before, current))) continue;
    if (byService === true && before.orderChanged) {
      throw new ProblemError('order-changed', {
        detail: 'The page has reported that the order has changed.',
      });
    }
    // A confirmation from the service proves that a loan exists, so no budget applies to it.
    if (byService !== true) await refuseAboveRefusals(ctx, before);
    await findRefusedCharges(ctx, before, requestId);
    const last = isRepeated ? await lastChargeRequest(ctx, before.id) : undefined;
    // A repeated confirmation is the same request to the service, so it keeps its transaction id.
    const merchantTransactionId = last?.merchantTransactionId ?? randomId('txn');
    const now = ctx.clock.now();
    const settle = ctx.settle === 'on-approval';
    const request = { id: randomId('att'), merchantTransactionId, settle };
    const { set, insertAttempt } = recordOf(ctx, now, checkoutId, { ...request, requestId });
    const result = await ctx.store.changeCheckout({
      id: checkoutId,
      revision: before.revision,
      now,
      set: { ...set, status: 'confirming', retrySafe: undefined, confirmationHash: hash },
      order: 'claim',
      insertAttempt,
    });
    if (result.kind === 'order-taken') {
      throw new ProblemError('checkout-not-open', {
        detail: 'Another checkout has created, or is creating, the charge of this order.',
      });
    }
    // Stale: a concurrent confirmation, cancellation or expiration came first.
    if (result.kind === 'stale') continue;
    ctx.changed();
    const sent = (last?.sent ?? 0) + 1;
    return {
      before,
      request: { ...request, createdAt: now, sent, isListed: false, reason: undefined },
      confirmationToken,
      isRepeated,
      isUnknown: false,
    };
  }
}

/** Returns whether a confirmation may create the charge of a checkout in its current state. */
async function isConfirmable(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  { byService, requestId }: Pick<ConfirmationInput, 'byService' | 'requestId'>,
): Promise<boolean> {
  const { status, expiresAt, retrySafe } = checkout;
  const isRepeated = checkout.confirmationHash !== undefined;
  if (status === 'open' && ctx.clock.now() < expiresAt) return true;
  if (status === 'open' || (status === 'expired' && !isRepeated)) {
    return byService === true || (await isApproved(ctx, checkout, requestId));
  }
  if (status === 'pending') return !isRepeated;
  // The earlier request provably created no charge.
  return status === 'unavailable' && retrySafe === true && isRepeated;
}

/**
 * Looks up a recently refused charge of an order once more before the order is charged again,
 * because the order could otherwise get two charges. There is no lookup while another checkout
 * holds the order: this checkout cannot charge it then, and a charge of the order may belong to the
 * other checkout.
 *
 * The lookup takes two calls, however many charges were refused: our transaction id finds the last
 * one, and the order's charge is the one that any of them created.
 * @throws {ProblemError} `checkout-not-open` when the service returns a charge of the order that is
 * not in this store, and `service-unavailable` when the service does not respond
 */
async function findRefusedCharges(
  ctx: CheckoutContext,
  { id, environment, merchantOrderId }: CheckoutRow,
  requestId: string,
): Promise<void> {
  const { store } = ctx;
  const order = { environment, merchantOrderId };
  const [last] = await store.refusedCheckoutsOfOrder(order, 0, 1);
  if (last === undefined || last.id === id || isPastGrace(ctx, last.updatedAt)) return;
  if (await store.isOrderTaken(environment, merchantOrderId)) return;
  const request = await lastChargeRequest(ctx, last.id);
  if (request === undefined) return;
  const found = await findCharge(ctx, last, request, { priority: 'refusal', requestId });
  if (typeof found === 'object') {
    await endWithChargeId(ctx, last, request, found.chargeId, requestId);
  }
  if (found === 'unresolved') throw serviceUnavailable();
  if (found === 'not-ours') {
    throw new ProblemError('checkout-not-open', {
      detail: 'The service has a charge of this order that this companion did not create.',
    });
  }
}
