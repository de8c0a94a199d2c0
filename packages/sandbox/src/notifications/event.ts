import type { Application, ApplicationState } from '../checkout/application.ts';
import { toWireAmount } from '../money/money.ts';

/** What a merchant is told. Source: docs.chargeafter.com, Checkout Management, notifications. */
export type NotificationEvent =
  | 'application.created'
  | 'application.prequalified'
  | 'application.approved'
  | 'application.pending-lender'
  | 'application.pending-consumer'
  | 'application.pending-merchant'
  | 'application.declined'
  | 'application.cancelled'
  | 'application.checkout-confirmed';

/**
 * The body of a notification. Ids and an amount, nothing personal. Its fields are those documented
 * for `checkout-confirmed`, and `event`, which the documents leave open.
 */
export interface NotificationBody {
  event: NotificationEvent;
  applicationId: string;
  /** With an offer confirmed. */
  lenderId?: string;
  /** The order's total, in the major unit. */
  amount?: number;
  /** The confirmation token: what a charge is made of. Of `checkout-confirmed` only. */
  token?: string;
  /** The one the merchant primed with. */
  correlationId?: string;
  /** ISO 8601, of the sandbox clock. */
  createdAt: string;
}

const byState: Readonly<Record<ApplicationState, readonly NotificationEvent[]>> = {
  New: ['application.created'],
  Prequalified: ['application.prequalified'],
  // Whichever way it became Approved, there is a token now: at once, or after the lender's time.
  Approved: ['application.approved', 'application.checkout-confirmed'],
  PendingLender: ['application.pending-lender'],
  PendingConsumer: ['application.pending-consumer'],
  PendingMerchant: ['application.pending-merchant'],
  Declined: ['application.declined'],
  Cancelled: ['application.cancelled'],
  // No event is documented of these.
  CheckoutInProgress: [],
  Authorized: [],
  Expired: [],
};

/** What there is to tell of the state that an application has just come to. */
export function notificationsOf(application: Application): NotificationBody[] {
  const { session, state, offerCode, offers, confirmationToken } = application;
  const lenderId = offers.find(({ code }) => code === offerCode)?.lenderId;
  return byState[state].map((event) => ({
    event,
    applicationId: application.id,
    ...(lenderId === undefined ? {} : { lenderId }),
    ...(event === 'application.checkout-confirmed' && confirmationToken !== null
      ? { amount: toWireAmount(session.total, session.currency), token: confirmationToken }
      : {}),
    ...(session.correlationId === undefined ? {} : { correlationId: session.correlationId }),
    createdAt: new Date(application.updatedAt).toISOString(),
  }));
}
