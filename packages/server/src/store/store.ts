import type {
  AmountDifference,
  CheckoutStatus,
  DeliveryState,
  Environment,
  Money,
  ProblemCode,
} from '@financing-checkout/contract';
import type { ChargeOperationStore } from './charge-operations.ts';
import type { LedgerStore, NewLedgerEntry } from './ledger.ts';
import type { NotificationStore } from './notifications.ts';
import type { PendingOperation } from './pending-operations.ts';
import type { RefusalStore } from './refusals.ts';
import type { RetentionStore } from './retention.ts';
import type { TicketStore } from './tickets.ts';
import type { TraceStore } from './trace.ts';
import type { UnclearOperationStore } from './unclear-operations.ts';
import type { StoreVersion } from './version.ts';

/** One checkout as it is kept. Times are milliseconds since 1970. */
export interface CheckoutRow {
  id: string;
  environment: Environment;
  merchantOrderId: string;
  amount: Money;
  status: CheckoutStatus;
  /** Only with `unavailable`. */
  retrySafe: boolean | undefined;
  /** Grows by one with each change that is told to the shop. */
  revision: number;
  /** Names the checkout at the service and to its hosted page. */
  sessionToken: string;
  /**
   * SHA-256 of the secret of the page that opened it: the Idempotency-Key of its prime. Undefined where
   * an earlier version opened it.
   */
  secretHash: string | undefined;
  applicationId: string | undefined;
  /** The page it was started from, for the hosted page's address. */
  origin: string;
  returnUrl: string | undefined;
  locale: string | undefined;
  /** SHA-256 of the confirmation token that claimed this checkout. The token itself is not kept. */
  confirmationHash: string | undefined;
  /** What the order was when it was primed, and the ticket (or reference) that stated it. */
  orderHash: string | undefined;
  ticketHash: string | undefined;
  /** The page has said that the order is another one by now. */
  orderChanged: boolean;
  chargeId: string | undefined;
  chargeState: string | undefined;
  /** Of the charge, in minor units; undefined where it was not read since it was made. */
  refundedAmount: number | undefined;
  /** Of the order, in minor units; undefined where an earlier version primed it. */
  taxAmount: number | undefined;
  shippingTaxAmount: number | undefined;
  /** Total of the charge where it is not `amount`, and the reason. */
  charged: AmountDifference | undefined;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  /**
   * When somebody has to look at it: an open one to expire it, a confirming one whose companion
   * died, an unknown charge to look up. Who moves it forward holds the checkout until then, so two
   * companions do not work on the same one. Undefined: nothing is left to do.
   */
  attentionAt: number | undefined;
  /** How often that was tried, for the backoff. */
  attentionTries: number;
}

export type AttemptKind = 'prime' | 'charge' | 'void';

/**
 * What is known of one request to the service that changes something there. `recorded` is written
 * before the request is sent; a process that dies then leaves it so, which means: unknown.
 */
export type AttemptState = 'recorded' | 'not-sent' | 'rejected' | 'accepted' | 'unknown';

export interface NewAttempt {
  id: string;
  kind: AttemptKind;
  checkoutId: string | undefined;
  merchantTransactionId: string | undefined;
  /** Of a prime: environment and merchant order, with a space between them. */
  primeOf?: string | undefined;
  /** Our request it is made for. */
  requestId?: string | undefined;
  /** Whether the settle of a charge is asked for with it. Undefined of others, and of those from before. */
  settle?: boolean | undefined;
}

export interface AttemptRow extends NewAttempt {
  state: AttemptState;
  serviceRequestId: string | undefined;
  reason: string | undefined;
  createdAt: number;
  updatedAt: number;
}

export interface AttemptResult {
  id: string;
  state: Exclude<AttemptState, 'recorded'>;
  serviceRequestId?: string | undefined;
  reason?: string | undefined;
}

/** A problem that an idempotency key ended with, to give the same answer again. */
export interface StoredProblem {
  code: ProblemCode;
  detail?: string | undefined;
  retrySafe?: boolean | undefined;
  serviceRequestId?: string | undefined;
  errors?: { path: string; message: string }[] | undefined;
}

