import type { Clock } from '../clock/clock.ts';

/**
 * How long the companion waits for what, in milliseconds. All of it follows from one number, the
 * deadline of a call of the service: a lease that were shorter than a call would let two companions
 * work on the same thing.
 */
export interface Waits {
  /**
   * How long an attempt belongs to the companion that recorded it. After it, a companion that died
   * is presumed dead.
   */
  leaseMs: number;
  /**
   * How long after a charge was sent its absence at the service counts as proof that it was not
   * made. Well past every deadline, ours and theirs.
   */
  absenceGraceMs: number;
  /**
   * How long the page that the shopper confirmed on goes first, before what the service tells of
   * the same confirmation is used: the page knows whether the order has changed.
   */
  pageFirstMs: number;
  /** Until the first look at something whose outcome is unknown. */
  firstLookMs: number;
  /** Between two looks, at the longest. */
  longestLookMs: number;
}

/** The waits that fit a deadline; with the default one, 10 s: 30 s, 2 min, 10 s, 2 s and 5 min. */
export function waitsFor(deadlineMs: number): Waits {
  return {
    leaseMs: deadlineMs * 3,
    absenceGraceMs: deadlineMs * 12,
    pageFirstMs: deadlineMs,
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
