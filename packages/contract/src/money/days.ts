/**
 * Calendar days as text: "2026-01-31", and moments as people and programs write them.
 * @packageDocumentation
 */

const DAY_MS = 86_400_000;

/** Returns the calendar day `count` days later. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Returns all days from one to another, both inclusive, oldest first. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** A date with an optional time and an optional UTC offset (ISO 8601, RFC 3339). */
const written =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A moment as it is written: what clocks show, as if in UTC, and the offset, in milliseconds. */
export interface WrittenMoment {
  clock: number;
  /** Undefined if the text has no zone. */
  offset: number | undefined;
}

/** Reads a date or a date with a time; undefined if the text is no valid one. */
export function readMoment(text: string): WrittenMoment | undefined {
  const match = written.exec(text);
  if (!match) return undefined;
  const [, year = '', month = '', day = '', hour, minute, second, fraction = '', zone] = match;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // April 31 and month 13 would roll over into another date, and Date.UTC interprets the year 50
  // as 1950.
  const date = new Date(midnight);
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) {
    return undefined;
  }
  if (date.getUTCFullYear() !== Number(year)) return undefined;
  const [h, m, s] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)];
  // A leap second counts as the first second of the next minute.
  if (h > 23 || m > 59 || s > 60) return undefined;
  const millis = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const clock = midnight + ((h * 60 + m) * 60 + s) * 1000 + millis;
  if (zone === undefined) return { clock, offset: undefined };
  if (zone.toUpperCase() === 'Z') return { clock, offset: 0 };
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 23 || minutes > 59) return undefined;
  return { clock, offset: (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000 };
}