export interface IdempotencyRow {
  key: string;
  /** SHA-256 of the request's payload. */
  fingerprint: string;
  attemptId: string;
  /** `released`: provably nothing was done, the same key may try again. */
  state: 'in-flight' | 'finished' | 'released';
  leaseUntil: number;
  checkoutId: string | undefined;
  problem: StoredProblem | undefined;
}

export interface BeginPrime {
  key: string;
  fingerprint: string;
  attempt: NewAttempt;
  /** The order it is for: one that has its charge is not primed again. */
  order: Pick<CheckoutRow, 'environment' | 'merchantOrderId'>;
  /** The order's budget: 0 is no limit. Primes are counted from `since` on. @default no limit */
  budget?: { openCheckouts: number; primes: number; since: number };
  now: number;
  leaseUntil: number;
}

export type BegunPrime =
  /** The key is ours, and the attempt is recorded: it may be sent. */
  | { kind: 'begun' }
  /** The key has been used: it has its answer, or somebody is about to give it one. */
  | { kind: 'known'; row: IdempotencyRow }
  /** A charge of the order exists, or is being made. */
  | { kind: 'order-taken'; checkoutId: string }
  /** The order's budget is spent; `freeAt`: when a part of it is free again. */
  | { kind: 'above-budget'; freeAt: number };

export interface FinishPrime {
  key: string;
  attempt: AttemptResult;
  now: number;
  end: { checkout: CheckoutRow } | { problem: StoredProblem } | 'released';
}

/** A change of a checkout, all of it or nothing. */
export interface CheckoutChange {
  id: string;
  /** The revision this change was decided on; another one there means: decide again. */
  revision: number;
  now: number;
  set: Partial<
    Pick<
      CheckoutRow,
      | 'status'
      | 'expiresAt'
      | 'retrySafe'
      | 'confirmationHash'
      | 'orderChanged'
      | 'chargeId'
      | 'chargeState'
      | 'refundedAmount'
      | 'charged'
      | 'attentionAt'
      | 'attentionTries'
    >
  >;
  /**
   * The time of attention that this change answers; another one there is for what has happened since,
   * and the change is stale. Undefined: whatever it is.
   */
  attentionSeen?: number | undefined;
  /** Written with it: an attempt about to be sent, or how one ended. */
  insertAttempt?: NewAttempt | undefined;
  updateAttempt?: AttemptResult | undefined;
  /** A settle that the service took with the charge and is not through with. */
  insertPending?: PendingOperation | undefined;
  /**
   * `claim`: from now on this checkout alone may make the charge of its merchant order; `release`
   * gives that back. Two tabs with one order each end in one charge.
   */
  order?: 'claim' | 'release' | undefined;
  /** Transactions that this change tells of, for the ledger. */
  ledger?: readonly NewLedgerEntry[] | undefined;
}

export type ChangeResult =
  | { kind: 'changed'; checkout: CheckoutRow }
  /** Somebody else changed it meanwhile. */
  | { kind: 'stale' }
  /** Another checkout holds the merchant order. */
  | { kind: 'order-taken' };

export interface DeliveryRow {
  id: string;
  /** The checkout it tells of. */
  checkoutId: string;
  /** The message's exact bytes: signed and sent as they are. */
  body: string;
  tries: number;
  createdAt: number;
}

export interface DeliveryQuery {
  /** Of whose checkouts; undefined: of all. */
  environment: Environment | undefined;
  state: DeliveryState | undefined;
  /** Deliveries behind this one, in the order of the list. */
  after: { createdAt: number; id: string } | undefined;
  limit: number;
}

export interface ListedDelivery {
  id: string;
  checkoutId: string;
  tries: number;
  reason: string | undefined;
  createdAt: number;
  nextAttemptAt: number | undefined;
  deliveredAt: number | undefined;
}

export type DeliveryResult =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: number; reason: string }
  | { kind: 'dead'; reason: string };

