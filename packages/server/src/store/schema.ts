import type { ColumnType } from 'kysely';

/** A column that may be null: {@link StoreRows} reads null as undefined. */
type Nullable<Value> = ColumnType<Value | undefined, Value | null | undefined, Value | null>;

/**
 * Tables. Portable between SQLite and PostgreSQL: text and
 * integers, no booleans, no JSON type.
 */
export interface Schema {
  checkouts: CheckoutsTable;
  attempts: AttemptsTable;
  idempotency: IdempotencyTable;
  orderClaims: OrderClaimsTable;
  outbox: OutboxTable;
  chargeTurns: ChargeTurnsTable;
  chargeOperations: ChargeOperationsTable;
  ledger: LedgerTable;
  ledgerHead: LedgerHeadTable;
  notifications: NotificationsTable;
  ticketUses: TicketUsesTable;
  refusals: RefusalsTable;
  pings: PingsTable;
  prequalifications: PrequalificationsTable;
  links: LinksTable;
  linkClaims: LinkClaimsTable;
  linkMessages: LinkMessagesTable;
  secondConfirmations: SecondConfirmationsTable;
  lockRows: LockRowsTable;
  serverHistory: ServerHistoryTable;
  lostRecords: LostRecordsTable;
}

export interface CheckoutsTable {
  id: string;
  environment: string;
  merchantOrderId: string;
  amount: number;
  currency: string;
  status: string;
  retrySafe: Nullable<number>;
  revision: number;
  sessionToken: string;
  /** SHA-256 of the secret of the page that opened the checkout. */
  secretHash: string;
  applicationId: Nullable<string>;
  origin: string;
  returnUrl: Nullable<string>;
  locale: Nullable<string>;
  confirmationHash: Nullable<string>;
  orderHash: string;
  ticketHash: Nullable<string>;
  orderChanged: Nullable<number>;
  chargeId: Nullable<string>;
  chargeState: Nullable<string>;
  /**
   * Refunded amount of the charge, in minor units; null until the charge is reread after its
   * creation.
   */
  refundedAmount: Nullable<number>;
  /** Tax amounts of the order, in minor units. */
  taxAmount: number;
  shippingTaxAmount: number;
  /** Total of the charge in minor units, if it differs from `amount`, and the reason. */
  chargedAmount: Nullable<number>;
  chargedReason: Nullable<string>;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  attentionAt: Nullable<number>;
  attentionTries: number;
  /** JSON of the contract's `keptMessageSchema`; null if the page reported no message. */
  shown: Nullable<string>;
  /** `link`: the shopper continues on another device. Null for other checkouts. */
  via: Nullable<string>;
  /** JSON of the contract's `orderedItemSchema`. */
  items: string;
}

export interface AttemptsTable {
  id: string;
  kind: string;
  checkoutId: Nullable<string>;
  merchantTransactionId: Nullable<string>;
  state: string;
  serviceRequestId: Nullable<string>;
  reason: Nullable<string>;
  requestId: Nullable<string>;
  /** 1 or 0 for a charge; null for other kinds. */
  settle: Nullable<number>;
  /** Environment and merchant order of a prime; null for other kinds. */
  primeOf: Nullable<string>;
  createdAt: number;
  updatedAt: number;
}

export interface IdempotencyTable {
  /** Environment and Idempotency-Key, separated by a space. */
  key: string;
  fingerprint: string;
  attemptId: string;
  state: string;
  leaseUntil: number;
  checkoutId: Nullable<string>;
  problem: Nullable<string>;
  createdAt: number;
}

export interface OrderClaimsTable {
  environment: string;
  merchantOrderId: string;
  checkoutId: string;
}

export interface OutboxTable {
  id: string;
  checkoutId: string;
  body: string;
  createdAt: number;
  tries: number;
  /** Null once the message is delivered or dead. */
  nextAttemptAt: Nullable<number>;
  deliveredAt: Nullable<number>;
  lastReason: Nullable<string>;
}

/** The operation that holds a charge. At most one at a time. */
export interface ChargeTurnsTable {
  environment: string;
  chargeId: string;
  revision: number;
  operationId: Nullable<string>;
}

export interface ChargeOperationsTable {
  id: string;
  environment: string;
  chargeId: string;
  merchantOrderId: string;
  kind: string;
  amount: Nullable<number>;
  currency: Nullable<string>;
  merchantTransactionId: string;
  key: string;
  fingerprint: string;
  progressBefore: number;
  state: string;
  transactionId: Nullable<string>;
  serviceRequestId: Nullable<string>;
  reason: Nullable<string>;
  problem: Nullable<string>;
  createdAt: number;
  sentAt: number;
  updatedAt: number;
  attentionAt: Nullable<number>;
  attentionTries: number;
  /** Name of the token that requested the operation; null for the companion itself. */
  actor: Nullable<string>;
  requestId: Nullable<string>;
  lenderReferenceId: Nullable<string>;
  /** 1 for a settle that was requested with its charge, under the charge's id. */
  withCharge: Nullable<number>;
  /** Who resolved the operation manually, and the reason. */
  resolvedBy: Nullable<string>;
  resolutionNote: Nullable<string>;
}

