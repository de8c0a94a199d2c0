/**
 * Calendar days of a time zone, for servers, rules and browsers: all day boundaries are computed
 * here. Has no dependencies.
 * @packageDocumentation
 */
import { ZonedTime } from './zoned-time.ts';

export { ZonedTime };

const DAY_MS = 86_400_000;
const MAX_KNOWN = 20_000;

/**
 * Calendar days of a declared time zone. A day is `[start, start of the next day)`; it has 23 or 25
 * hours when the clocks change.
 */
export class Calendar {
  readonly zone: string;
  readonly #times: ZonedTime;
  readonly #starts = new Map<string, number>();
  /** Cache of the last day. Lenders post at few times, so it covers most dates of a page. */
  #last = { start: 0, end: 0, day: '' };
  readonly #read = new Map<string, number | undefined>();

  /** @throws {RangeError} for an unknown IANA time zone */
  constructor(zone: string) {
    this.zone = zone;
    this.#times = new ZonedTime(zone);
  }

  /**
   * Parses a date from the service: ISO 8601, with an offset or in the declared zone; a date
   * without a time is the start of its day. Undefined if it is invalid.
   */
  read(text: string): number | undefined {
    const known = this.#read.get(text);
    if (known !== undefined || this.#read.has(text)) return known;
    const read = readUtc(text) ?? this.#times.read(text);
    const time = read === undefined || !isWritable(read) ? undefined : read;
    if (this.#read.size >= MAX_KNOWN) this.#read.clear();
    this.#read.set(text, time);
    return time;
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

  /** Returns the day of a timestamp. */
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
    let day = isoDay(time);
    while (this.startOf(day) > time) day = addDays(day, -1);
    while (this.startOf(addDays(day, 1)) <= time) day = addDays(day, 1);
    this.#last = { start: this.startOf(day), end: this.startOf(addDays(day, 1)), day };
    return day;
  }
}

/**
 * Returns whether the UTC year has four digits: neither the service nor a response uses others.
 */
function isWritable(time: number): boolean {
  return time >= FIRST_WRITABLE && time < END_WRITABLE;
}

const [FIRST_WRITABLE, END_WRITABLE] = [Date.UTC(100, 0, 1), Date.UTC(10_000, 0, 1)];

/** Days before each month of a non-leap year. */
const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/** Parses the usual form "2026-01-31T12:00:00.000Z"; undefined for any other form. */
function readUtc(text: string): number | undefined {
  if (text.length !== 24 || text.charCodeAt(23) !== 0x5a) return undefined;
  if (text.charCodeAt(10) !== 0x54 || text.charCodeAt(19) !== 0x2e) return undefined;
  if (text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d) return undefined;
  if (text.charCodeAt(13) !== 0x3a || text.charCodeAt(16) !== 0x3a) return undefined;
  const year = number(text, 0, 4);
  const month = number(text, 5, 2);
  const day = number(text, 8, 2);
  const hour = number(text, 11, 2);
  const minute = number(text, 14, 2);
  const second = number(text, 17, 2);
  const millis = number(text, 20, 3);
  if (!(year >= 1970 && month >= 1 && month <= 12 && day >= 1)) return undefined;
  if (!(hour < 24 && minute < 60 && second < 60 && millis >= 0)) return undefined;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const before = (daysBefore[month - 1] ?? 0) + (leap && month > 2 ? 1 : 0);
  const length = (daysBefore[month] ?? 0) - (daysBefore[month - 1] ?? 0);
  if (day > length + (leap && month === 2 ? 1 : 0)) return undefined;
  const past = year - 1;
  const leaps = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) - 477;
  const days = (year - 1970) * 365 + leaps + before + day - 1;
  return days * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + millis;
}

/** Returns NaN for text that is not a number. */
function number(text: string, at: number, length: number): number {
  let value = 0;
  for (let index = at; index < at + length; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Returns the calendar day `count` days later. */
export function addDays(day: string, count: number): string {
  return isoDay(Date.parse(day) + count * DAY_MS);
}

/** Returns all days from one to another, both inclusive, oldest first. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
