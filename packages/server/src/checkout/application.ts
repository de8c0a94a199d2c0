import type { linkStates, Outcome } from '@financing-checkout/contract/storefront';
import { sha256 } from '../platform/id.ts';
import { type Application, hasEnded, isConfirmed, isPending } from '../service/application.ts';
import type { CallContext } from '../service/exchange.ts';
import type { Link, LinkApplication } from '../service/links.ts';
import type { PageReads } from '../service/page-reads.ts';
import { serviceUnavailable } from '../service/problem.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { CheckoutContext } from './context.ts';

/**
 * Returns the outcome of an abandoned checkout without a charge, based on its application at the
 * service (reference: Checkout Management). If the application has no state, the shopper chose no
 * lender; an unknown state counts as abandoned.
 */
export function outcomeOf(application: Application): Outcome {
  const { status } = application;
  if (status === 'Declined') return 'declined';
  if (status === 'Expired') return 'expired';
  if (isConfirmed(application) || isPending(application)) return 'pending';
  return 'cancelled';
}

/**
 * Dependencies of a read: `service` is the client or the shared reads of the
 * {@link CheckoutContext}.
 */
interface ReadContext extends Pick<CheckoutContext, 'store'> {
  service: Pick<PageReads, 'application' | 'link'>;
}

/**
 * Reads the application of a checkout at the service. All fields are undefined when the service
 * does not know the application or refuses to show it.
 * @returns undefined when the service did not respond
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
 * Returns whether the service reports that the shopper has confirmed an offer. A page may ask about
 * an expired checkout with any token, any number of times.
 * @throws {ProblemError} `service-unavailable` when the service does not respond
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

/** Returns the hash that a confirmation with a token stores in a checkout. */
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
  // A lender has approved the application, and the shopper is still choosing: the application's own
  // status becomes `Approved` only after the shopper has confirmed.
  Approved: 'CheckoutInProgress',
  Confirmed: 'Approved',
  Completed: 'Approved',
  Declined: 'Declined',
  Cancelled: 'Cancelled',
  Failed: 'Cancelled',
};

/**
 * Statuses of applications in progress. Without a token, the first match in this order decides the
 * checkout.
 */
const inProgress = ['PendingLender', 'PendingConsumer', 'CheckoutInProgress', 'Prequalified'];

/** Returns the status of an application on a link; an unknown value passes through unchanged. */
const statusOf = ({ status }: LinkApplication) => status && (statuses[status] ?? status);

export type ConfirmedApplication = LinkApplication & { confirmationToken: string };

/**
 * Returns the confirmed applications of a link that have not ended, earliest confirmation first.
 */
export function confirmedApplications({ applications }: Link): ConfirmedApplication[] {
  return applications
    .filter(
      (one): one is ConfirmedApplication =>
        one.confirmationToken !== undefined && !hasEnded({ status: statusOf(one) }),
    )
    .sort(
      // The sort is stable: entries without a timestamp keep the service's order.
      (left, right) => (left.updatedAt ?? 0) - (right.updatedAt ?? 0),
    );
}

/**
 * Merges the applications of a link into one. A link may open several: the one whose token
 * confirmed the checkout takes precedence, then the first confirmed one, then the most advanced
 * one. An active link waits for the shopper, because it can be reopened after an application was
 * canceled.
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
 * Statuses of an application that do not prove that a person opened the link: a bot that previews the
 * address makes the service mark the link as accessed and start an application.
 */
const unattended = new Set<string | undefined>(['Started', 'Cancelled', 'Failed', undefined]);

/**
 * Returns the state of a link for display. At the service, a link ends when a lender has approved
 * its application. It counts as opened once a person has sent an application, and as expired only
 * when no application is in progress.
 */
export function stateOfLink({ applications, status }: Link): LinkState {
  const isInUse = applications.some((one) => inProgress.includes(statusOf(one) ?? ''));
  if (status === 'Expired' && !isInUse) return 'expired';
  return applications.every((one) => unattended.has(one.status)) ? 'waiting' : 'opened';
}
