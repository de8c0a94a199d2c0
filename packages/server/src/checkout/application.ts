import type { linkStates, Outcome } from '@financing-checkout/contract';
import { sha256 } from '../platform/id.ts';
import { type Application, hasEnded, isConfirmed, isPending } from '../service/application.ts';
import type { CallContext } from '../service/exchange.ts';
import type { Link, LinkApplication } from '../service/links.ts';
import type { PageReads } from '../service/page-reads.ts';
import { serviceUnavailable } from '../service/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

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
  { service, store }: ReadContext,
  checkout: Pick<CheckoutRow, 'id' | 'applicationId' | 'confirmationHash' | 'via'>,
  context: CallContext,
): Promise<Application | undefined> {
  const unknown: Application = { status: undefined };
  if (checkout.via === 'link') {
    const linkId = (await store.findLink(checkout.id))?.linkId;
    if (linkId === undefined) return unknown;
    const link = await service.link(linkId, context);
    if (link.kind === 'accepted') return applicationOfLink(checkout, link.body);
    return link.kind === 'rejected' ? unknown : undefined;
  }
  if (checkout.applicationId === undefined) return unknown;
  const result = await service.application(checkout.applicationId, context);
  if (result.kind === 'accepted') return result.body;
  return result.kind === 'rejected' ? unknown : undefined;
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
  const context = { priority: 'checkout', requestId } as const;
  const result = await ctx.pageReads.application(applicationId, context);
  if (result.kind === 'accepted') return isConfirmed(result.body);
  if (result.kind === 'rejected') return false;
  throw serviceUnavailable(result);
}

/** Returns the hash that a confirmation with a token leaves in a checkout. */
export function confirmationHash(checkoutId: string, token: string): Promise<string> {
  return sha256(`${checkoutId} ${token}`);
}

export type LinkState = (typeof linkStates)[number];

/** Maps the status of an application on a link to the vocabulary of an application's own status. */
const statuses: Readonly<Record<string, string>> = {
  Started: 'CheckoutInProgress',
  Prequalified: 'Prequalified',
  PendingConsumer: 'PendingConsumer',
  PendingLender: 'PendingLender',
  // A lender approved it, and the shopper still chooses: an application's own status is `Approved` only
  // after the shopper has confirmed.
  Approved: 'CheckoutInProgress',
  Confirmed: 'Approved',
  Completed: 'Approved',
  Declined: 'Declined',
  Cancelled: 'Cancelled',
  Failed: 'Cancelled',
};

/** Statuses of applications in progress. The first of them decides the checkout, once no token does. */
const inProgress = ['PendingLender', 'PendingConsumer', 'CheckoutInProgress', 'Prequalified'];

/** Returns the status of an application on a link; an unknown word passes unchanged. */
const statusOf = ({ status }: LinkApplication) => status && (statuses[status] ?? status);

/** A confirmed application on a link. */
export type ConfirmedApplication = LinkApplication & { confirmationToken: string };

/** Returns the confirmed applications of a link that have not ended, the first confirmed one first. */
export function confirmedApplications({ applications }: Link): ConfirmedApplication[] {
  return applications
    .filter(
      (one): one is ConfirmedApplication =>
        one.confirmationToken !== undefined && !hasEnded({ status: statusOf(one) }),
    )
    .sort(
      // The sort is stable: without a time the order of the service counts.
      (left, right) => (left.updatedAt ?? 0) - (right.updatedAt ?? 0),
    );
}

/**
 * Returns the applications of a link as one. One link may open several: the one whose token has
 * confirmed the checkout counts, or the first confirmed one, or the most advanced one. An active link
 * waits for the shopper, because it can be opened again after an application was cancelled.
 */
export async function applicationOfLink(
  checkout: Pick<CheckoutRow, 'id' | 'confirmationHash'>,
  link: Link,
): Promise<Application> {
  const confirmed = confirmedApplications(link);
  let [decisive] = confirmed;
  for (const one of checkout.confirmationHash === undefined ? [] : confirmed) {
    const hash = await confirmationHash(checkout.id, one.confirmationToken);
    if (hash !== checkout.confirmationHash) continue;
    decisive = one;
    break;
  }
  if (decisive !== undefined) {
    const { confirmationToken } = decisive;
    return { status: statusOf(decisive), confirmationToken };
  }
  const found = link.applications.map(statusOf);
  const words = ['Approved', ...inProgress, 'Declined'];
  const status = words.find((word) => found.includes(word));
  return { status: status ?? (link.status === 'Expired' ? 'Expired' : 'New') };
}

/**
 * Returns the state of a link for people. A link ends at the service when a lender has approved its
 * application; while the shopper is in an application, its device shows it, so it counts as opened.
 */
export function stateOfLink({ applications, status }: Link): LinkState {
  const isInUse = applications.some((one) => inProgress.includes(statusOf(one) ?? ''));
  if (status === 'Expired' && !isInUse) return 'expired';
  return status === 'New' && applications.length === 0 ? 'waiting' : 'opened';
}
