import {
  amountDifferenceReasons,
  chargeOperationKinds,
  ledgerStates,
  ledgerTypes,
  linkDeliveries,
} from '@financing-checkout/contract/back-office';
import {
  checkoutStatusSchema,
  environments,
  keptMessageSchema,
  linkStates,
  orderedItemSchema,
  prequalificationSchema,
} from '@financing-checkout/contract/storefront';
import {
  choice,
  flag,
  json,
  type KyselyTables,
  migrationsOf,
  moment,
  type Row,
  table,
  TableRows,
  text,
  whole,
  type WrittenRow,
} from '@financing-checkout/kit/sql';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { storedProblemSchema } from './stored-problem.ts';

const environment = () => choice(environments);
/** Amounts are minor units. */
const amount = whole;
/**
 * State of one request that changes something at the service. `recorded` is written before the
 * request is sent; a process that dies then leaves it behind, and the outcome is unknown.
 */
const attemptStates = ['recorded', 'not-sent', 'rejected', 'accepted', 'unknown'] as const;
export type AttemptState = (typeof attemptStates)[number];

const checkouts = table(
  'checkouts',
  {
    id: text().key(),
    environment: environment(),
    merchantOrderId: text(),
    amount: amount(),
    currency: text(),
    status: choice(checkoutStatusSchema.options),
    /** Only with `unavailable`. */
    retrySafe: flag().optional(),
    /** Incremented by each change that is reported to the shop. */
    revision: whole(),
    /** Identifies the checkout at the service and to its hosted page. */
    sessionToken: text(),
    /**
     * SHA-256 of the secret of the page that opened the checkout: the Idempotency-Key of its prime.
     */
    secretHash: text(),
    applicationId: text().optional(),
    /** Origin of the page that started the checkout, for the hosted page's URL. */
    origin: text(),
    returnUrl: text().optional(),
    locale: text().optional(),
    /**
     * SHA-256 hash of the confirmation token that claimed this checkout. The token itself is not
     * stored.
     */
    confirmationHash: text().optional(),
    /** Hashes of the order at the prime, and of the ticket (or reference) that contained it. */
    orderHash: text(),
    ticketHash: text().optional(),
    /** Whether the page has sent a different order since the prime. */
    orderChanged: flag(),
    chargeId: text().optional(),
    chargeState: text().optional(),
    /** Refunded amount of the charge; undefined until the charge is reread after its creation. */
    refundedAmount: amount().optional(),
    /** Tax amounts of the order. */
    taxAmount: amount(),
    shippingTaxAmount: amount(),
    /** Total of the charge if it differs from `amount`, and the reason. */
    chargedAmount: amount().optional(),
    chargedReason: choice(amountDifferenceReasons).optional(),
    createdAt: moment(),
    updatedAt: moment(),
    expiresAt: moment(),
    /**
     * When the checkout needs work next: to expire an open one, to recover a confirming one whose
     * companion died, to look up an unknown charge. The companion that moves this time forward
     * holds the checkout until then, so two companions do not work on the same checkout. Undefined
     * means that nothing is left to do.
     */
    attentionAt: moment().optional(),
    /** Number of attempts, for the backoff. */
    attentionTries: whole(),
    /** The financing message that the page reported with the prime. */
    shown: json(keptMessageSchema).optional(),
    /** `link`: the shopper continues on another device, at the URL of a link. */
    via: choice(['link']).optional(),
    items: json(z.array(orderedItemSchema)),
  },
  {
    groups: {
      amount: { value: 'amount', currency: 'currency' },
      charged: {
        amount: { value: 'chargedAmount', currency: 'currency' },
        reason: 'chargedReason',
      },
    },
    indexes: {
      checkoutsByOrder: ['merchantOrderId', 'createdAt'],
      checkoutsByAttention: ['attentionAt'],
      checkoutsByApplication: ['applicationId'],
      checkoutsByCharge: { on: ['chargeId'], where: 'charge_id is not null' },
      checkoutsNeverConfirmed: {
        on: ['updatedAt'],
        where: 'confirmation_hash is null and attention_at is null',
      },
    },
    work: { dueAt: 'attentionAt', tries: 'attentionTries' },
  },
);

