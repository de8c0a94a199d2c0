import type { EndReason, Money, Outcome } from './outcome.ts';

/**
 * A response from the simulated companion: a checkout with this status, a problem with this code
 * (HTTP 422 by default), no connection (`unreachable`), or no response (`never`).
 */
export type ScenarioAnswer =
  | {
      readonly status: Outcome | 'confirming';
      readonly retrySafe?: boolean;
      /** Default: the order ticket's amount. */
      readonly amount?: Money;
    }
  | { readonly problem: string; readonly httpStatus?: number }
  | 'unreachable'
  | 'never';

/** The element's request to the simulated companion. It never leaves the page. */
export interface ScenarioRequest {
  readonly route: 'prime' | 'find' | 'confirmation' | 'cancellation';
  /** The body as sent; undefined if the request has none. */
  readonly body: unknown;
}

/** The course of a simulated checkout, which uses no companion, lender or network. */
export interface Scenario {
  /** Response to the opening request. Default: an open checkout. */
  readonly opening?: ScenarioAnswer;
  /**
   * How the lender's page ends. `mute` never becomes ready, `broken` is replaced by a page that
   * never does, and `away` is in a window of its own. Default: `confirmed`.
   */
  readonly lender?: 'confirmed' | 'mute' | 'broken' | 'away' | EndReason;
  /** Response to a lookup of an earlier checkout, such as after a reload. Default: an open one. */
  readonly found?: ScenarioAnswer;
  /** Response when the shopper leaves. Default: a cancelled checkout. */
  readonly cancellation?: ScenarioAnswer;
  /** The state in which a phone's link stays. By default, the phone opens it and then finishes. */
  readonly link?: 'waiting' | 'opened';
  /** The companion's subsequent responses, in order; the last one repeats. */
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
  /** It is unknown whether a charge exists until the third response. */
  unknown: {
    verdicts: [
      { status: 'unavailable', retrySafe: false },
      { status: 'unavailable', retrySafe: false },
      { status: 'approved' },
    ],
  },
  /** The charge remains in progress. */
  confirming: { verdicts: ['never'] },
  /** The order ticket has expired. */
  'ticket-expired': { opening: { problem: 'order-ticket-expired' } },
  /** The cart has changed by the time the offer is confirmed, and the shopper must choose. */
  'cart-changed': { verdicts: [{ problem: 'order-changed' }, { status: 'approved' }] },
  /** The lender's page never becomes ready, not even after a reload. */
  slow: { lender: 'mute' },
  /** The companion does not respond to the opening request. */
  opening: { opening: 'never' },
  offline: { opening: 'unreachable', offline: true },
} as const satisfies Record<string, Scenario>;

/** Name of a built-in scenario. */
export type ScenarioName = keyof typeof scenarios;

/** The built-in scenarios of `<financing-prequalify>`, by the value of the attribute `scenario`. */
export const prequalifyScenarios = [
  'prequalified',
  'pending',
  'declined',
  'not-found',
  'expired',
  /** The companion cannot be reached. */
  'unavailable',
] as const;

/** Name of a built-in scenario of `<financing-prequalify>`. */
export type PrequalifyScenarioName = (typeof prequalifyScenarios)[number];
