import { Temporal } from 'temporal-polyfill';

/** A date with an optional time and an optional UTC offset (ISO 8601, RFC 3339). */
const written =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

const DAY_MS = 86_400_000;

/** A period between two changes of a zone's UTC offset, in milliseconds: `[from, to)`. */
export interface OffsetPeriod {
  from: number;
  to: number;
  offset: number;
}

/** Returns whether this runtime supports a time zone ("Europe/Berlin", "UTC"). */
export function isZone(name: string): boolean {
  try {
    return new ZonedTime(name).zone === name;
  } catch {
    return false;
  }
}

/**
 * Parses dates from people and programs. A date without a zone is in the declared zone; a date
 * without a time is the start of its day.
 */
export class ZonedTime {
  readonly zone: string;
  /** Cached periods, the latest first: a merchant's dates fall into a few of them. */
  readonly #periods: OffsetPeriod[] = [];

  /** @throws {RangeError} for an unknown IANA time zone */
  constructor(zone: string) {
    // Temporal would also accept a timestamp that names a zone.
    new Intl.DateTimeFormat('en', { timeZone: zone });
    this.zone = zone;
  }

  /** @returns milliseconds since 1970, or undefined for an invalid date */
  read(text: string): number | undefined {
    const match = written.exec(text);
    if (!match) return undefined;
    const [, year = '', month = '', day = '', hour, minute, second, fraction = '', zone] = match;
    const local = Date.UTC(Number(year), Number(month) - 1, Number(day));
    // April 31 and month 13 would roll over into another date, and Date.UTC interprets the year 50
    // as 1950.
    const date = new Date(local);
    if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) {
      return undefined;
    }
    if (date.getUTCFullYear() !== Number(year)) return undefined;
    const [h, m, s] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)];
    // A leap second counts as the first second of the next minute.
    if (h > 23 || m > 59 || s > 60) return undefined;
    const millis = Number(fraction.slice(0, 3).padEnd(3, '0'));
    const at = local + ((h * 60 + m) * 60 + s) * 1000 + millis;
    if (zone === undefined) return this.#instantOf(at);
    if (zone.toUpperCase() === 'Z') return at;
    const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
    if (hours > 23 || minutes > 59) return undefined;
    return at - (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  }

  /** Returns a timestamp as local time in the zone: "2026-01-31 23:30". */
  minuteOf(moment: number): string {
    const local = new Date(moment + this.offsetAt(moment)).toISOString();
    return local.slice(0, 16).replace('T', ' ');
  }

  /** Returns the zone's offset from UTC at an instant, in milliseconds. */
  offsetAt(instant: number): number {
    return this.periodOf(instant).offset;
  }

  /** Returns the period that contains an instant, given in whole milliseconds. */
  periodOf(instant: number): OffsetPeriod {
    const known = this.#periods.find(({ from, to }) => instant >= from && instant < to);
    if (known !== undefined) return known;
    const at = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(this.zone);
    // `previous` excludes a transition at the instant itself, hence the added nanosecond.
    const begin = at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
    const end = at.getTimeZoneTransition('next');
    const period = {
      from: begin?.epochMilliseconds ?? -Infinity,
      to: end?.epochMilliseconds ?? Infinity,
      offset: at.offsetNanoseconds / 1_000_000,
    };
    this.#periods.unshift(period);
    return period;
  }

  /**
   * Converts a local time in the zone to a timestamp. In a repeated hour, the first one is used; in
   * a skipped hour, the earlier offset gives the intended time.
   * @param local what the clocks show, as milliseconds since 1970 in UTC
   */
  #instantOf(local: number): number {
    const { from, to, offset } = this.periodOf(local);
    const instant = local - offset;
    // No clock change exceeds a day, so here this is the only instant with this local time.
    if (instant - DAY_MS >= from && instant + DAY_MS < to) return instant;
    const shown = Temporal.Instant.fromEpochMilliseconds(local).toZonedDateTimeISO('UTC');
    return shown.toPlainDateTime().toZonedDateTime(this.zone).epochMilliseconds;
  }
}