/**
 * What the companion remembers. Every method is one transaction: it is on disk when the promise
 * resolves, or nothing of it is.
 */
export interface Store
  extends
    ChargeOperationStore,
    LedgerStore,
    NotificationStore,
    RefusalStore,
    RetentionStore,
    TicketStore,
    TraceStore,
    UnclearOperationStore {
  /**
   * Brings the schema up to date. Safe to call from several processes at once.
   * @returns names of the migrations that were applied
   * @throws {StoreVersionError} when a newer program has migrated it
   */
  migrate(): Promise<string[]>;
  /** How far the schema is. Changes nothing. */
  version(): Promise<StoreVersion>;
  /** Writes, and rejects when the store cannot be used, or keeps nothing. */
  ping(): Promise<void>;
  close(): Promise<void>;

  findIdempotency(key: string): Promise<IdempotencyRow | undefined>;
  /** Takes a new or released key and records the attempt. */
  beginPrime(begin: BeginPrime): Promise<BegunPrime>;
  finishPrime(finish: FinishPrime): Promise<void>;

  findCheckout(id: string): Promise<CheckoutRow | undefined>;
  /** Newest first: an application that is continued has several. */
  findCheckoutsOfApplication(
    environment: Environment,
    applicationId: string,
  ): Promise<CheckoutRow[]>;
  findCheckoutOfCharge(
    environment: Environment,
    chargeId: string,
  ): Promise<CheckoutRow | undefined>;
  /**
   * A page of 100: those with a charge first, then the newest first. A page ends before its limit only
   * when nothing follows.
   * @param after id of the last checkout of the page before
   */
  findCheckoutsOfOrder(
    environment: Environment,
    merchantOrderId: string,
    after?: string,
  ): Promise<CheckoutRow[]>;
  /** Checkouts of an order whose charge the service refused after `since`, the last one first. */
  refusedCheckoutsOfOrder(
    order: Pick<CheckoutRow, 'environment' | 'merchantOrderId'>,
    since: number,
    limit: number,
  ): Promise<CheckoutRow[]>;
  /** Whether a checkout holds the order: its charge exists or is being made. */
  isOrderTaken(environment: Environment, merchantOrderId: string): Promise<boolean>;
  /** The one currency of each order, by the ledger or by checkouts; others are left out. */
  currenciesOfOrders(
    environment: Environment,
    merchantOrderIds: readonly string[],
  ): Promise<Map<string, string>>;
  /** Changes a checkout; a change of status or charge is put in the outbox with it. */
  changeCheckout(change: CheckoutChange): Promise<ChangeResult>;

  /** In order of time. */
  findAttempts(checkoutId: string): Promise<AttemptRow[]>;
  updateAttempt(result: AttemptResult, now: number): Promise<void>;
  /**
   * Ids of checkouts whose time of attention has come. Of one environment, since the service of
   * another knows nothing of them; undefined: of all.
   */
  dueCheckouts(environment: Environment | undefined, now: number, limit: number): Promise<string[]>;
  /**
   * Moves attention from `seen` to `until`, if any, and counts a try; once what was asked is answered,
   * tries are counted anew. False when another companion was first.
   */
  claimAttention(
    id: string,
    seen: number,
    until: number | undefined,
    isAnswered?: boolean,
  ): Promise<boolean>;

  /** Takes messages that are due; until `until` nobody else gets them. */
  claimDeliveries(
    environment: Environment,
    now: number,
    until: number,
    limit: number,
  ): Promise<DeliveryRow[]>;
  /**
   * Writes how a try ended. Of a message that was claimed or asked for again meanwhile nothing is
   * changed.
   * @param tries that of the claim
   */
  finishDelivery(id: string, tries: number, result: DeliveryResult, now: number): Promise<void>;
  /** Oldest first, without their bodies. */
  listDeliveries(query: DeliveryQuery): Promise<ListedDelivery[]>;
  /**
   * Sends a message of an environment again from the first try on, whatever became of it. False:
   * there is none.
   */
  replayDelivery(environment: Environment, id: string, now: number): Promise<boolean>;
}
