import type { AttemptRepository } from './attempts.ts';
import type { ChargeOperationRepository } from './charge-operations.ts';
import type { CheckoutChanges } from './checkout-changes.ts';
import type { CheckoutRepository } from './checkouts.ts';
import type { DeliveryRepository } from './deliveries.ts';
import type { LedgerRepository } from './ledger.ts';
import type { LinkRepository } from './links.ts';
import type { LossRepository } from './losses.ts';
import type { NotificationRepository } from './notifications.ts';
import type { OrderClaims } from './order-claims.ts';
import type { OrderCurrencies } from './order-currencies.ts';
import type { PrequalificationRepository } from './prequalifications.ts';
import type { PrimeRepository } from './primes.ts';
import type { Retention } from './retention.ts';
import type { TicketRepository } from './tickets.ts';
import type { TraceRepository } from './trace.ts';
import type { UnclearOperationRepository } from './unclear-operations.ts';
import type { StoreVersion } from '@financing-checkout/kit/sql';

export type { AttemptResult, AttemptRow, AttemptState, NewAttempt } from './attempts.ts';
export type { ChangeResult, CheckoutChange } from './checkout-changes.ts';
export type { CheckoutRow } from './checkout-row.ts';
export type { DeliveryRow, ListedDelivery } from './deliveries.ts';
export type { ClaimedKey, IdempotencyRow, KeyClaim, PrimeClaim } from './idempotency.ts';
export type { JoinLink } from './link-claims.ts';
export type { LinkMessage } from './link-messages.ts';
export type { LinkRow, NewLink, SecondConfirmation } from './links.ts';
export type { LostRecord } from './losses.ts';
export type { BeginPrime, FinishPrime } from './primes.ts';
export type { SentRequest } from './sent-requests.ts';
export type { StoredProblem } from './stored-problem.ts';

/**
 * Everything that the companion stores. Every method is one transaction: when the promise resolves,
 * the whole transaction is on disk; when it rejects because of the transaction, nothing is.
 */
export interface Store
  extends
    AttemptRepository,
    ChargeOperationRepository,
    CheckoutChanges,
    CheckoutRepository,
    DeliveryRepository,
    LedgerRepository,
    LinkRepository,
    LossRepository,
    NotificationRepository,
    OrderClaims,
    OrderCurrencies,
    PrequalificationRepository,
    PrimeRepository,
    Retention,
    TicketRepository,
    TraceRepository,
    UnclearOperationRepository {
  /**
   * Migrates the schema to the current version. Safe to call from several processes concurrently.
   * @returns the names of the migrations that were applied
   * @throws {StoreVersionError} for a store of a newer or an unsupported version of the program
   */
  migrate(): Promise<string[]>;
  /** Reads the version of the schema. Changes nothing. */
  version(): Promise<StoreVersion>;
  /** Writes a row. Rejects when the store cannot be reached or written. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
