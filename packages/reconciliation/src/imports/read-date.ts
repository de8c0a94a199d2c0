import { ZonedTime } from '@financing-checkout/contract/calendar';
import { dateQuestion, plainDate } from './dates.ts';
import { LineProblem, type Read, type ReadLineOptions } from './line-problem.ts';

/** Earliest date: rejects empty cells and years with a missing digit. */
const FIRST = Date.UTC(2000, 0, 1);
/** Latest date: lines may be dated ahead, but not beyond any payment term. */
const AHEAD_MS = 366 * 86_400_000;

/** Fields that complete a date. */
interface BesideDate {
  /** Time of day. */
  time: Read<string>;
  zone: Read<string>;
  /** Column `utc_offset` of this program's exports. */
  offset: string | undefined;
}

/** Reads a date, with the time of day and zone of other columns. */
export function readDate(
  text: string,
  { time, zone, offset }: BesideDate,
  options: ReadLineOptions,
): number | LineProblem {
  const { now, notation } = options;
  const isOwn = options.isOwnExport === true;
  if (time instanceof LineProblem) return time;
  const plain = plainDate(time === undefined ? text : `${text} ${time}`, notation);
  const isZoned = isOwn && plain !== undefined && ownZone.test(plain);
  const times = isZoned ? options.times : timesOf(zone, options);
  if (times instanceof LineProblem) return times;
  const read = plain === undefined ? undefined : times.read(plain);
  if (read === undefined) {
    return new LineProblem('date', 'date-invalid', dateQuestion(text, notation.dates));
  }
  const at = isZoned || offset === undefined ? read : atOffset(read, offset, times);
  if (at instanceof LineProblem) return at;
  if (at >= FIRST && at <= now + AHEAD_MS) return at;
  const message = 'is before the year 2000 or more than a year in the future: check the year';
  return new LineProblem('date', 'date-implausible', message);
}

const ownZone = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** Clocks show an hour twice when they are set back: the offset tells the two apart. */
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

const known = new Map<string, ZonedTime | undefined>();

/**
 * The zone column applies if its value is unambiguous; CET and PST are several zones, or half of
 * one. This program's exports state the zone that it used.
 */
function timesOf(
  zone: Read<string>,
  { times, isOwnExport = false, isZoneSaid }: ReadLineOptions,
): ZonedTime | LineProblem {
  if (zone instanceof LineProblem) return zone;
  if (zone === undefined) {
    if (!isOwnExport || isZoneSaid === true) return times;
    return new LineProblem('zone', 'zone-unknown', 'is missing: set `zone` to that of the export');
  }
  const key = `${zone} ${isOwnExport}`;
  if (!known.has(key)) known.set(key, oneZone(zone, isOwnExport));
  const one = known.get(key);
  if (one) return one;
  const shown = /^[A-Z]{2,5}$/.test(zone) ? `"${zone}" ` : '';
  if (isZoneSaid === true) {
    if (abbreviates(zone, times)) return times;
    const message = `${shown}is not a time of \`zone\`: write it as Europe/Berlin or +01:00, or import the file without this column`;
    return new LineProblem('zone', 'zone-differs', message);
  }
  const message = `${shown}is ambiguous: set \`zone\` to the zone of the file, such as Europe/Berlin`;
  return new LineProblem('zone', 'zone-unknown', message);
}

/** Hours from UTC, by abbreviation. Some are used in several parts of the world. */
const abbreviations: Readonly<Record<string, readonly number[]>> = {
  HST: [-10],
  AKST: [-9],
  AKDT: [-8],
  PST: [-8, 8],
  PDT: [-7],
  MST: [-7],
  MDT: [-6],
  CST: [-6, -5, 8],
  CDT: [-5, -4],
  EST: [-5],
  EDT: [-4],
  AST: [-4, 3],
  ADT: [-3],
  BRT: [-3],
  WET: [0],
  WEST: [1],
  BST: [1, 6],
  CET: [1],
  CEST: [2],
  MEZ: [1],
  MESZ: [2],
  EET: [2],
  EEST: [3],
  SAST: [2],
  MSK: [3],
  TRT: [3],
  GST: [4],
  IST: [5.5, 1, 2],
  SGT: [8],
  HKT: [8],
  AWST: [8],
  JST: [9],
  KST: [9],
  ACST: [9.5],
  ACDT: [10.5],
  AEST: [10],
  AEDT: [11],
  NZST: [12],
  NZDT: [13],
};

/**
 * Returns whether a zone has this time in winter or summer. Services write CET all year, so the
 * season of the row does not matter.
 */
function abbreviates(zone: string, times: ZonedTime): boolean {
  const hours = abbreviations[zone.toUpperCase()];
  return ['2026-01-15', '2026-07-15'].some((day) => {
    const at = times.read(day);
    return at !== undefined && hours?.includes((Date.parse(day) - at) / 3_600_000) === true;
  });
}

function oneZone(zone: string, isOwnExport: boolean): ZonedTime | undefined {
  const isOne = isOwnExport || /^(?:UTC|GMT|Z|[+-]\d{2}:?\d{2}|\w+(?:\/[\w+-]+)+)$/.test(zone);
  try {
    return isOne ? new ZonedTime(zone === 'Z' || zone === 'GMT' ? 'UTC' : zone) : undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
