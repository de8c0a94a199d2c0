import type { Money } from '../model/outcome.ts';

/**
 * The possible ends of an application without a cart.
 *
 * - `prequalified`: a lender offers credit; `amount` is the most that one lender named.
 * - `pending`: a lender or the shopper still has to act.
 * - `declined`: no lender offers credit. Not an error.
 * - `not-found`: it ended before it reached a lender.
 * - `expired`: its time, or that of the lender's page, ran out.
 * - `cancelled`: the shopper left. Not an error.
 * - `unavailable`: the companion or the service could not be reached; the shopper can try again.
 * - `failed`: it cannot be opened, and trying again will not help.
 */
export type PrequalifyStatus =
  | 'prequalified'
  | 'pending'
  | 'declined'
  | 'not-found'
  | 'expired'
  | 'cancelled'
  | 'unavailable'
  | 'failed';

/** The result of one application without a cart. It contains no personal data. */
export interface PrequalifyResult {
  readonly status: PrequalifyStatus;
  /** Only with `prequalified`, where the lender names an amount; in minor units. */
  readonly amount?: Money | undefined;
  /** The application at the service, which a checkout of the same shop continues. */
  readonly applicationId?: string | undefined;
  /** ISO 8601: when a checkout can no longer continue it. Absent when none was opened. */
  readonly expiresAt?: string | undefined;
  /** Whether this tab knew the result before, and the element shows it again after a reload. */
  readonly restored?: boolean | undefined;
}

/**
 * Fired when an application without a cart has an outcome, as the companion states it. It is no
 * approval of an order: the lender decides at the checkout.
 */
export class FinancingPrequalifyOutcomeEvent extends Event implements PrequalifyResult {
  static readonly type = 'financing-prequalify-outcome';
  declare readonly status: PrequalifyStatus;
  /** Only with `prequalified`, where the lender names an amount; in minor units. */
  declare readonly amount: Money | undefined;
  /** The application at the service; absent when none was opened. */
  declare readonly applicationId: string | undefined;
  /** ISO 8601: when a checkout can no longer continue it. */
  declare readonly expiresAt: string | undefined;
  /** Whether this tab knew the result before, and the element shows it again after a reload. */
  declare readonly restored: boolean | undefined;

  constructor(result: PrequalifyResult) {
    super(FinancingPrequalifyOutcomeEvent.type, { bubbles: true, composed: true });
    this.status = result.status;
    this.amount = result.amount;
    this.applicationId = result.applicationId;
    this.expiresAt = result.expiresAt;
    this.restored = result.restored;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-prequalify-outcome': FinancingPrequalifyOutcomeEvent;
  }
}

/** A result with the additional members that the notice reads. */
export interface PrequalifyEnded extends PrequalifyResult {
  /** Whether the shopper can go on with the same application. */
  readonly canContinue?: boolean | undefined;
  /** Always safe, because an application charges nothing. */
  readonly retrySafe?: boolean | undefined;
}