/** Requests that change something at the service. */
const attempts = table(
  'attempts',
  {
    id: text().key(),
    kind: choice(['prime', 'charge', 'void']),
    checkoutId: text().optional(),
    merchantTransactionId: text().optional(),
    state: choice(attemptStates),
    serviceRequestId: text().optional(),
    reason: text().optional(),
    createdAt: moment(),
    updatedAt: moment(),
    /** Id of the companion's request that makes this attempt. */
    requestId: text().optional(),
    /** For a charge: whether its settle was requested with it. Undefined for other kinds. */
    settle: flag().optional(),
    /** For a prime: environment and merchant order, separated by a space. */
    primeOf: text().optional(),
  },
  {
    indexes: {
      attemptsByRequest: ['requestId'],
      attemptsByCheckout: { on: ['checkoutId'], where: 'checkout_id is not null' },
      attemptsByPrime: { on: ['primeOf', 'createdAt'], where: 'prime_of is not null' },
    },
  },
);

const idempotency = table(
  'idempotency',
  {
    /** Environment and Idempotency-Key, separated by a space. */
    key: text().key(),
    /** SHA-256 of the request's payload. */
    fingerprint: text(),
    attemptId: text(),
    /** `released`: provably nothing was done, and the same key may be used again. */
    state: choice(['in-flight', 'finished', 'released']),
    leaseUntil: moment(),
    checkoutId: text().optional(),
    problem: json(storedProblemSchema).optional(),
    createdAt: moment(),
  },
  { indexes: { idempotencyByAge: ['createdAt'] } },
);

/** The checkout that may create the charge of an order. */
const orderClaims = table('orderClaims', {
  environment: environment().key(),
  merchantOrderId: text().key(),
  checkoutId: text(),
});

const ticketUses = table('ticketUses', {
  ticketId: text().key(),
  key: text(),
  claimedAt: moment(),
});

/** Why requests were refused before the service was called. Contains no values from a request. */
const refusals = table(
  'refusals',
  {
    requestId: text().key(),
    code: text(),
    /** What to do next, with the path and the problem of each invalid field. */
    detail: text(),
    refusedAt: moment(),
  },
  { indexes: { refusalsByTime: ['refusedAt'] } },
);

/** Messages for the shop's backend. */
const outbox = table(
  'outbox',
  {
    id: text().key(),
    checkoutId: text(),
    /** The exact text that is signed and sent. */
    body: text(),
    createdAt: moment(),
    tries: whole(),
    /** Undefined once the message is delivered or dead. */
    nextAttemptAt: moment().optional(),
    deliveredAt: moment().optional(),
    /** Why the last attempt failed. */
    reason: text().optional(),
  },
  {
    indexes: {
      outboxDue: ['nextAttemptAt'],
      outboxByAge: ['createdAt', 'id'],
      outboxByDelivery: ['deliveredAt'],
    },
    work: { dueAt: 'nextAttemptAt', tries: 'tries' },
  },
);

/**
 * Notifications from the service: the application that each concerns, and the token of a
 * confirmation.
 */
const notifications = table(
  'notifications',
  {
    /** SHA-256 of environment and content: a repeated notification maps to the same row. */
    id: text().key(),
    /** Environment of the companion that received it. */
    environment: environment(),
    event: text(),
    applicationId: text(),
    /** Stored until used, then erased. */
    confirmationToken: text().optional(),
    receivedAt: moment(),
    attentionAt: moment().optional(),
    tries: whole(),
    handledAt: moment().optional(),
    outcome: text().optional(),
    /** Checkout of the link that the notification identifies; undefined for other notifications. */
    checkoutId: text().optional(),
  },
  {
    indexes: { notificationsDue: ['attentionAt'], notificationsHandled: ['handledAt'] },
    work: { dueAt: 'attentionAt', tries: 'tries' },
  },
);

/** The operation that holds a charge. At most one at a time. */
const chargeTurns = table('chargeTurns', {
  environment: environment().key(),
  chargeId: text().key(),
  revision: whole(),
  operationId: text().optional(),
});

