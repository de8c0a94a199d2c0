/**
 * The urgency of a call of the service, by what depends on it. A route or a job states it for each call;
 * there is no default, because a default gives a new route more than it needs.
 *
 * - `charge`: money may move or has moved: creates, settles, refunds or voids a charge, or finds the
 *   outcome of that.
 * - `checkout`: a purchase needs it: opens a checkout or a link, or follows an application to its charge.
 * - `report`: staff or reconciliation reads what the service has.
 * - `refusal`: looks up a charge that was refused. A page decides how many there are, but the next
 *   confirmation of the order waits for the answer.
 * - `page`: a page asks for it and no purchase depends on it: prequalifications, cancellations.
 */
export type Priority = 'charge' | 'checkout' | 'report' | 'refusal' | 'page';

/** All priorities, the most urgent first. */
export const priorities: readonly Priority[] = ['charge', 'checkout', 'report', 'refusal', 'page'];
