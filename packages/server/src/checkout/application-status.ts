import type { Outcome } from '@financing-checkout/contract';
import { ProblemError } from '../platform/problem.ts';
import type { Application } from '../service/applications.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/** States in which the shopper has confirmed an offer. */
const confirmed = new Set(['Approved', 'Authorized']);
const over = new Set(['Declined', 'Expired', 'Cancelled']);
const waiting = new Set(['New', 'CheckoutInProgress', 'Prequalified']);

/** Returns whether an application has ended without a loan. */
export function isOver({ status }: Application): boolean {
  return status !== undefined && over.has(status);
}

/** Returns whether an application waits for the shopper. */
export function waitsForShopper({ status, confirmationToken }: Application): boolean {
  return confirmationToken === undefined && status !== undefined && waiting.has(status);
}

/** Returns whether the service says that the shopper confirmed an offer. */
export function isConfirmed(application: Application): boolean {
  const { status, confirmationToken } = application;
  if (isOver(application)) return false;
  return confirmationToken !== undefined || (status !== undefined && confirmed.has(status));
}

/** Returns whether an application waits for a lender, or for something that the shopper sends later. */
export function isPendingApplication({ status }: Application): boolean {
  return status?.startsWith('Pending') ?? false;
}

/**
 * Returns the outcome of a checkout that has no charge and that the shopper left, by its application
 * at the service (reference: Checkout Management). Without a state no lender was chosen; an unknown
 * state says nothing against the shopper having left.
 */
export function outcomeOfApplication(application: Application): Outcome {
  const { status } = application;
  if (status === 'Declined') return 'declined';
  if (status === 'Expired') return 'expired';
  if (isConfirmed(application) || isPendingApplication(application)) return 'pending';
  return 'cancelled';
}

const nothing: Application = {
  status: undefined,
  confirmationToken: undefined,
  financialProductType: undefined,
};

/**
 * Reads the application of a checkout at the service. One that the service refuses to show, or that
 * there is not, says nothing.
 * @returns undefined when the service did not answer
 */
export async function applicationOf(
  ctx: CheckoutContext,
  { applicationId }: Pick<CheckoutRow, 'applicationId'>,
  requestId: string | undefined,
): Promise<Application | undefined> {
  if (applicationId === undefined) return nothing;
  const result = await ctx.service.application(applicationId, requestId);
  if (result.kind === 'accepted') return result.body;
  return result.kind === 'rejected' ? nothing : undefined;
}

/**
 * Returns whether the service says that an offer was confirmed.
 * @throws {ProblemError} `service-unavailable` when it does not answer
 */
export async function isApproved(
  ctx: CheckoutContext,
  { applicationId }: CheckoutRow,
  requestId: string,
): Promise<boolean> {
  if (applicationId === undefined) return false;
  const result = await ctx.service.application(applicationId, requestId);
  if (result.kind === 'accepted') return isConfirmed(result.body);
  if (result.kind === 'rejected') return false;
  throw new ProblemError('service-unavailable', {
    detail: 'Nothing was done. Try again in a moment.',
    retrySafe: true,
    serviceRequestId: result.serviceRequestId,
    retryAfterSeconds: Math.max(1, Math.ceil((result.retryAfterMs ?? 2_000) / 1000)),
  });
}
