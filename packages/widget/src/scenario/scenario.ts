import type { Outcome } from '../outcome.ts';
import type { EndReason } from '../presentations/frame.ts';

/**
 * An answer of the companion: a checkout with this status, a problem with this code (HTTP 422
 * unless told otherwise), no connection, or none at all.
 */
export type ScenarioAnswer =
  | { readonly status: Outcome | 'confirming'; readonly retrySafe?: boolean }
  | { readonly problem: string; readonly httpStatus?: number }
  | 'unreachable'
  | 'never';

/** One request that the element made of the companion, of which nothing left the page. */
export interface ScenarioRequest {
  readonly route: 'prime' | 'find' | 'confirmation' | 'cancellation';
  /** As it would have been sent; undefined where a request has none. */
  readonly body: unknown;
}

/** How a checkout goes that is only played: no companion, no lender, no network. */
export interface Scenario {
  /** What the opening is answered with; otherwise an open checkout. */
  readonly opening?: ScenarioAnswer;
  /** What the lender's page ends with; `mute` never says that it is there. By default `confirmed`. */
  readonly lender?: 'confirmed' | 'mute' | EndReason;
  /** What the companion answers after that, one after the other; the last one stays. */
  readonly verdicts?: readonly ScenarioAnswer[];
  /** The shopper has no network. */
  readonly offline?: true;
  /** Told of each request. */
  readonly onRequest?: (request: ScenarioRequest) => void;
}

/** The scenarios that come with the widget, by the name that the attribute `scenario` takes. */
export const scenarios = {
  approved: { verdicts: [{ status: 'approved' }] },
  pending: { verdicts: [{ status: 'pending' }] },
  declined: { lender: 'declined', verdicts: [{ status: 'declined' }] },
  cancelled: { lender: 'cancelled', verdicts: [{ status: 'cancelled' }] },
  expired: { lender: 'expired', verdicts: [{ status: 'expired' }] },
  failed: { lender: 'failed', verdicts: [{ status: 'failed' }] },
  /** The service is down, and it is known that nothing was charged. */
  unavailable: { verdicts: [{ status: 'unavailable', retrySafe: true }] },
  /** It is not known whether there is a charge, until the companion is asked twice more. */
  unknown: {
    verdicts: [
      { status: 'unavailable', retrySafe: false },
      { status: 'unavailable', retrySafe: false },
      { status: 'approved' },
    ],
  },
  /** The charge is being made, and goes on being made. */
  confirming: { verdicts: ['never'] },
  /** The order ticket is too old. */
  'ticket-expired': { opening: { problem: 'order-ticket-expired' } },
  /** The cart is another one when the offer is confirmed; then the shopper chooses. */
  'cart-changed': { verdicts: [{ problem: 'order-changed' }, { status: 'approved' }] },
  /** The lender's page does not come, however often it is loaded. */
  slow: { lender: 'mute' },
  /** The companion does not answer to the opening. */
  opening: { opening: 'never' },
  offline: { opening: 'unreachable', offline: true },
} as const satisfies Record<string, Scenario>;

/** Name of a scenario that comes with the widget. */
export type ScenarioName = keyof typeof scenarios;
