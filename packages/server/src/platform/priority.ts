/**
 * The urgency of a call to the service, by what depends on the call. Each route or job declares the
 * priority of its calls; there is no default, because a default would give a new route more than it
 * needs.
 *
 * - `charge`: money may move or has moved: creates, settles, refunds or voids a charge, or looks up
 *   the outcome.
 * - `checkout`: a purchase depends on the call: opens a checkout or a link, or tracks an
 *   application until its charge.
 * - `report`: staff or a reconciliation job reads the service's records.
 * - `refusal`: looks up a refused charge. A page controls how many such calls there are, but the
 *   order's next confirmation waits for the result.
 * - `page`: a page requests the call and no purchase depends on it: prequalifications,
 *   cancellations. Also the polls of open checkouts, because pages determine how many are open.
 */
export type Priority = 'charge' | 'checkout' | 'report' | 'refusal' | 'page';

/** All priorities, most urgent first. */
export const priorities: readonly Priority[] = ['charge', 'checkout', 'report', 'refusal', 'page'];
