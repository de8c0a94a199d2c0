import type { ChargeOperationKind } from '@financing-checkout/contract/back-office';
import type { Money } from '@financing-checkout/contract/money';
import type { Environment } from '@financing-checkout/contract/storefront';
import type { AttemptState } from './attempts.ts';
import type { NewLedgerEntry } from './ledger.ts';
import type { StoredProblem } from './stored-problem.ts';

/** A settle, refund or void of a charge that is about to be sent. */
export interface NewChargeOperation {
  id: string;
  environment: Environment;
  chargeId: string;
  merchantOrderId: string;
  kind: ChargeOperationKind;
  /** Undefined only for a void of a charge whose amount cannot be represented exactly. */
  amount: Money | undefined;
  merchantTransactionId: string;
  key: string;
  /** SHA-256 of the request's payload. */
  fingerprint: string;
  /** Amount that was settled, refunded or voided before, in minor units. */
  progressBefore: number;
  /** Id of the companion's request that sends the operation. */
  requestId?: string | undefined;
  /** Name of the token that requests it; undefined for the companion itself. */
  actor?: string | undefined;
}

/** The person who stated the outcome of an operation, and the reason. */
export interface Resolution {
  by: string;
  note: string;
}

/** An operation is recorded before it is sent, and holds its charge until its outcome is known. */
export interface ChargeOperationRow extends NewChargeOperation {
  state: AttemptState;
  transactionId: string | undefined;
  /** The lender's reference, which the funding of the transaction carries. */
  lenderReferenceId: string | undefined;
  /**
   * Whether the operation is a settle that was requested with its charge. Its `merchantTransactionId` is the
   * charge's, which names the authorization at the service: only the charge itself shows the settle.
   */
  isWithCharge: boolean;
  serviceRequestId: string | undefined;
  reason: string | undefined;
  problem: StoredProblem | undefined;
  resolution: Resolution | undefined;
  createdAt: number;
  /** When the operation was last about to be sent. */
  sentAt: number;
  updatedAt: number;
  attentionAt: number | undefined;
  attentionTries: number;
}

export interface EndChargeOperation {
  id: string;
  /**
   * Identifies the attempt, in milliseconds, because an operation that moved nothing may be sent
   * again.
   */
  sentAt: number;
  now: number;
  state: Exclude<AttemptState, 'recorded'>;
  transactionId?: string | undefined;
  lenderReferenceId?: string | undefined;
  serviceRequestId?: string | undefined;
  reason?: string | undefined;
  problem?: StoredProblem | undefined;
  resolution?: Resolution | undefined;
  /** Ends an operation that a person resolved as "not done"; the resolution is kept. */
  overrules?: boolean;
  /**
   * Ends an operation that the service accepted but had not completed (its reason is `pending`).
   */
  follows?: boolean;
  ledger: readonly NewLedgerEntry[];
  /** When to look the operation up: while it is `unknown` or pending, or resolved as "not done". */
  attentionAt?: number | undefined;
}
