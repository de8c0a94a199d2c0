import { createHash } from 'node:crypto';
import { lenders } from '../lender/lenders.ts';
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
  /** The secret that a confirmed application is worth: see {@link confirmationTokenOf}. */
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

/** Returns the offer that the shopper confirmed. */
export function confirmedOfferOf({ offers, offerCode }: Application): Offer | undefined {
  return offers.find(({ code }) => code === offerCode);
}

/** Returns the token that makes one charge; an application without an order has none. */
export function confirmationTokenOf({ confirmationToken, session }: Application): string | null {
  return session.flowType === 'Checkout' ? confirmationToken : null;
}

/**
 * Returns the token that makes charges of an account: of a line of credit, which is good for several, and
 * of an application without an order.
 */
export function accountTokenOf(application: Application): string | null {
  const { confirmationToken, session } = application;
  const isAccount =
    session.flowType === 'Apply' || confirmedOfferOf(application)?.productType === 'LineOfCredit';
  return confirmationToken !== null && isAccount ? derived('account', confirmationToken) : null;
}

/** Returns the id of the lender's loan, once an offer is confirmed. */
export function loanIdOf({ id, confirmationToken }: Application): string | null {
  return confirmationToken === null ? null : derived('loan', id);
}

/** Returns the id of the consumer who applied. */
export function consumerIdOf(applicationId: string): string {
  return derived('consumer', applicationId);
}

/**
 * Returns the lender that has an application: the one whose offer was confirmed; before that the first one
 * that offers, and without offers the first one of all, for the service asks one after the other.
 */
export function lenderIdOf(application: Application): string {
  const { offers } = application;
  return confirmedOfferOf(application)?.lenderId ?? offers[0]?.lenderId ?? lenders[0]?.id ?? '';
}

/** Returns why an application is pending. Source: reference, Checkout Management, status reasons. */
export function pendingReasonOf(state: ApplicationState): string | null {
  if (state === 'PendingConsumer') return 'DocumentUploadRequired';
  return state === 'PendingLender' || state === 'PendingMerchant' ? 'UnderReview' : null;
}

/** Returns an id of 24 hexadecimal digits, the same for the same source, which it does not reveal. */
function derived(kind: string, of: string): string {
  return createHash('sha256').update(`${kind} ${of}`).digest('hex').slice(0, 24);
}
