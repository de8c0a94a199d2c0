/**
 * Calendar days and local times in a time zone. All day boundaries are computed here.
 * @packageDocumentation
 */
import { addDays } from '@financing-checkout/contract/money';
import { ZonedTime } from './zoned-time.ts';

export { isZone, ZonedTime } from './zoned-time.ts';

const MAX_KNOWN = 20_000;

/**
 * Calendar days of a declared time zone. A day is `[start, start of the next day)`; it has 23 or 25
 * hours when the clocks change.
 */
export class Calendar {
  readonly zone: string;
  readonly #times: ZonedTime;
  readonly #starts = new Map<string, number>();
  /**
   * Cache of the most recent day. Lenders post at few distinct times, so one day covers most dates
   * of a page.
   */
  #last = { start: 0, end: 0, day: '' };

  /** @throws {RangeError} for an unknown IANA time zone */
  constructor(zone: string) {
    this.zone = zone;
    this.#times = new ZonedTime(zone);
  }

  /**
   * Parses a date from the service: ISO 8601, with an offset or in the declared zone. A date
   * without a time is the start of its day. Returns undefined for an invalid date.
   */
  read(text: string): number | undefined {
    const time = this.#times.read(text);
    return time === undefined || !isWritable(time) ? undefined : time;
  }

  /** Returns the start of a day. @throws {RangeError} for an invalid date */
  startOf(day: string): number {
    let start = this.#starts.get(day);
    if (start === undefined) {
      start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? this.#times.read(day) : undefined;
      if (start === undefined) throw new RangeError('A day is written as 2026-01-31.');
      if (this.#starts.size >= MAX_KNOWN) this.#starts.clear();
      this.#starts.set(day, start);
    }
    return start;
  }

  dayOf(time: number): string {
    const { start, end, day } = this.#last;
    if (time >= start && time < end) return day;
    return this.#findDay(time);
  }

  /** Returns a timestamp as local time in the zone: "2026-01-31 23:30". */
  minuteOf(time: number): string {
    return this.#times.minuteOf(time);
  }

  #findDay(time: number): string {
    let day = this.minuteOf(time).slice(0, 10);
    // When clocks go back across midnight, the end of the previous day repeats.
    while (this.startOf(addDays(day, 1)) <= time) day = addDays(day, 1);
    this.#last = { start: this.startOf(day), end: this.startOf(addDays(day, 1)), day };
    return day;
  }
}

/** Returns whether the UTC year has four digits, as in all years that the service and responses use. */
function isWritable(time: number): boolean {
  return time >= FIRST_WRITABLE && time < END_WRITABLE;
}

const [FIRST_WRITABLE, END_WRITABLE] = [Date.UTC(100, 0, 1), Date.UTC(10_000, 0, 1)];