export interface LedgerTable {
  /** A merchant's own driver may return text. */
  id: ColumnType<number | string, number, number>;
  environment: string;
  merchantOrderId: string;
  chargeId: Nullable<string>;
  type: string;
  amount: Nullable<number>;
  currency: Nullable<string>;
  merchantTransactionId: string;
  transactionId: Nullable<string>;
  /** The lender's reference of the transaction, which also appears in its funding. */
  lenderReferenceId: Nullable<string>;
  /** Amount of the order in minor units, if the charge differs from it, and the reason. */
  orderAmount: Nullable<number>;
  orderAmountReason: Nullable<string>;
  state: string;
  occurredAt: number;
  createdAt: number;
}

/** One row: the id of the last ledger entry. */
export interface LedgerHeadTable {
  lastId: number;
}

export interface NotificationsTable {
  id: string;
  environment: string;
  event: string;
  applicationId: string;
  /** Null after use. */
  confirmationToken: Nullable<string>;
  receivedAt: number;
  attentionAt: Nullable<number>;
  tries: number;
  handledAt: Nullable<number>;
  outcome: Nullable<string>;
  /** Checkout of the link that the notification identifies; null for other notifications. */
  checkoutId: Nullable<string>;
}

export interface RefusalsTable {
  requestId: string;
  code: string;
  detail: string;
  refusedAt: number;
}

export interface TicketUsesTable {
  ticketId: string;
  key: string;
  claimedAt: number;
}

/** Applications without a cart. */
export interface PrequalificationsTable {
  id: string;
  environment: string;
  /** SHA-256 of the secret of the page that opened it. */
  secretHash: string;
  fingerprint: string;
  status: string;
  currency: string;
  origin: string;
  returnUrl: Nullable<string>;
  locale: Nullable<string>;
  /** Null until the service has opened the session, like `applicationId`. */
  sessionToken: Nullable<string>;
  applicationId: Nullable<string>;
  leaseUntil: number;
  createdAt: number;
  expiresAt: number;
}

export interface LinksTable {
  checkoutId: string;
  environment: string;
  merchantOrderId: string;
  /** Null, like `url`, while the service's response is lost. */
  linkId: Nullable<string>;
  /** Sent with the request for the link; notifications contain it. */
  correlationId: string;
  url: Nullable<string>;
  qrCode: Nullable<string>;
  delivery: Nullable<string>;
  state: string;
  /** Statuses of the link and its applications, to detect changes; contains no ids or tokens. */
  progress: string;
  /** When `state` or `progress` changed. */
  changedAt: number;
  createdAt: number;
  expiresAt: number;
  attentionAt: Nullable<number>;
  attentionTries: number;
}

/** The one link of an order that is active or being created. */
export interface LinkClaimsTable {
  environment: string;
  merchantOrderId: string;
  attemptId: string;
  /** Null while the link is being created. */
  checkoutId: Nullable<string>;
  until: number;
}

/** Messages in which the service sends links. */
export interface LinkMessagesTable {
  /** The prime that creates the link. */
  attemptId: string;
  /**
   * Digest of the phone number or email address under a key that is not in the store; null without
   * a limit.
   */
  recipient: Nullable<string>;
  /** Environment and name of the back-office token, separated by a space. */
  sender: string;
  createdAt: number;
}

/** Applications of a link that were confirmed but not charged. */
export interface SecondConfirmationsTable {
  checkoutId: string;
  applicationId: string;
  seenAt: number;
}

/** A single row, written to test whether the store is writable. */
export interface PingsTable {
  id: number;
}

/** Rows that transactions lock; see `sql/order-lock.ts`. Only PostgreSQL has some. */
export interface LockRowsTable {
  slot: number;
}

/** One row: the PostgreSQL server that the store last had, by its cluster and its timeline. */
export interface ServerHistoryTable {
  id: number;
  cluster: string;
  timeline: number;
  seenAt: number;
  /** When a companion first saw this server; null until the server changes. */
  changedAt: Nullable<number>;
}

/** What the service has done for the companion and the store no longer has. */
export interface LostRecordsTable {
  /** Environment, kind, and the id of the charge or of the operation, separated by spaces. */
  id: string;
  environment: string;
  kind: string;
  merchantOrderId: string;
  chargeId: string;
  foundAt: number;
}
