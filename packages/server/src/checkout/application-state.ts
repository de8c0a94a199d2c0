import type { Outcome } from '@financing-checkout/contract';
import { ProblemError } from '../platform/problem.ts';
import { type Application, isConfirmed, isPending } from '../service/application.ts';
import type { CallContext } from '../service/exchange.ts';
import type { PageReads } from '../service/page-reads.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';
import { applicationOfLink } from './link-application.ts';

/**
 * Returns the outcome of a checkout without a charge that the shopper left, from its application at the
 * service (reference: Checkout Management). Without a state the shopper chose no lender; an unknown
 * state does not contradict that the shopper left.
 */
export function outcomeOf(application: Application): Outcome {
  const { status } = application;
  if (status === 'Declined') return 'declined';
  if (status === 'Expired') return 'expired';
  if (isConfirmed(application) || isPending(application)) return 'pending';
  return 'cancelled';
}

const unknownApplication: Application = {
  status: undefined,
  confirmationToken: undefined,
  financialProductType: undefined,
};

/** What a read needs: `service` is the client, or the {@link CheckoutContext}'s shared reads. */
interface ReadContext extends Pick<CheckoutContext, 'store'> {
  service: Pick<PageReads, 'application' | 'link'>;
}

/**
 * Reads the application of a checkout at the service. All fields are undefined when the service does not
 * know the application or refuses to show it.
 * @returns undefined when the service did not answer
 */
export async function readApplication(
  ctx: ReadContext,
  checkout: Pick<CheckoutRow, 'id' | 'applicationId' | 'confirmationHash' | 'via'>,
  context: CallContext,
): Promise<Application | undefined> {
  const { applicationId } = checkout;
  if (checkout.via === 'link') return readApplicationOfLink(ctx, checkout, context);
  if (applicationId === undefined) return unknownApplication;
  const result = await ctx.service.application(applicationId, context);
  if (result.kind === 'accepted') return result.body;
  return result.kind === 'rejected' ? unknownApplication : undefined;
}

/** Does {@link readApplication} for the checkout of a link. */
async function readApplicationOfLink(
  ctx: ReadContext,
  checkout: Pick<CheckoutRow, 'id' | 'confirmationHash'>,
  context: CallContext,
): Promise<Application | undefined> {
  const linkId = (await ctx.store.findLink(checkout.id))?.linkId;
  if (linkId === undefined) return unknownApplication;
  const result = await ctx.service.link(linkId, context);
  if (result.kind === 'accepted') return applicationOfLink(checkout, result.body);
  return result.kind === 'rejected' ? unknownApplication : undefined;
}

/**
 * Returns whether the service states that the shopper has confirmed an offer.
 * A page may ask about an expired checkout with any token, as often as it likes.
 * @throws {ProblemError} `service-unavailable` when it does not answer
 */
export async function isApproved(
  ctx: CheckoutContext,
  { applicationId }: CheckoutRow,
  requestId: string,
): Promise<boolean> {
  if (applicationId === undefined) return false;
  const result = await ctx.pageReads.application(applicationId, {
    priority: 'checkout',
    requestId,
  });
  if (result.kind === 'accepted') return isConfirmed(result.body);
  if (result.kind === 'rejected') return false;
  throw serviceUnavailable(result.retryAfterMs, result.serviceRequestId);
}

/** Returns the problem of a request that did nothing because the service did not answer. */
export function serviceUnavailable(retryAfterMs = 2_000, serviceRequestId?: string): ProblemError {
  return new ProblemError('service-unavailable', {
    detail: 'Nothing was done. Try again in a moment.',
    retrySafe: true,
    serviceRequestId,
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
  });
}
