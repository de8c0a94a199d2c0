import type { Clock } from '../platform/clock.ts';
import type { ServiceClient } from '../service/client.ts';

/**
 * The waits of the companion, in milliseconds. All of them follow from two numbers, the deadline of a
 * call of the service and that of the call that creates a charge: with a lease shorter than a call, two
 * companions would work on the same thing.
 */
export interface Waits {
  /**
   * How long an attempt belongs to the companion that recorded it. After it, a companion that died
   * is presumed dead.
   */
  leaseMs: number;
  /** The same for the creation of a charge, which has a deadline of its own. */
  chargeLeaseMs: number;
  /**
   * How long after a request that moves money was sent its absence at the service counts as proof
   * that nothing was done. Official clients of the service wait this long for a charge.
   */
  absenceGraceMs: number;
  /**
   * How long the page that the shopper confirmed on goes first, before a notification of the same
   * confirmation is used: the page knows whether the order has changed.
   */
  pageFirstMs: number;
  /** How long a page waits for the answer to its confirmation; the creation goes on after it. */
  answerMs: number;
  /** Until the first look at something whose outcome is unknown. */
  firstLookMs: number;
  /** Between two looks, at the longest. */
  longestLookMs: number;
}

/**
 * Returns the waits that fit the deadlines of a service client. With the default ones, 10 s and 60 s:
 * 30 s, 90 s, 3 min, 10 s, 10 s, 2 s and 5 min.
 */
export function waitsFor({
  deadlineMs,
  chargeDeadlineMs,
}: Pick<ServiceClient, 'deadlineMs' | 'chargeDeadlineMs'>): Waits {
  const leaseMs = deadlineMs * 3;
  return {
    leaseMs,
    chargeLeaseMs: chargeDeadlineMs + leaseMs,
    absenceGraceMs: Math.max(deadlineMs * 12, chargeDeadlineMs * 3),
    pageFirstMs: deadlineMs,
    answerMs: deadlineMs,
    // Whole milliseconds: PostgreSQL holds no others.
    firstLookMs: Math.ceil(deadlineMs / 5),
    longestLookMs: deadlineMs * 30,
  };
}

/**
 * Whether what the service does not know yet counts as never made. A clock that was set forward has not
 * let that time pass, so the grace begins anew with it: else the next charge would be a second one.
 * @param sentAt when it was sent, in milliseconds since 1970
 */
export function isPastGrace(
  { clock, waits, steadySince }: { clock: Clock; waits: Waits; steadySince: () => number },
  sentAt: number,
): boolean {
  return clock.now() - Math.max(sentAt, steadySince()) >= waits.absenceGraceMs;
}

/** Milliseconds until the next look: doubles from the first to the longest. */
export function lookDelay(waits: Waits, tries: number): number {
  return Math.min(waits.longestLookMs, waits.firstLookMs * 2 ** Math.min(tries, 10));
}

/** For how long the service is asked now and then whether it has what it was said not to have, in milliseconds. */
export const CHECKED_MS = 7 * 86_400_000;

/**
 * When to look next at what is hardly expected to change, ever more rarely.
 * @param since from when on, in milliseconds since 1970
 * @returns undefined when that was done for `forMs`
 */
export function rareLook(
  { clock, waits }: { clock: Clock; waits: Waits },
  since: number,
  forMs: number,
): number | undefined {
  const now = clock.now();
  const passed = now - since;
  return passed < forMs ? now + Math.max(passed, waits.absenceGraceMs) : undefined;
}

/**
 * When to look again if that rare look is not answered: soon, then four times as late each time, and
 * no later than the next rare one.
 * @param tries looks before it that were not answered
 * @param rare what {@link rareLook} says
 */
export function unlessAnswered(
  { clock, waits }: { clock: Clock; waits: Waits },
  tries: number,
  rare: number | undefined,
): number | undefined {
  return rare && Math.min(rare, clock.now() + waits.firstLookMs * 4 ** tries);
}
