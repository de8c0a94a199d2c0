import { ZonedTime } from '@financing-checkout/contract/calendar';
import { dateQuestion, plainDate } from './dates.ts';
import { LineProblem, type Read, type ReadLineOptions } from './line-problem.ts';

/** Earliest date: rejects empty cells and years with a missing digit. */
const FIRST = Date.UTC(2000, 0, 1);
/** Latest date: lines may be dated ahead, but not beyond any payment term. */
const AHEAD_MS = 366 * 86_400_000;

/** Reads a date, with the time of day and zone of other columns. */
export function readDate(
  text: string,
  time: Read<string>,
  zone: Read<string>,
  options: ReadLineOptions,
): number | LineProblem {
  const { now, notation } = options;
  const times = timesOf(zone, options);
  if (times instanceof LineProblem) return times;
  if (time instanceof LineProblem) return time;
  const plain = plainDate(time === undefined ? text : `${text} ${time}`, notation);
  const at = plain === undefined ? undefined : times.read(plain);
  if (at === undefined) {
    return new LineProblem('date', 'date-invalid', dateQuestion(text, notation.dates));
  }
  if (at >= FIRST && at <= now + AHEAD_MS) return at;
  const message = 'is before the year 2000 or more than a year in the future: check the year';
  return new LineProblem('date', 'date-implausible', message);
}

const known = new Map<string, ZonedTime | undefined>();

/**
 * The zone column applies if its value is unambiguous; CET and PST are several zones, or half of
 * one.
 */
function timesOf(
  zone: Read<string>,
  { times, isZoneSaid }: ReadLineOptions,
): ZonedTime | LineProblem {
  if (zone instanceof LineProblem) return zone;
  if (zone === undefined) return times;
  if (!known.has(zone)) known.set(zone, oneZone(zone));
  const one = known.get(zone);
  if (one) return one;
  if (isZoneSaid === true) return times;
  const shown = /^[A-Z]{2,5}$/.test(zone) ? `"${zone}" ` : '';
  const message = `${shown}is ambiguous: set \`zone\` to the zone of the file, such as Europe/Berlin`;
  return new LineProblem('zone', 'zone-unknown', message);
}

function oneZone(zone: string): ZonedTime | undefined {
  const isOne = /^(?:UTC|GMT|Z|[+-]\d{2}:?\d{2}|\w+(?:\/[\w+-]+)+)$/.test(zone);
  try {
    return isOne ? new ZonedTime(zone === 'Z' || zone === 'GMT' ? 'UTC' : zone) : undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
