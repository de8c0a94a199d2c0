import type { Clock } from '@financing-checkout/kit';
import type { ServiceClient } from './client.ts';

/**
 * Leases, grace periods and poll delays in milliseconds. All are derived from two values, the
 * deadline of a service call and the deadline of the call that creates a charge: if a lease were
 * shorter than a call, two companions would work on the same row.
 */
export interface Timing {
  /** The time after which the companion that recorded an attempt is presumed dead. */
  leaseMs: number;
  /** The same for the creation of a charge, which has a longer deadline. */
  chargeLeaseMs: number;
  /**
   * How long after sending a missing charge or transaction proves that nothing was done. The
   * service's official clients wait this long for a charge.
   */
  absenceGraceMs: number;
  /**
   * The time that the confirming page has before a notification of the same confirmation is acted
   * on: only the page knows whether the order has changed.
   */
  pageGraceMs: number;
  /**
   * The interval between two polls of an open checkout. With the page's grace period, a confirmation
   * whose page never runs again is acted on within a minute.
   */
  openPollMs: number;
  /**
   * The maximum time that a page waits for the response to its confirmation; the charge creation
   * continues afterward.
   */
  responseMs: number;
  /** The delay before the first lookup of an unknown outcome. */
  firstPollMs: number;
  /** The maximum delay between two lookups. */
  maxPollMs: number;
}

/**
 * Returns the timing for the deadlines of a service client. With the default deadlines of 10 s and
 * 60 s, in the order of the fields: 30 s, 90 s, 3 min, 10 s, 40 s, 10 s, 2 s and 5 min.
 */
export function timingFor({
  deadlineMs,
  chargeDeadlineMs,
}: Pick<ServiceClient, 'deadlineMs' | 'chargeDeadlineMs'>): Timing {
  const leaseMs = deadlineMs * 3;
  return {
    leaseMs,
    chargeLeaseMs: chargeDeadlineMs + leaseMs,
    absenceGraceMs: Math.max(deadlineMs * 12, chargeDeadlineMs * 3),
    pageGraceMs: deadlineMs,
    openPollMs: Math.min(40_000, deadlineMs * 4),
    responseMs: deadlineMs,
    // PostgreSQL stores whole milliseconds only.
    firstPollMs: Math.ceil(deadlineMs / 5),
    maxPollMs: deadlineMs * 30,
  };
}

/**
 * Returns whether the absence of a request at the service proves that it was never executed. The
 * grace period restarts when the clock is set forward: no real time has passed, and a premature
 * proof of absence would permit a second charge.
 * @param sentAt milliseconds since 1970
 */
export function isPastGrace(
  { clock, timing, steadySince }: { clock: Clock; timing: Timing; steadySince: () => number },
  sentAt: number,
): boolean {
  return clock.now() - Math.max(sentAt, steadySince()) >= timing.absenceGraceMs;
}

/**
 * Returns the milliseconds until the next lookup: the delay doubles from the first to the maximum
 * delay.
 */
export function pollDelay(timing: Timing, tries: number): number {
  return Math.min(timing.maxPollMs, timing.firstPollMs * 2 ** Math.min(tries, 10));
}

/** How long a proven absence is occasionally rechecked, in milliseconds. */
export const RECHECKED_MS = 7 * 86_400_000;

/**
 * Returns the time of the next lookup of a state that is unlikely to change, with growing delays.
 * @param since milliseconds since 1970
 * @returns undefined once `forMs` have passed
 */
export function nextRarePoll(
  { clock, timing }: { clock: Clock; timing: Timing },
  since: number,
  forMs: number,
): number | undefined {
  const now = clock.now();
  const passed = now - since;
  return passed < forMs ? now + Math.max(passed, timing.absenceGraceMs) : undefined;
}

/**
 * Returns the time of the next lookup in case the current one gets no response: soon at first, then
 * with a delay that quadruples each time, but no later than the next rare poll.
 * @param tries number of earlier lookups without a response
 * @param rarePoll the result of {@link nextRarePoll}
 */
export function nextPollUnanswered(
  { clock, timing }: { clock: Clock; timing: Timing },
  tries: number,
  rarePoll: number | undefined,
): number | undefined {
  return rarePoll && Math.min(rarePoll, clock.now() + timing.firstPollMs * 4 ** tries);
}
