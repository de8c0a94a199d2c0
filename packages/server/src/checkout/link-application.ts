import type { linkStates } from '@financing-checkout/contract';
import { sha256 } from '../platform/id.ts';
import { type Application, hasEnded } from '../service/application.ts';
import type { Link, LinkApplication } from '../service/links.ts';
import type { CheckoutRow } from '../store/store.ts';

export type LinkState = (typeof linkStates)[number];

/** The statuses of an application on a link, in the words of an application's own status. */
const statuses: Readonly<Record<string, string>> = {
  Started: 'CheckoutInProgress',
  Prequalified: 'Prequalified',
  PendingConsumer: 'PendingConsumer',
  PendingLender: 'PendingLender',
  // A lender approved it, and the shopper still chooses: the application's own status calls it so once
  // the shopper has confirmed.
  Approved: 'CheckoutInProgress',
  Confirmed: 'Approved',
  Completed: 'Approved',
  Declined: 'Declined',
  Cancelled: 'Cancelled',
  Failed: 'Cancelled',
};

/** Applications with these statuses decide the checkout in this order, once no token does. */
const byWeight = [
  'Approved',
  'PendingLender',
  'PendingConsumer',
  'CheckoutInProgress',
  'Prequalified',
];

/** Returns the status of an application on a link; an unknown word passes unchanged. */
const statusOf = ({ status }: LinkApplication) => status && (statuses[status] ?? status);

/** Returns the confirmed applications of a link that have not ended, the first confirmed one first. */
export function confirmedApplications({ applications }: Link): LinkApplication[] {
  const confirmed = applications.filter(
    (one) =>
      one.confirmationToken !== undefined && !hasEnded({ ...nothing, status: statusOf(one) }),
  );
  // The sort is stable: without a time the order of the service counts.
  return confirmed.sort((left, right) => (left.updatedAt ?? 0) - (right.updatedAt ?? 0));
}

const nothing: Application = {
  status: undefined,
  confirmationToken: undefined,
  financialProductType: undefined,
};

/**
 * Returns the applications of a link as one. One link may open several: the one whose token has
 * confirmed the checkout counts, or the first confirmed one, or the one that is furthest. A link that
 * lives waits for the shopper, because it can be opened again after an application was cancelled.
 */
export async function applicationOfLink(
  { id, confirmationHash }: Pick<CheckoutRow, 'id' | 'confirmationHash'>,
  link: Link,
): Promise<Application> {
  const confirmed = confirmedApplications(link);
  for (const one of confirmationHash === undefined ? [] : confirmed) {
    if ((await tokenHash(id, one)) === confirmationHash) return withToken(one);
  }
  const [first] = confirmed;
  if (first !== undefined) return withToken(first);
  const found = link.applications.map(statusOf);
  const status = byWeight.find((word) => found.includes(word));
  if (status !== undefined) return { ...nothing, status };
  if (found.includes('Declined')) return { ...nothing, status: 'Declined' };
  return { ...nothing, status: link.status === 'Expired' ? 'Expired' : 'New' };
}

function withToken(application: LinkApplication): Application {
  const { confirmationToken } = application;
  return { ...nothing, status: statusOf(application), confirmationToken };
}

/** Returns the hash that a confirmation with an application's token leaves in a checkout. */
export function tokenHash(
  checkoutId: string,
  { confirmationToken = '' }: LinkApplication,
): Promise<string> {
  return sha256(`${checkoutId} ${confirmationToken}`);
}

/** Returns whether the shopper or a lender is in an application that is not confirmed. */
function isInProgress(application: LinkApplication): boolean {
  const status = statusOf(application) ?? '';
  return status !== 'Approved' && byWeight.includes(status);
}

/**
 * Returns the state of a link for people. A link ends at the service when a lender has approved its
 * application; while the shopper is in an application, its device shows it, so it counts as opened.
 */
export function stateOfLink(link: Link): LinkState {
  const isInUse = link.applications.some(isInProgress);
  if (link.status === 'Expired' && !isInUse) return 'expired';
  return link.status === 'New' && link.applications.length === 0 ? 'waiting' : 'opened';
}
