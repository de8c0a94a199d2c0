import type { EnvironmentName } from '../environments/environment.ts';
import type { Offer } from './offers.ts';
import type { Session } from './session.ts';

/** Source: docs.chargeafter.com, Checkout Management, application states. */
export type ApplicationState =
  | 'New'
  | 'Prequalified'
  | 'CheckoutInProgress'
  | 'PendingConsumer'
  | 'PendingLender'
  | 'PendingMerchant'
  | 'Approved'
  | 'Authorized'
  | 'Declined'
  | 'Expired'
  | 'Cancelled';

/** One shopper's application for one order. Times are milliseconds of the sandbox clock. */
export interface Application {
  id: string;
  environment: EnvironmentName;
  sessionToken: string;
  state: ApplicationState;
  session: Session;
  /** Who applied: as primed, then as typed into the hosted page. */
  applicant: { firstName: string; lastName: string; email: string };
  offers: Offer[];
  offerCode: string | null;
  /** When a pending decision falls, and which one. */
  decideAt: number | null;
  decision: 'approve' | 'decline' | null;
  /** What the lender decides once an offer is confirmed, when it takes its time over that. */
  afterConfirmation: { decision: 'approve' | 'decline'; decidesAfterMs: number } | null;
  confirmationToken: string | null;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
}

/** The lender takes its time, or waits for the shopper or the shop: not decided yet. */
export function isPending(state: ApplicationState): boolean {
  return state === 'PendingLender' || state === 'PendingConsumer' || state === 'PendingMerchant';
}

/** Where a lender's yes leads: with an offer confirmed to a charge, without one to the offers. */
export function approvedState({ offerCode }: Application): 'Approved' | 'Prequalified' {
  return offerCode === null ? 'Prequalified' : 'Approved';
}

/** The shopper can still do something. */
export function isOpen(state: ApplicationState): boolean {
  return state === 'New' || state === 'CheckoutInProgress' || state === 'Prequalified';
}

/** The state an application is in at `now`, time having passed: expiry, a pending decision. */
export function stateAt(application: Application, now: number): ApplicationState {
  const { state, decideAt, decision, expiresAt } = application;
  if (state === 'PendingLender' && decideAt !== null && decideAt <= now) {
    return decision === 'approve' ? approvedState(application) : 'Declined';
  }
  const asksSomebody = state === 'PendingConsumer' || state === 'PendingMerchant';
  if ((isOpen(state) || asksSomebody) && expiresAt <= now) return 'Expired';
  return state;
}
