import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { lenders } from '../lenders/lenders.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { applicationState } from '../published/checkout.ts';
import type { Offer } from './offers.ts';
import type { Session } from './session.ts';

export type ApplicationState = z.output<typeof applicationState>;

/** One shopper's application for one order. Times are milliseconds of the sandbox clock. */
export interface Application {
  id: string;
  environment: EnvironmentName;
  sessionToken: string;
  state: ApplicationState;
  session: Session;
  /** The applicant: from the prime, later from the hosted page. */
  applicant: { firstName: string; lastName: string; email: string };
  offers: Offer[];
  offerCode: string | null;
  /** When a pending decision is due, and what it is; `no-lender` if no lender was asked. */
  decideAt: number | null;
  decision: 'approve' | 'decline' | 'no-lender' | null;
  /** The pending decision after a confirmation; null if the lender decides immediately. */
  afterConfirmation: { decision: 'approve' | 'decline'; decidesAfterMs: number } | null;
  /** The secret of a confirmed application: see {@link confirmationTokenOf}. */
  confirmationToken: string | null;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
}

/** Whether the lender has not decided yet, or is waiting for the shopper or the merchant. */
export function isPending(state: ApplicationState): boolean {
  return state === 'PendingLender' || state === 'PendingConsumer' || state === 'PendingMerchant';
}

/** Returns the state after approval: `Approved` if an offer is confirmed, else `Prequalified`. */
export function approvedState({ offerCode }: Application): 'Approved' | 'Prequalified' {
  return offerCode === null ? 'Prequalified' : 'Approved';
}

/** Whether the shopper can continue. */
export function isOpen(state: ApplicationState): boolean {
  return state === 'New' || state === 'CheckoutInProgress' || state === 'Prequalified';
}

/**
 * Whether a checkout can continue from an application without an order: it has offers or an account,
 * and its session is not older than an hour (published contract, browser SDK: continuation).
 */
export function isContinuable({ state, session, expiresAt }: Application, now: number): boolean {
  const isApproved = state === 'Prequalified' || state === 'Approved';
  return session.flowType === 'Apply' && isApproved && expiresAt > now;
}

/** Returns the state at `now`, taking expiry and due decisions into account. */
export function stateAt(application: Application, now: number): ApplicationState {
  const { state, decideAt, decision, expiresAt } = application;
  if (state === 'PendingLender' && decideAt !== null && decideAt <= now) {
    return decision === 'approve' ? approvedState(application) : 'Declined';
  }
  const asksForInput = state === 'PendingConsumer' || state === 'PendingMerchant';
  if ((isOpen(state) || asksForInput) && expiresAt <= now) return 'Expired';
  return state;
}

export function confirmedOfferOf({ offers, offerCode }: Application): Offer | undefined {
  return offers.find(({ code }) => code === offerCode);
}

/** Returns the token for one charge; an application without an order has none. */
export function confirmationTokenOf({ confirmationToken, session }: Application): string | null {
  return session.flowType === 'Checkout' ? confirmationToken : null;
}

/**
 * Returns the token for charges on an account. A line of credit, which allows several charges, has
 * one, and so does an application without an order.
 */
export function accountTokenOf(application: Application): string | null {
  const { confirmationToken, session } = application;
  // An order that was confirmed on an account belongs to that account.
  if (session.accountToken !== undefined) return session.accountToken;
  const isAccount =
    session.flowType === 'Apply' || confirmedOfferOf(application)?.productType === 'LineOfCredit';
  return confirmationToken !== null && isAccount ? derived('account', confirmationToken) : null;
}

/** Returns the id of the lender's loan, once an offer is confirmed. */
export function loanIdOf({ id, confirmationToken }: Application): string | null {
  return confirmationToken === null ? null : derived('loan', id);
}

export function consumerIdOf(applicationId: string): string {
  return derived('consumer', applicationId);
}

/**
 * Returns the lender of an application: the lender of the confirmed offer; before a confirmation,
 * the first lender with an offer; without offers, the first lender in the list, because the service
 * asks the lenders in turn.
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

/** Returns an id of 24 hexadecimal digits that depends on `of` and does not reveal it. */
function derived(kind: string, of: string): string {
  return createHash('sha256').update(`${kind} ${of}`).digest('hex').slice(0, 24);
}
