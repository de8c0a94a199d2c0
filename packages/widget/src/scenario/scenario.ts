import type { EndReason, Outcome } from '../model/outcome.ts';

/**
 * An answer of the simulated companion: a checkout with this status, a problem with this code
 * (HTTP 422 by default), no connection (`unreachable`), or no answer (`never`).
 */
export type ScenarioAnswer =
  | { readonly status: Outcome | 'confirming'; readonly retrySafe?: boolean }
  | { readonly problem: string; readonly httpStatus?: number }
  | 'unreachable'
  | 'never';

/** A request of the element to the simulated companion. It never leaves the page. */
export interface ScenarioRequest {
  readonly route: 'prime' | 'find' | 'confirmation' | 'cancellation';
  /** The body as sent; undefined where a request has none. */
  readonly body: unknown;
}

/** The course of a simulated checkout: no companion, no lender, no network. */
export interface Scenario {
  /** Answer to the opening request. By default an open checkout. */
  readonly opening?: ScenarioAnswer;
  /** How the lender's page ends; `mute` never becomes ready. By default `confirmed`. */
  readonly lender?: 'confirmed' | 'mute' | EndReason;
  /** The companion's answers after that, in order; the last one repeats. */
  readonly verdicts?: readonly ScenarioAnswer[];
  /** The shopper has no network. */
  readonly offline?: true;
  /** Called for each request. */
  readonly onRequest?: (request: ScenarioRequest) => void;
}

/** The built-in scenarios, by the value of the attribute `scenario`. */
export const scenarios = {
  approved: { verdicts: [{ status: 'approved' }] },
  pending: { verdicts: [{ status: 'pending' }] },
  declined: { lender: 'declined', verdicts: [{ status: 'declined' }] },
  cancelled: { lender: 'cancelled', verdicts: [{ status: 'cancelled' }] },
  expired: { lender: 'expired', verdicts: [{ status: 'expired' }] },
  failed: { lender: 'failed', verdicts: [{ status: 'failed' }] },
  /** The service is down, and certainly nothing was charged. */
  unavailable: { verdicts: [{ status: 'unavailable', retrySafe: true }] },
  /** It is unknown whether a charge exists; the third answer resolves it. */
  unknown: {
    verdicts: [
      { status: 'unavailable', retrySafe: false },
      { status: 'unavailable', retrySafe: false },
      { status: 'approved' },
    ],
  },
  /** The charge stays in progress. */
  confirming: { verdicts: ['never'] },
  /** The order ticket has expired. */
  'ticket-expired': { opening: { problem: 'order-ticket-expired' } },
  /** The cart differs when the offer is confirmed; the shopper has to choose. */
  'cart-changed': { verdicts: [{ problem: 'order-changed' }, { status: 'approved' }] },
  /** The lender's page never becomes ready, not even after a reload. */
  slow: { lender: 'mute' },
  /** The companion does not answer the opening request. */
  opening: { opening: 'never' },
  offline: { opening: 'unreachable', offline: true },
} as const satisfies Record<string, Scenario>;

/** Name of a built-in scenario. */
export type ScenarioName = keyof typeof scenarios;
