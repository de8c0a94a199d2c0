import type { CheckoutRow } from '../store/store.ts';
import { applicationOf } from './application-status.ts';
import { type ChargeRequest, MAX_SENT } from './charge-request.ts';
import type { CheckoutContext } from './context.ts';
import { recordRepeat } from './held-request.ts';
import { sha256 } from '../platform/id.ts';
import { createCharge } from './sending.ts';
import { answerInTime } from './under-way.ts';

/**
 * Sends a request again whose charge the service does not have, where the application still holds
 * the confirmation token: the process that had it has died, or has given up. The token is not kept
 * here; its hash proves that it is the one that the shopper confirmed with.
 * @returns undefined when the token cannot be had, or the request was sent often enough
 */
export async function repeatRequest(
  ctx: CheckoutContext,
  checkout: CheckoutRow,
  last: ChargeRequest,
  requestId: string | undefined,
): Promise<CheckoutRow | undefined> {
  if (last.sent >= MAX_SENT) return undefined;
  const application = await applicationOf(ctx, checkout, requestId);
  const confirmationToken = application?.confirmationToken;
  if (confirmationToken === undefined) return undefined;
  const hash = await sha256(`${checkout.id} ${confirmationToken}`);
  if (hash !== checkout.confirmationHash) return undefined;
  const reason = last.reason ?? 'interrupted';
  const request = await recordRepeat(ctx, checkout, last, { reason, requestId });
  if (request === undefined) return ctx.store.findCheckout(checkout.id);
  const claim = {
    before: checkout,
    request,
    confirmationToken,
    isRepeated: true,
    isUnknown: true,
    sendBefore: request.createdAt + ctx.waits.leaseMs / 2,
  };
  return answerInTime(ctx, checkout.id, createCharge(ctx, claim, requestId));
}
