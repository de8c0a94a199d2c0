import { zoneWriter } from './zone.ts';

/** The offset of a zone from UTC, from a moment on. */
interface Offset {
  from: number;
  minutes: number;
  text: string;
}

/** Clocks change on a quarter of an hour. */
const QUARTER_MS = 900_000;
const MONTH_MS = 28 * 86_400_000;

/** Lists the offsets of a zone between two moments, in milliseconds since 1970. */
function offsetsBetween(zone: string, first: number, last: number): Offset[] {
  const write = zoneWriter(zone);
  const offsetAt = (time: number) => write(new Date(time).toISOString()).slice(19);
  const offsets: Offset[] = [offset(first, offsetAt(first))];
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
      offsets.push(offset(high, offsetAt(high)));
      start = high;
    }
  }
  return offsets;
}

function offset(from: number, text: string): Offset {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)/.exec(text) ?? [];
  const size = Number(hours) * 60 + Number(minutes);
  return { from, minutes: sign === '-' ? -size : size, text };
}

/**
 * Returns SQL that formats moments like `zoneWriter`.
 * @param first the first and the last moment to format
 */
export function zonedTime(zone: string, first: number, last: number): (moment: string) => string {
  const offsets = offsetsBetween(zone, first, last);
  return (moment) => {
    const of = (value: (offset: Offset) => string) => {
      const [base, ...others] = offsets;
      const cases = others
        .toReversed()
        .map((one) => `when ${moment} >= ${one.from} then ${value(one)}`);
      const start = base ? value(base) : value(offset(0, '+00:00'));
      return cases.length === 0 ? start : `case ${cases.join(' ')} else ${start} end`;
    };
    const local = `make_timestamp((${moment} + (${of(({ minutes }) => String(minutes * 60_000))})) * 1000)`;
    // Includes milliseconds, which identify a line without an id.
    return `strftime(${local}, '%Y-%m-%dT%H:%M:%S')
      || case when ${moment} % 1000 = 0 then '' else strftime(${local}, '.%g') end
      || ${of(({ text }) => `'${text}'`)}`;
  };
}
