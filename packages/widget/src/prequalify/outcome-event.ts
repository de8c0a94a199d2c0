import type { Money } from '../model/outcome.ts';

/**
 * The possible ends of an application without a cart.
 *
 * - `prequalified`: a lender offers credit; `amount` is the most that one lender named.
 * - `pending`: a lender or the shopper still has to act.
 * - `declined`: no lender offers credit. Not an error.
 * - `not-found`: the application ended before it reached a lender.
 * - `expired`: the time for the application, or for the lender's page, ran out.
 * - `cancelled`: the shopper left. Not an error.
 * - `unavailable`: the companion or the service could not be reached; the shopper can try again.
 * - `failed`: the application cannot be opened, and trying again will not help.
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
  /** Only with `prequalified`, if the lender names an amount; in minor units. */
  readonly amount?: Money | undefined;
  /** The application's ID at the service. A checkout in the same shop continues the application. */
  readonly applicationId?: string | undefined;
  /** When a checkout can no longer continue the application (ISO 8601). Absent if none was opened. */
  readonly expiresAt?: string | undefined;
  /** Whether this tab already knew the result and the element shows it again after a reload. */
  readonly restored?: boolean | undefined;
}

/**
 * Fired when an application without a cart has an outcome, as stated by the companion. It does not
 * approve an order: the lender decides at checkout.
 */
export class FinancingPrequalifyOutcomeEvent extends Event implements PrequalifyResult {
  static readonly type = 'financing-prequalify-outcome';
  declare readonly status: PrequalifyStatus;
  /** Only with `prequalified`, if the lender names an amount; in minor units. */
  declare readonly amount: Money | undefined;
  /** The application's ID at the service; absent if none was opened. */
  declare readonly applicationId: string | undefined;
  /** When a checkout can no longer continue the application (ISO 8601). */
  declare readonly expiresAt: string | undefined;
  /** Whether this tab already knew the result and the element shows it again after a reload. */
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
  /** Whether the shopper can continue with the same application. */
  readonly canContinue?: boolean | undefined;
  /** Always safe, because an application charges nothing. */
  readonly retrySafe?: boolean | undefined;
}
