/** A date with an optional time and an optional UTC offset (ISO 8601, RFC 3339). */
const written =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** UTC offsets change only on a quarter hour. In milliseconds. */
const SLOT = 900_000;
const MAX_SLOTS = 20_000;

/**
 * Parses dates from people and programs. A date without a zone is in the declared zone; a date
 * without a time is the start of its day.
 */
export class ZonedTime {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  /** @throws {RangeError} for an unknown IANA time zone */
  constructor(zone: string) {
    this.zone = zone;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
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
    const slot = Math.floor(instant / SLOT);
    const known = this.#offsets.get(slot);
    if (known !== undefined) return known;
    const parts = new Map(
      this.#format.formatToParts(slot * SLOT).map(({ type, value }) => [type, value] as const),
    );
    const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    const shown = Date.UTC(
      number('year'),
      number('month') - 1,
      number('day'),
      number('hour'),
      number('minute'),
      number('second'),
    );
    if (this.#offsets.size >= MAX_SLOTS) this.#offsets.clear();
    this.#offsets.set(slot, shown - slot * SLOT);
    return shown - slot * SLOT;
  }

  /**
   * Converts a local time in the zone to a timestamp. In a repeated hour, the first one is used.
   */
  #instantOf(local: number): number {
    const before = local - this.offsetAt(local - 86_400_000);
    if (before + this.offsetAt(before) === local) return before;
    const after = local - this.offsetAt(local + 86_400_000);
    // In a skipped hour neither offset fits: the earlier offset gives the intended time.
    return after + this.offsetAt(after) === local ? after : before;
  }
}
