import {
  accountTokenOf,
  confirmationTokenOf,
  confirmedOfferOf,
  consumerIdOf,
  isPending,
  lenderIdOf,
  loanIdOf,
  pendingReasonOf,
  type Application,
  type ApplicationState,
} from '../checkout/application.ts';
import type { Offer } from '../checkout/offers.ts';
import type { Charge, Transaction, TransactionType } from '../charges/charge.ts';
import { toWireAmount } from '../platform/money.ts';

/** The events of an application. Source: reference, merchants notifications. */
type ApplicationEvent =
  | 'application.created'
  | 'application.prequalified'
  | 'application.approved'
  | 'application.pending-lender'
  | 'application.pending-consumer'
  | 'application.pending-merchant'
  | 'application.declined'
  | 'application.cancelled'
  | 'application.apply-confirmed'
  | 'application.checkout-confirmed';

/**
 * The names of the events. The service renames some of them (changelog: new merchant notifications)
 * and may send both: `both` sends the old event after the new one.
 */
export const eventNames = ['new', 'both'] as const;
export type EventNames = (typeof eventNames)[number];

/**
 * The body of a notification: ids, an amount, a reason, a token; no personal data. Fields without a
 * value are omitted. `createdAt` is the time on the sandbox clock.
 */
export interface NotificationBody {
  eventType: string;
  createdAt: string;
  applicationId: string;
  [field: string]: string | number | null;
}

const byState: Readonly<Record<ApplicationState, readonly ApplicationEvent[]>> = {
  New: ['application.created'],
  Prequalified: ['application.prequalified'],
  // Every transition to Approved creates the token.
  Approved: ['application.approved', 'application.checkout-confirmed'],
  PendingLender: ['application.pending-lender'],
  PendingConsumer: ['application.pending-consumer'],
  PendingMerchant: ['application.pending-merchant'],
  Declined: ['application.declined'],
  Cancelled: ['application.cancelled'],
  // No event is documented for these states.
  CheckoutInProgress: [],
  Authorized: [],
  Expired: [],
};

/** The old names of renamed events. */
const oldNames: Readonly<Partial<Record<string, string>>> = {
  'application.approved': 'account.approved',
  'application.prequalified': 'account.prequalified',
  'application.pending-lender': 'account.pending-lender',
  'application.pending-consumer': 'account.pending-consumer',
  'application.declined': 'account.declined',
  'postsale.authorize.accepted': 'postsale.authorize',
  'postsale.settle.accepted': 'postsale.settle',
  'postsale.refund.accepted': 'postsale.refund',
};

/** Returns the notifications for an application's new state. */
export function notificationsOf(application: Application, names: EventNames): NotificationBody[] {
  const isApply = application.session.flowType === 'Apply';
  const bodies = byState[application.state].flatMap((event) => {
    if (event === 'application.prequalified') {
      return application.offers.map((offer) => bodyOf(application, event, offer));
    }
    if (event === 'application.checkout-confirmed' && isApply) {
      return [bodyOf(application, 'application.apply-confirmed')];
    }
    return [bodyOf(application, event)];
  });
  return withOldNames(bodies, names, (body) => oldAccountBody(body, application));
}

/** Builds the body of one event with its documented fields. */
function bodyOf(
  application: Application,
  event: ApplicationEvent,
  offer: Offer | undefined = confirmedOfferOf(application),
): NotificationBody {
  const { session, state } = application;
  const common = commonFields(application, event, application.updatedAt);
  const lenderId = offer?.lenderId ?? lenderIdOf(application);
  const amount = (minorUnits = 0) => toWireAmount(minorUnits, session.currency);
  if (event === 'application.created') {
    return session.linkId === undefined ? common : { ...common, linkId: session.linkId };
  }
  if (event === 'application.prequalified' || event === 'application.approved') {
    return { ...common, lenderId, amount: amount(offer?.creditLimit) };
  }
  if (event === 'application.apply-confirmed') {
    const token = accountTokenOf(application);
    return { ...common, lenderId, amount: amount(offer?.creditLimit), token };
  }
  if (event === 'application.checkout-confirmed') {
    const token = confirmationTokenOf(application);
    return { ...common, lenderId, amount: amount(offer?.amount), token };
  }
  return isPending(state)
    ? { ...common, lenderId, reason: pendingReasonOf(state) }
    : { ...common, lenderId };
}

const postSale: Readonly<Partial<Record<TransactionType, string>>> = {
  Authorize: 'postsale.authorize.accepted',
  Settle: 'postsale.settle.accepted',
  Refund: 'postsale.refund.accepted',
};

/**
 * Returns the notifications for an accepted transaction. The events are documented, but their
 * fields are not: all fields other than the common ones are the sandbox's own.
 */
export function postSaleNotificationsOf(
  application: Application,
  charge: Charge,
  { id, type, amount }: Transaction,
  now: number,
  names: EventNames,
): NotificationBody[] {
  const event = postSale[type];
  if (event === undefined) return [];
  const body = {
    ...commonFields(application, event, now),
    lenderId: charge.lenderId,
    chargeId: charge.id,
    transactionId: id,
    amount: toWireAmount(amount, charge.currency),
  };
  return withOldNames([body], names, (renamed) => renamed);
}

function commonFields({ id, session }: Application, eventType: string, at: number) {
  // As documented for links: if there is no merchant correlation id, the link id takes its place.
  const correlationId = session.correlationId ?? session.linkId;
  return {
    eventType,
    createdAt: new Date(at).toISOString(),
    applicationId: id,
    ...(correlationId === undefined ? {} : { correlationId }),
  };
}

function withOldNames(
  bodies: readonly NotificationBody[],
  names: EventNames,
  oldBody: (body: NotificationBody) => NotificationBody,
): NotificationBody[] {
  return bodies.flatMap((body) => {
    const eventType = names === 'both' ? oldNames[body.eventType] : undefined;
    return eventType === undefined ? [body] : [body, oldBody({ ...body, eventType })];
  });
}

/** Returns the body of an old account event: consumer ids, no correlation id, no reason. */
function oldAccountBody(
  { eventType, createdAt, applicationId, lenderId, amount }: NotificationBody,
  application: Application,
): NotificationBody {
  return {
    eventType,
    createdAt,
    applicationId,
    lenderId: lenderId ?? null,
    consumerId: consumerIdOf(applicationId),
    ...(amount === undefined ? {} : { amount }),
    merchantConsumerId: application.session.merchantConsumerId ?? null,
    ...(eventType === 'account.approved' ? { lenderReferenceId: loanIdOf(application) } : {}),
  };
}
