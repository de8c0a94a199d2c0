import { confirmationTokenOf, type Application } from '../checkout/application.ts';
import type { Arrival, Visit } from './visit.ts';

/** Why a checkout ended without a confirmation. */
export type EndReason = 'declined' | 'cancelled' | 'expired' | 'pending' | 'failed';

/** What the page says to the window that opened it. */
export type Outcome =
  | { type: 'confirmed'; confirmationToken: string }
  /** An application without an order is approved: there is nothing to charge. */
  | { type: 'applied' }
  | { type: 'ended'; reason: EndReason };

/** What there is to tell of an application; undefined while the shopper is not done. */
export function outcomeOf(arrival: Arrival): Outcome | undefined {
  if (arrival.kind === 'failed') return { type: 'ended', reason: 'failed' };
  return outcomeOfApplication(arrival.application);
}

function outcomeOfApplication(application: Application): Outcome | undefined {
  switch (application.state) {
    case 'New':
    case 'CheckoutInProgress':
    case 'Prequalified':
      return undefined;
    case 'PendingConsumer':
    case 'PendingLender':
    case 'PendingMerchant':
      return { type: 'ended', reason: 'pending' };
    case 'Approved':
    case 'Authorized':
      return confirmed(application);
    case 'Declined':
      return { type: 'ended', reason: 'declined' };
    case 'Expired':
      return { type: 'ended', reason: 'expired' };
    case 'Cancelled':
      return { type: 'ended', reason: 'cancelled' };
  }
}

/** The same after a reload: the first message may have been lost. It is worth one charge. */
function confirmed(application: Application): Outcome {
  if (application.session.flowType === 'Apply') return { type: 'applied' };
  const confirmationToken = confirmationTokenOf(application);
  if (confirmationToken === null) return { type: 'ended', reason: 'failed' };
  return { type: 'confirmed', confirmationToken };
}

/**
 * Returns the address of the shop that a redirect ends at. The outcome is in the fragment, which is
 * sent to no server and so is in no log. A fragment that is there already is a route of the shop's
 * page: it stays, and the outcome follows as its query.
 */
export function returnAddress(visit: Visit, outcome: Outcome): string | undefined {
  if (visit.returnUrl === '') return undefined;
  const url = new URL(visit.returnUrl);
  const fragment = new URLSearchParams({ 'financing-session': visit.session });
  if (outcome.type === 'confirmed') {
    fragment.set('financing-confirmation', outcome.confirmationToken);
  } else if (outcome.type === 'applied') {
    fragment.set('financing-applied', 'approved');
  } else {
    fragment.set('financing-ended', outcome.reason);
  }
  const route = url.hash.slice(1);
  const mark = route === '' ? '' : route.includes('?') ? '&' : '?';
  url.hash = route + mark + fragment.toString();
  return url.href;
}
