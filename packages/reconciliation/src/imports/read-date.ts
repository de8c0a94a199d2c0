import { ZonedTime } from '../platform/zoned-time.ts';
import { dateQuestion, plainDate } from './dates.ts';
import { LineProblem, type Read, type ReadLineOptions } from './line-problem.ts';

/** Before there was anything to reconcile: an empty cell, or a year with a digit too few. */
const FIRST = Date.UTC(2000, 0, 1);
/** Lines may be dated ahead, but not to a day on which nobody asks for the money any more. */
const AHEAD_MS = 366 * 86_400_000;

/** Reads a date, with the time of day and the zone that stand beside it. */
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
  const message = 'is before the year 2000 or more than a year ahead: check its year';
  return new LineProblem('date', 'date-implausible', message);
}

const known = new Map<string, ZonedTime | undefined>();

/** What a column says of the zone holds where it is one zone; CET and PST are several, or half of one. */
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
  const word = /^[A-Z]{2,5}$/.test(zone) ? `"${zone}"` : 'what';
  const message = `says ${word}, which is no one zone: say the zone of the file, such as Europe/Berlin`;
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
