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
  confirmationToken: string | null;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
}

/** The shopper can still do something. */
export function isOpen(state: ApplicationState): boolean {
  return state === 'New' || state === 'CheckoutInProgress' || state === 'Prequalified';
}

/** The state an application is in at `now`, time having passed: expiry, a pending decision. */
export function stateAt(application: Application, now: number): ApplicationState {
  const { state, decideAt, decision, expiresAt } = application;
  if (state === 'PendingLender' && decideAt !== null && decideAt <= now) {
    return decision === 'approve' ? 'Prequalified' : 'Declined';
  }
  if ((isOpen(state) || state === 'PendingConsumer') && expiresAt <= now) return 'Expired';
  return state;
}
