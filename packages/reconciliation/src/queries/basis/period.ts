import { addDays } from '@financing-checkout/contract/money';
import { Calendar, ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';

/** A period of days in a time zone, inclusive. A text with a time of day is an exact timestamp. */
export interface Period {
  from?: string | undefined;
  to?: string | undefined;
  /** IANA name. */
  zone: string;
}

/** Milliseconds since 1970; `to` is exclusive. */
export interface Span {
  from: number | undefined;
  to: number | undefined;
}

/** Returns the timestamps of a period. @throws {RangeError} for an invalid date */
export function spanOf({ from, to, zone }: Period): Span {
  return {
    from: from === undefined ? undefined : momentOf(from, zone),
    to: to === undefined ? undefined : momentOf(isDay(to) ? addDays(to, 1) : to, zone),
  };
}

/** Returns the period for a response, without bounds that were not requested. */
export function statedPeriod({ from, to, zone }: Period): Period {
  return { from, to, zone };
}

/** Describes the period: "2026-11-01 to 2026-11-30, both included (Europe/Berlin)". */
export function periodText({ from, to, zone }: Period): string | undefined {
  if (from === undefined && to === undefined) return undefined;
  if (to === undefined) return `from ${from} on (${zone})`;
  const included = isDay(to) ? 'included' : 'not included';
  if (from === undefined) return `to ${to}, ${included} (${zone})`;
  return `${from} to ${to}, ${isDay(to) ? 'both included' : 'the end not included'} (${zone})`;
}

function momentOf(text: string, zone: string): number {
  const moment = isDay(text) ? new Calendar(zone).startOf(text) : new ZonedTime(zone).read(text);
  if (moment === undefined) throw new RangeError('A moment is written as 2026-01-31T12:00:00Z.');
  return moment;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}
