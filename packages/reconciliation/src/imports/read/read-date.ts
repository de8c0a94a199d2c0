import type { Reading } from './options.ts';
import type { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';
import { dateQuestion, type PlainDate, plainDate } from './dates.ts';
import { LineProblem, type Read } from './line-problem.ts';
import { readWithZoneWord, timesOf } from './row-zone.ts';

/** Earliest date: rejects placeholder dates for empty cells, and years with a missing digit. */
export const FIRST = Date.UTC(2000, 0, 1);
/** Latest date: lines may have future dates, but none beyond any payment term. */
export const AHEAD_MS = 366 * 86_400_000;

/** Fields that complete a date. */
interface BesideDate {
  time: Read<string>;
  zone: Read<string>;
  /** Column `utc_offset` in this program's exports. */
  offset: string | undefined;
}

/** Reads a date, combined with the time of day and time zone from other columns. */
export function readDate(
  text: string,
  { time, zone, offset }: BesideDate,
  options: Reading,
): number | LineProblem {
  const { now } = options;
  const isOwn = options.ownExport === true;
  if (time instanceof LineProblem) return time;
  const plain = plainDate(time === undefined ? text : `${text} ${time}`, options);
  const isZoned = isOwn && plain !== undefined && ownZone.test(plain.text);
  const times = isZoned ? options.times : timesOf(zone, options);
  if (times instanceof LineProblem) return times;
  const read = plain === undefined ? undefined : readIn(plain, times, options);
  if (read instanceof LineProblem) return read;
  if (read === undefined) {
    return new LineProblem('date', 'date-invalid', dateQuestion(text, options.dates));
  }
  const at = isZoned || offset === undefined ? read : atOffset(read, offset, times);
  if (at instanceof LineProblem) return at;
  if (at >= FIRST && at <= now + AHEAD_MS) return at;
  const message = 'is before the year 2000 or more than a year in the future: check the year';
  return new LineProblem('date', 'date-implausible', message);
}

function readIn(
  { text, zone }: PlainDate,
  times: ZonedTime,
  options: Reading,
): number | undefined | LineProblem {
  return zone === undefined ? times.read(text) : readWithZoneWord(text, zone, options);
}

const ownZone = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** The repeated hour when clocks are set back: the offset distinguishes both occurrences. */
function atOffset(at: number, offset: string, times: ZonedTime): number | LineProblem {
  const [, sign, hours, minutes] = /^UTC([+-])(\d{2}):(\d{2})$/.exec(offset) ?? [];
  if (sign !== undefined) {
    const size = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
    const stated = at + times.offsetAt(at) - size;
    if (times.offsetAt(stated) === size) return stated;
  }
  const message =
    'has another offset at this time than `utc_offset` of the same row, which is such as UTC-05:00: correct one of the two';
  return new LineProblem('zone', 'row-contradicts', message);
}
