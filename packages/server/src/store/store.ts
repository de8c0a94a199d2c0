/* The store's interface for the companion's other rooms. */
export type { AttemptResult, NewAttempt } from './attempts.ts';
export type {
  EndChargeOperation,
  NewChargeOperation,
  PendingOperation,
  Resolution,
} from './charge-operation.ts';
export type { ChangeResult, CheckoutChange } from './checkout-changes.ts';
export type { DeliveryRow, ListedDelivery } from './deliveries.ts';
export type { ClaimedKey, KeyClaim, PrimeClaim } from './idempotency.ts';
export type { Store } from './kysely-store.ts';
export type { LedgerEntryRow, NewLedgerEntry } from './ledger.ts';
export type { JoinLink } from './link-claims.ts';
export type { LinkMessage } from './link-messages.ts';
export type { NewLink, SecondConfirmation } from './links.ts';
export type { LostRecord } from './losses.ts';
export type { NotificationRow } from './notifications.ts';
export type { PrequalificationRow } from './prequalifications.ts';
export type { BeginPrime, FinishPrime } from './primes.ts';
export type {
  AttemptRow,
  AttemptState,
  ChargeOperationRow,
  CheckoutRow,
  IdempotencyRow,
  LinkRow,
  RefusalRow,
} from './schema.ts';
export type { SentRequest } from './sent-requests.ts';
export type { StoredProblem } from './stored-problem.ts';
export type { Trace } from './trace.ts';
