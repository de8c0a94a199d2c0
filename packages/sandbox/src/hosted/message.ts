import {
  confirmationTokenOf,
  type Application,
  type ApplicationState,
} from '../checkout/application.ts';
import type { Arrival, Visit } from './visit.ts';

/** Why a checkout ended without a confirmation. */
type EndReason = 'declined' | 'cancelled' | 'expired' | 'pending' | 'failed';

/** The page's message to the window that opened it. */
export type Outcome =
  | { type: 'confirmed'; confirmationToken: string }
  /** Approval of an application without an order: there is nothing to charge. */
  | { type: 'applied' }
  | { type: 'ended'; reason: EndReason };

const endReasons: Partial<Record<ApplicationState, EndReason>> = {
  PendingConsumer: 'pending',
  PendingLender: 'pending',
  PendingMerchant: 'pending',
  Declined: 'declined',
  Expired: 'expired',
  Cancelled: 'cancelled',
};

/** Returns the outcome of an application; undefined while the shopper can continue. */
export function outcomeOf(arrival: Arrival): Outcome | undefined {
  if (arrival.kind === 'failed') return { type: 'ended', reason: 'failed' };
  const { state } = arrival.application;
  if (state === 'Approved' || state === 'Authorized') return confirmed(arrival.application);
  const reason = endReasons[state];
  return reason && { type: 'ended', reason };
}

/**
 * Returns the confirmed outcome. A reload sends the token again, because the first message may be
 * lost; the token is valid for only one charge.
 */
function confirmed(application: Application): Outcome {
  if (application.session.flowType === 'Apply') return { type: 'applied' };
  const confirmationToken = confirmationTokenOf(application);
  if (confirmationToken === null) return { type: 'ended', reason: 'failed' };
  return { type: 'confirmed', confirmationToken };
}

/**
 * Returns the shop's URL for the redirect back. The outcome is in the fragment, which browsers send
 * to no server, so it is in no log. An existing fragment is a client-side route of the shop's page:
 * it is kept, and the outcome is appended as its query.
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