/** Settles, refunds and voids. Each is recorded before it is sent, and holds its charge until its outcome is known. */
const chargeOperations = table(
  'chargeOperations',
  {
    id: text().key(),
    environment: environment(),
    chargeId: text(),
    merchantOrderId: text(),
    kind: choice(chargeOperationKinds),
    /** Undefined only for a void of a charge whose amount cannot be represented exactly. */
    amount: amount().optional(),
    currency: text().optional(),
    merchantTransactionId: text(),
    key: text().unique(),
    /** SHA-256 of the request's payload. */
    fingerprint: text(),
    /** Amount that was settled, refunded or voided before. */
    progressBefore: amount(),
    state: choice(attemptStates),
    transactionId: text().optional(),
    serviceRequestId: text().optional(),
    reason: text().optional(),
    problem: json(storedProblemSchema).optional(),
    createdAt: moment(),
    /** When the operation was last about to be sent. */
    sentAt: moment(),
    updatedAt: moment(),
    attentionAt: moment().optional(),
    attentionTries: whole(),
    /** Id of the companion's request that sends the operation. */
    requestId: text().optional(),
    /** Name of the token that requests it; undefined for the companion itself. */
    actor: text().optional(),
    /** The person who stated the outcome of an operation, and the reason. */
    resolvedBy: text().optional(),
    resolutionNote: text().optional(),
    /** The lender's reference, which the funding of the transaction carries. */
    lenderReferenceId: text().optional(),
    /**
     * Whether the operation is a settle that was requested with its charge. Its
     * `merchantTransactionId` is the charge's, which names the authorization at the service: only
     * the charge itself shows the settle.
     */
    isWithCharge: flag(),
  },
  {
    groups: {
      amount: { value: 'amount', currency: 'currency' },
      resolution: { by: 'resolvedBy', note: 'resolutionNote' },
    },
    indexes: {
      chargeOperationsByCharge: ['chargeId', 'createdAt'],
      chargeOperationsDue: ['attentionAt'],
      chargeOperationsByRequest: ['requestId'],
      chargeOperationsByActor: ['actor', 'id'],
    },
    work: { dueAt: 'attentionAt', tries: 'attentionTries' },
  },
);

/** Transactions that the companion made, or may have made. */
const ledger = table(
  'ledger',
  {
    id: whole().key(),
    environment: environment(),
    merchantOrderId: text(),
    chargeId: text().optional(),
    type: choice(ledgerTypes),
    /** Undefined if the service's amount cannot be represented exactly. */
    amount: amount().optional(),
    currency: text().optional(),
    merchantTransactionId: text(),
    transactionId: text().optional(),
    state: choice(ledgerStates),
    occurredAt: moment(),
    createdAt: moment(),
    /** The lender's reference of the transaction, which also appears in its funding. */
    lenderReferenceId: text().optional(),
    /** Amount of the order if the charge differs from it, and the reason. */
    orderAmount: amount().optional(),
    orderAmountReason: choice(amountDifferenceReasons).optional(),
  },
  {
    groups: {
      amount: { value: 'amount', currency: 'currency' },
      ordered: {
        amount: { value: 'orderAmount', currency: 'currency' },
        reason: 'orderAmountReason',
      },
    },
    indexes: { ledgerByOrder: ['merchantOrderId', 'id'] },
  },
);

/** One row: the id of the last ledger entry. */
const ledgerHead = table('ledgerHead', { lastId: whole() });

/** A single row, written to test whether the store is writable. */
const pings = table('pings', { id: whole().key() });

/** Applications without a cart. */
const prequalifications = table(
  'prequalifications',
  {
    id: text().key(),
    environment: environment(),
    /** SHA-256 of the page's secret: the Idempotency-Key of the request that opened it. */
    secretHash: text(),
    /** SHA-256 of the request's payload. */
    fingerprint: text(),
    status: choice(prequalificationSchema.shape.status.options),
    currency: text(),
    origin: text(),
    returnUrl: text().optional(),
    locale: text().optional(),
    /** The session that the service opened; undefined while a companion is requesting it. */
    sessionToken: text().optional(),
    applicationId: text().optional(),
    /** End of the lease of the companion that opens the session. */
    leaseUntil: moment(),
    createdAt: moment(),
    expiresAt: moment(),
  },
  {
    groups: { session: { token: 'sessionToken', applicationId: 'applicationId' } },
    indexes: {
      prequalificationsBySecret: { on: ['environment', 'secretHash'], isUnique: true },
      prequalificationsByApplication: ['applicationId'],
      prequalificationsByAge: ['createdAt'],
    },
  },
);

