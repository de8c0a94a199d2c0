import type { CsvDecimal } from '@financing-checkout/contract/money';
import { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';

/** Formats an offset in milliseconds: `-05:00`. */
export function offsetText(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hour}:${minute}`;
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
 * Uses the offsets of Node.js, like the rest of the program: DuckDB's own time zone data may be
 * older, and has no zones such as `+05:30`.
 * @param first earliest timestamp to format
 * @param last latest timestamp to format
 */
export function zonedSql(zone: string, first: number, last: number): ZonedSql {
  const times = new ZonedTime(zone);
  const of = (moment: string, value: (offset: number) => string) => {
    let period = times.periodOf(first);
    const earliest = value(period.offset);
    let cases = '';
    while (period.to <= last) {
      period = times.periodOf(period.to);
      cases = ` when ${moment} >= ${period.from} then ${value(period.offset)}${cases}`;
    }
    return cases === '' ? earliest : `case${cases} else ${earliest} end`;
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
        ${isIso ? `|| ${of(moment, (offset) => `'${offsetText(offset)}'`)}` : ''}`;
    },
    day: (moment) => `strftime(${localOf(moment)}, '%Y-%m-%d')`,
    offset: (moment) => of(moment, (offset) => `'UTC${offsetText(offset)}'`),
  };
}
