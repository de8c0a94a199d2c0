import { readMoment } from '@financing-checkout/contract/money';
import { Temporal } from 'temporal-polyfill';

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
    const moment = readMoment(text);
    if (moment === undefined) return undefined;
    const { clock, offset } = moment;
    return offset === undefined ? this.#instantOf(clock) : clock - offset;
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
