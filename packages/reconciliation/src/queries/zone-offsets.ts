import type { CsvDecimal } from '@financing-checkout/contract/csv';
import { ZonedTime } from '@financing-checkout/contract/calendar';

/** The UTC offset of a time zone, in milliseconds, from a point in time on. */
interface Offset {
  from: number;
  size: number;
}

/** Clock changes happen on a quarter hour. */
const QUARTER_MS = 900_000;
const MONTH_MS = 28 * 86_400_000;

/** Lists the offsets of a zone between two timestamps in milliseconds since 1970. */
function offsetsBetween(zone: string, first: number, last: number): [Offset, ...Offset[]] {
  const times = new ZonedTime(zone);
  const offsetAt = (time: number) => times.offsetAt(time);
  const offsets: [Offset, ...Offset[]] = [{ from: first, size: offsetAt(first) }];
  for (let from = Math.floor(first / QUARTER_MS) * QUARTER_MS; from <= last; from += MONTH_MS) {
    const to = from + MONTH_MS;
    // Finds both changes if two occur within four weeks.
    for (let start = from; offsetAt(start) !== offsetAt(to);) {
      const before = offsetAt(start);
      let [low, high] = [start, to];
      while (high - low > QUARTER_MS) {
        const middle = Math.floor((low + high) / 2 / QUARTER_MS) * QUARTER_MS;
        if (offsetAt(middle) === before) low = middle;
        else high = middle;
      }
      offsets.push({ from: high, size: offsetAt(high) });
      start = high;
    }
  }
  return offsets;
}

/** Formats an offset: `-05:00`. */
export function offsetText(size: number): string {
  const minutes = Math.floor(Math.abs(size) / 60_000);
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${size < 0 ? '-' : '+'}${hour}:${minute}`;
}

/** Format of times in CSV: ISO 8601 with an offset, or local times that spreadsheets recognize. */
export type CsvTimes = 'iso' | 'spreadsheet';

/** Generates SQL for timestamps in milliseconds since 1970. */
export interface ZonedSql {
  /**
   * Text, with milliseconds if there are any, because they identify a line without an ID:
   * `2026-10-31T23:59:37-07:00`, or `2026-10-31 23:59:37` for a spreadsheet.
   */
  time: (moment: string, times: CsvTimes, decimal: CsvDecimal) => string;
  /** Day: `2026-10-31`. */
  day: (moment: string) => string;
  /** UTC offset of the zone: `UTC-07:00`. */
  offset: (moment: string) => string;
}

/**
 * @param first earliest timestamp to format
 * @param last latest timestamp to format
 */
export function zonedSql(zone: string, first: number, last: number): ZonedSql {
  const [base, ...others] = offsetsBetween(zone, first, last);
  const of = (moment: string, value: (size: number) => string) => {
    const cases = others
      .toReversed()
      .map(({ from, size }) => `when ${moment} >= ${from} then ${value(size)}`);
    return cases.length === 0
      ? value(base.size)
      : `case ${cases.join(' ')} else ${value(base.size)} end`;
  };
  const localOf = (moment: string) =>
    `make_timestamp((${moment} + (${of(moment, String)})) * 1000)`;
  return {
    time(moment, times, decimal) {
      const local = localOf(moment);
      const isIso = times === 'iso';
      const point = isIso || decimal === 'point' ? '.' : ',';
      return `strftime(${local}, '%Y-%m-%d${isIso ? 'T' : ' '}%H:%M:%S')
        || case when ${moment} % 1000 = 0 then '' else strftime(${local}, '${point}%g') end
        ${isIso ? `|| ${of(moment, (size) => `'${offsetText(size)}'`)}` : ''}`;
    },
    day: (moment) => `strftime(${localOf(moment)}, '%Y-%m-%d')`,
    offset: (moment) => of(moment, (size) => `'UTC${offsetText(size)}'`),
  };
}