const links = table(
  'links',
  {
    checkoutId: text().key(),
    environment: environment(),
    merchantOrderId: text(),
    /** Undefined, like `url`, while the service's response is lost. */
    linkId: text().optional(),
    /** Sent with the request for the link; notifications contain it. */
    correlationId: text(),
    url: text().optional(),
    /** PNG in Base64. */
    qrCode: text().optional(),
    delivery: choice(linkDeliveries).optional(),
    state: choice(linkStates),
    /** Statuses of the link and its applications, to detect changes; contains no ids or tokens. */
    progress: text(),
    /** When `state` or `progress` changed. */
    changedAt: moment(),
    createdAt: moment(),
    expiresAt: moment(),
    /** When the link is next read from the service. Undefined means that nothing is left to do. */
    attentionAt: moment().optional(),
    /** Number of reads since the last change, for the backoff. */
    attentionTries: whole(),
  },
  {
    indexes: {
      linksByOrder: ['merchantOrderId', 'createdAt'],
      linksByLink: ['linkId'],
      linksByCorrelation: ['correlationId'],
      linksByAttention: ['attentionAt'],
      linksByExpiry: ['expiresAt'],
    },
    work: { dueAt: 'attentionAt', tries: 'attentionTries' },
  },
);

/** The one link of an order that is active or being created. */
const linkClaims = table(
  'linkClaims',
  {
    environment: environment().key(),
    merchantOrderId: text().key(),
    attemptId: text(),
    /** Undefined while the link is being created. */
    checkoutId: text().optional(),
    until: moment(),
  },
  { indexes: { linkClaimsByEnd: ['until'] } },
);

/** Messages that the service sends with links. */
const linkMessages = table(
  'linkMessages',
  {
    /** The prime that creates the link. */
    attemptId: text().key(),
    /**
     * Digest of the phone number or email address under a key that is not in the store; undefined
     * without a limit.
     */
    recipient: text().optional(),
    /** Environment and name of the back-office token, separated by a space. */
    sender: text(),
    createdAt: moment(),
  },
  {
    indexes: {
      linkMessagesByRecipient: ['recipient', 'createdAt'],
      linkMessagesBySender: ['sender', 'createdAt'],
      linkMessagesByTime: ['createdAt'],
    },
  },
);

/** Applications of a link that were confirmed but not charged. */
const secondConfirmations = table('secondConfirmations', {
  checkoutId: text().key(),
  applicationId: text().key(),
  seenAt: moment(),
});

/** Rows that transactions lock, on PostgreSQL only; see `sql/order-lock.ts`. */
const lockRows = table('lockRows', { slot: whole().key() });

/** One row: the store's last known PostgreSQL server, by cluster and timeline. */
const serverHistory = table('serverHistory', {
  id: whole().key(),
  cluster: text(),
  timeline: whole(),
  seenAt: moment(),
  /** When a companion first saw this server; undefined until the server changes. */
  changedAt: moment().optional(),
});

/** Charges and operations that the service executed and the store has lost. */
const lostRecords = table('lostRecords', {
  /** Environment, kind, and the id of the charge or of the operation, separated by spaces. */
  id: text().key(),
  environment: environment(),
  kind: text(),
  merchantOrderId: text(),
  chargeId: text(),
  foundAt: moment(),
});

export const tables = {
  checkouts,
  attempts,
  idempotency,
  orderClaims,
  ticketUses,
  refusals,
  outbox,
  notifications,
  chargeTurns,
  chargeOperations,
  ledger,
  ledgerHead,
  pings,
  prequalifications,
  links,
  linkClaims,
  linkMessages,
  secondConfirmations,
  lockRows,
  serverHistory,
  lostRecords,
};

export type Schema = KyselyTables<typeof tables>;
/** Reads and writes the tables' columns. */
export const storeRows = new TableRows(tables);

/** Creates the tables that a store of an earlier version lacks. The name sorts after earlier ones. */
export const BASELINE = '0009-baseline';
export const migrations = migrationsOf(tables, BASELINE, {
  [BASELINE]: (db: Kysely<Pick<Schema, 'ledgerHead'>>) =>
    db.withPlugin(storeRows).insertInto('ledgerHead').values({ lastId: 0 }).execute(),
});

/* Rows. Times are milliseconds since 1970, and amounts are minor units. */
export type CheckoutRow = Row<typeof checkouts>;
export type CheckoutColumns = WrittenRow<typeof checkouts>;
export type AttemptRow = Row<typeof attempts>;
export type AttemptColumns = WrittenRow<typeof attempts>;
export type IdempotencyRow = Row<typeof idempotency>;
export type RefusalRow = Row<typeof refusals>;
export type ChargeOperationRow = Row<typeof chargeOperations>;
export type LinkRow = Row<typeof links>;
