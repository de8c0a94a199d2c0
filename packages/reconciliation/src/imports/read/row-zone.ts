import type { Reading } from './options.ts';
import { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';
import { LineProblem, type Read } from './line-problem.ts';

const known = new Map<string, ZonedTime | undefined>();

/**
 * Returns a row's time zone or offset. The zone column applies if its value is unambiguous; CET and
 * PST stand for several zones, or for half of one. This program's exports state the zone that was
 * used.
 */
export function timesOf(
  zone: Read<string>,
  { times, ownExport = false, zone: said }: Reading,
): ZonedTime | LineProblem {
  if (zone instanceof LineProblem) return zone;
  if (zone === undefined) {
    if (!ownExport || said !== undefined) return times;
    return new LineProblem('zone', 'zone-unknown', 'is missing: set `zone` to that of the export');
  }
  const key = `${zone} ${ownExport}`;
  if (!known.has(key)) known.set(key, oneZone(zone, ownExport));
  const one = known.get(key);
  if (one) return one;
  const shown = isZoneWord(zone) ? `"${zone}" ` : '';
  if (said !== undefined) {
    if (abbreviates(zone, times)) return times;
    const message = `${shown}is not a time of \`zone\`: write it as Europe/Berlin or +01:00, or import the file without this column`;
    return new LineProblem('zone', 'zone-differs', message);
  }
  const isAmbiguous = abbreviations[zone.toUpperCase()] !== undefined;
  const message = isAmbiguous
    ? `${shown}is ambiguous: set \`zone\` to the zone of the file, such as Europe/Berlin`
    : `${shown}is not a known zone: write it as Europe/Berlin or +01:00, or import the file without this column and set \`zone\` to the zone of its times`;
  return new LineProblem('zone', 'zone-unknown', message);
}

/**
 * Reads a date with a time zone abbreviation beside it, such as `2026-10-31 23:03` in PDT. The
 * abbreviation counts if it has only one meaning and is in use on that day, or if it is one of the
 * declared zone's.
 * @param text date and time without an offset
 */
export function readWithZoneWord(
  text: string,
  word: string,
  { times, zone: said }: Reading,
): number | undefined | LineProblem {
  const local = utc.read(text);
  if (local === undefined) return undefined;
  const hours = abbreviations[word];
  // An unknown word may be a person's name, which messages must not contain.
  const shown = hours === undefined ? 'a time zone' : `the time zone "${word}"`;
  const instants = (hours ?? []).map((offset) => local - offset * HOUR_MS);
  if (said !== undefined) {
    // In the repeated hour when clocks are set back, the word selects the occurrence.
    const inUse = instants.find((at) => at + times.offsetAt(at) === local);
    if (inUse !== undefined) return inUse;
    if (abbreviates(word, times)) return times.read(text);
    const message = `has ${shown}, which is not a time of \`zone\`: set \`zone\` to the zone of the file, such as Europe/Berlin`;
    return new LineProblem('date', 'zone-differs', message);
  }
  const ask = (why: string) =>
    new LineProblem(
      'date',
      'zone-unknown',
      `has ${shown}, which ${why}: set \`zone\` to the zone of the file, such as Europe/Berlin or -05:00`,
    );
  const [at, ...others] = instants;
  if (at === undefined) return ask('is not known');
  if (others.length > 0) return ask('has several meanings');
  const place = seasonal[word];
  const isInUse = place === undefined || at + zoneTimes(place).offsetAt(at) === local;
  return isInUse ? at : ask(`is not in use on this day in ${place}`);
}

const utc = new ZonedTime('UTC');
const HOUR_MS = 3_600_000;

function zoneTimes(zone: string): ZonedTime {
  const times = known.get(zone) ?? new ZonedTime(zone);
  known.set(zone, times);
  return times;
}

/**
 * Returns whether a text is a time zone rather than a person's name, which messages must not
 * contain.
 */
function isZoneWord(text: string): boolean {
  return (
    /^[A-Z]{2,5}$/.test(text) ||
    (text.length <= 60 && /\b(?:time|utc|gmt|zone|zeit|heure|hora|ora)\b/i.test(text))
  );
}

/**
 * Time zones of the countries in which Square operates, because its exports use Ruby on Rails
 * names.
 */
const railsZones: Readonly<Record<string, string>> = {
  Hawaii: 'Pacific/Honolulu',
  Alaska: 'America/Juneau',
  'Pacific Time (US & Canada)': 'America/Los_Angeles',
  Arizona: 'America/Phoenix',
  'Mountain Time (US & Canada)': 'America/Denver',
  'Central Time (US & Canada)': 'America/Chicago',
  Saskatchewan: 'America/Regina',
  'Eastern Time (US & Canada)': 'America/New_York',
  'Indiana (East)': 'America/Indiana/Indianapolis',
  'Atlantic Time (Canada)': 'America/Halifax',
  Newfoundland: 'America/St_Johns',
  Dublin: 'Europe/Dublin',
  Edinburgh: 'Europe/London',
  London: 'Europe/London',
  Madrid: 'Europe/Madrid',
  Paris: 'Europe/Paris',
  Osaka: 'Asia/Tokyo',
  Sapporo: 'Asia/Tokyo',
  Tokyo: 'Asia/Tokyo',
  Adelaide: 'Australia/Adelaide',
  Brisbane: 'Australia/Brisbane',
  Canberra: 'Australia/Canberra',
  Darwin: 'Australia/Darwin',
  Hobart: 'Australia/Hobart',
  Melbourne: 'Australia/Melbourne',
  Perth: 'Australia/Perth',
  Sydney: 'Australia/Sydney',
};

/**
 * UTC offset in hours, by abbreviation. Some abbreviations are used in several parts of the world.
 */
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

/** A zone that uses the abbreviation for part of the year, if other zones use it longer. */
const seasonal: Readonly<Record<string, string>> = {
  AKST: 'America/Anchorage',
  AKDT: 'America/Anchorage',
  PDT: 'America/Los_Angeles',
  MST: 'America/Denver',
  MDT: 'America/Denver',
  EST: 'America/New_York',
  EDT: 'America/New_York',
  ADT: 'America/Halifax',
  WET: 'Europe/Lisbon',
  WEST: 'Europe/Lisbon',
  CET: 'Europe/Berlin',
  CEST: 'Europe/Berlin',
  MEZ: 'Europe/Berlin',
  MESZ: 'Europe/Berlin',
  EET: 'Europe/Helsinki',
  EEST: 'Europe/Helsinki',
  ACST: 'Australia/Adelaide',
  ACDT: 'Australia/Adelaide',
  AEST: 'Australia/Sydney',
  AEDT: 'Australia/Sydney',
  NZST: 'Pacific/Auckland',
  NZDT: 'Pacific/Auckland',
};

/**
 * Returns whether a zone has this offset in winter or summer. Services write CET all year, so the
 * season of the row's date does not matter.
 */
function abbreviates(zone: string, times: ZonedTime): boolean {
  const hours = abbreviations[zone.toUpperCase()];
  return ['2026-01-15', '2026-07-15'].some((day) => {
    const at = times.read(day);
    return at !== undefined && hours?.includes((Date.parse(day) - at) / HOUR_MS) === true;
  });
}

function oneZone(zone: string, ownExport: boolean): ZonedTime | undefined {
  const named = railsZones[zone];
  if (named !== undefined) return new ZonedTime(named);
  const isOne = ownExport || /^(?:UTC|GMT|Z|[+-]\d{2}:?\d{2}|\w+(?:\/[\w+-]+)+)$/.test(zone);
  try {
    return isOne ? new ZonedTime(zone === 'Z' || zone === 'GMT' ? 'UTC' : zone) : undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
