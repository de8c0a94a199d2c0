import type { LedgerOptions } from '@financing-checkout/contract/reconciliation';

/**
 * Notation of ambiguous dates: day or month first; day and month without year; days since 1900 or
 * 1904; seconds or milliseconds since 1970.
 */
type DateNotation = NonNullable<LedgerOptions['dates']>;
type DateRules = Pick<LedgerOptions, 'dates' | 'year'>;

/**
 * A date, optionally followed by a time of day and a time zone: an offset, which may have the name
 * of the zone in parentheses (ECMA-262 `Date.prototype.toString`, RFC 2822), or a word such as PDT.
 */
const dateAndTime =
  /^(.+?)(?:(?:T|,?\s+)(\d{1,2}):(\d{2})(:\d{2}(?:[.,]\d{1,9})?)?(?:\s?([ap])\.?\s?m\.?)?(?:\s?(Z|(?:(?:UTC|GMT)\s?)?[+−-]\d{1,2}(?::?\d{2})?|UTC|GMT)(?:\s\([^()]+\))?|\s([a-z]{2,5}))?)?$/i;

/** Date formats, of which the first match wins. A format with `when` applies only if declared. */
const forms: readonly { pattern: RegExp; when?: readonly DateNotation[] }[] = [
  { pattern: /^(?<year>\d{4})([-./])(?<month>\d{1,2})\2(?<day>\d{1,2})$/ },
  { pattern: /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/ },
  {
    pattern:
      /^(?<day>\d{1,2})(?:er|º)?(?:\.?\s(?:de\s)?|[-/])(?<name>\p{L}{3,10})(?:[.,]?\s(?:de\s)?|\.?[-/])(?<year>\d{4})$/iu,
  },
  { pattern: /^(?<name>\p{L}{3,10})\.?\s(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s(?<year>\d{4})$/iu },
  {
    pattern:
      /^(?<day>\d{1,2})(?:\.?\s|[-/])(?<name>\p{L}{3,10})(?:[.,]?\s|\.?[-/])(?<year>\d{2})$/iu,
    when: ['dmy'],
  },
  {
    pattern: /^(?<day>\d{1,2})([-./])(?<month>\d{1,2})\2(?<year>\d{4}|\d{2})$/,
    when: ['dmy'],
  },
  // Files with the month first do not use dots.
  { pattern: /^(?<month>\d{1,2})([-/])(?<day>\d{1,2})\2(?<year>\d{4}|\d{2})$/, when: ['mdy'] },
  { pattern: /^(?<day>\d{2})(?<month>\d{2})(?<year>\d{4})$/, when: ['dmy'] },
  { pattern: /^(?<month>\d{2})(?<day>\d{2})(?<year>\d{4})$/, when: ['mdy'] },
  { pattern: /^(?<day>\d{1,2})(?<month>\d{2})$/, when: ['ddmm'] },
];

/** Languages of the built-in presets and column names. */
const languages = ['en', 'de', 'de-AT', 'fr', 'es', 'it', 'nl', 'nb'];

/** Returns a name in lowercase, without accents or the dot of an abbreviation. */
function bareName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[\p{M}.]/gu, '')
    .toLowerCase();
}

/**
 * Returns the numbers (from 0) of the months or weekdays by each of their names in all languages.
 * Names may be inflected next to a day, and an abbreviation may stand for several days: `mar` is
 * mardi and martes.
 */
function namesIn(part: 'month' | 'weekday', count: number): ReadonlyMap<string, Set<number>> {
  const names = new Map<string, Set<number>>();
  for (const language of languages) {
    for (const length of ['long', 'short'] as const) {
      for (const beside of [{}, { day: 'numeric' }] as const) {
        const options = { [part]: length, ...beside, timeZone: 'UTC' };
        const format = new Intl.DateTimeFormat(language, options);
        for (let at = 0; at < count; at += 1) {
          // The first day of February 2026 is a Sunday.
          const day = part === 'month' ? Date.UTC(2026, at, 1) : Date.UTC(2026, 1, 1 + at);
          const shown = format.formatToParts(day).find(({ type }) => type === part);
          const name = bareName(shown?.value ?? '');
          names.set(name, (names.get(name) ?? new Set()).add(at));
        }
      }
    }
  }
  return names;
}

interface Names {
  months: ReadonlyMap<string, Set<number>>;
  weekdays: ReadonlyMap<string, Set<number>>;
}
let names: Names | undefined;

/** Reads the names from ICU on first use, because this is slow. */
function knownNames(): Names {
  names ??= {
    // Spreadsheets in German abbreviate März to Mrz, which ICU does not know.
    months: new Map([...namesIn('month', 12), ['mrz', new Set([2])]]),
    weekdays: namesIn('weekday', 7),
  };
  return names;
}

const DAY_MS = 86_400_000;
/** Numeric dates: milliseconds per unit, epoch, and whether they are in local time. */
const counts: Partial<
  Record<DateNotation, { pattern: RegExp; unit: number; start: number; isLocal: boolean }>
> = {
  // Spreadsheets count a nonexistent February 29, 1900, which only affects dates earlier than those
  // of lines.
  excel: {
    pattern: /^\d{1,6}(?:[.,]\d+)?$/,
    unit: DAY_MS,
    isLocal: true,
    start: Date.UTC(1899, 11, 30),
  },
  'excel-1904': {
    pattern: /^\d{1,6}(?:[.,]\d+)?$/,
    unit: DAY_MS,
    isLocal: true,
    start: Date.UTC(1904, 0, 1),
  },
  unix: { pattern: /^\d{9,10}$/, unit: 1000, start: 0, isLocal: false },
  'unix-ms': { pattern: /^\d{12,13}$/, unit: 1, start: 0, isLocal: false },
};

/** A date in the form `2026-12-31 14:05+01:00`, with the time and the offset if present. */
export interface PlainDate {
  text: string;
  /** Word for the time zone, such as PDT, in uppercase. */
  zone: string | undefined;
}

/** Normalizes a date; undefined if it is not valid in the declared notation. */
export function plainDate(text: string, { dates, year }: DateRules): PlainDate | undefined {
  const count = dates === undefined ? undefined : counts[dates];
  if (count?.pattern.test(text)) return { text: counted(text, count), zone: undefined };
  const [, date = '', hour, minute, second, half, offset, zone] = dateAndTime.exec(text) ?? [];
  const day = dayOf(date, dates, year) ?? dayAfterWeekday(date, dates, year);
  const clock = clockOf([hour, minute, second, half, offset]);
  if (day === undefined || clock === undefined) return undefined;
  return { text: day + clock, zone: zone?.toUpperCase() };
}

/** Returns whether a text contains letters but is not a date in any notation, such as a title. */
export function isWords(text: string): boolean {
  if (!/\p{L}/u.test(text)) return false;
  return (['dmy', 'mdy'] as const).every((dates) => plainDate(text, { dates }) === undefined);
}

function counted(
  text: string,
  { unit, start, isLocal }: { unit: number; start: number; isLocal: boolean },
): string {
  const iso = new Date(start + Math.round(Number(text.replace(',', '.')) * unit)).toISOString();
  return isLocal ? iso.slice(0, -1) : iso;
}

function dayOf(
  text: string,
  dates: DateNotation | undefined,
  usualYear: number | undefined,
): string | undefined {
  for (const { pattern, when } of forms) {
    if (when && (dates === undefined || !when.includes(dates))) continue;
    const found = pattern.exec(text)?.groups;
    if (!found) continue;
    const { name = '', day = '' } = found;
    const month = name === '' ? Number(found.month) : monthOf(name);
    const years = found.year ?? String(usualYear);
    const year = years.length === 2 ? 2000 + Number(years) : Number(years);
    const date = new Date(Date.UTC(year, month - 1, Number(day)));
    if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== Number(day)) continue;
    return [years.length === 2 ? String(year) : years, String(month), day]
      .map((part) => part.padStart(2, '0'))
      .join('-');
  }
  return undefined;
}

/** Reads `Sat Oct 31 2026`; undefined if the date is not on that weekday. */
function dayAfterWeekday(
  text: string,
  dates: DateNotation | undefined,
  usualYear: number | undefined,
): string | undefined {
  const [, name = '', rest = ''] = /^(\p{L}{2,})\.?,?\s+(.+)$/u.exec(text) ?? [];
  const meant = knownNames().weekdays.get(bareName(name));
  const day = meant === undefined ? undefined : dayOf(rest, dates, usualYear);
  return day !== undefined && meant?.has(new Date(day).getUTCDay()) === true ? day : undefined;
}

/**
 * Returns a month's number, from 1, given its name or at least its first three letters; 0 for
 * another word and for ambiguous letters, such as `jui`.
 */
function monthOf(name: string): number {
  const word = bareName(name);
  const { months } = knownNames();
  const begun = [...months].flatMap(([known, numbers]) =>
    known.startsWith(word) ? [...numbers] : [],
  );
  const [month = -1, ...others] = months.get(word) ?? new Set(begun);
  return others.length > 0 ? 0 : month + 1;
}

/** Parses the time of day and time zone after a date; undefined if they are invalid. */
function clockOf([hour, minute = '', second = '', half, zone = '']: (string | undefined)[]):
  | string
  | undefined {
  if (hour === undefined) return '';
  const isOfHalf = Number(hour) >= 1 && Number(hour) <= 12;
  if (half !== undefined && !isOfHalf) return undefined;
  const begun = half?.toLowerCase() === 'p' ? 12 : 0;
  const hours = half === undefined ? hour : String((Number(hour) % 12) + begun);
  return ` ${hours.padStart(2, '0')}:${minute}${second}${zoneOf(zone)}`;
}

function zoneOf(zone: string): string {
  if (zone === '') return '';
  const [, sign, hours, minutes = '00'] = /([+−-])(\d{1,2}):?(\d{2})?$/.exec(zone) ?? [];
  if (sign === undefined || hours === undefined) return 'Z';
  return `${sign.replace('−', '-')}${hours.padStart(2, '0')}:${minutes}`;
}

/** Advice for an ambiguous date, by format. */
const questions: readonly [RegExp, string][] = [
  [
    /^\d{1,2}([./-])\d{1,2}\1\d{2,4}(?!\d)|^\d{8}$/,
    'is ambiguous: set `dates` to dmy (day first) or mdy (month first)',
  ],
  [/^\d{1,2}.\p{L}{3,10}.\d{2}(?!\d)/iu, 'is ambiguous: set `dates` to dmy (day first)'],
  [/^\d{3,4}$/, 'has no year: set `dates` to ddmm (day and month), and set `year`'],
  [/^\d{5}(?:[.,]\d+)?$/, 'is a number: say with dates excel (or excel-1904) where it counts days'],
  [/^\d{10}$|^\d{13}$/, 'is a number: set `dates` to unix (seconds) or unix-ms (milliseconds)'],
];

/** Examples of accepted dates, by declared notation. */
const readable = {
  iso: '2026-01-31, 31-Jan-2026 or 2026-01-31T12:00:00Z, or set `dates` to the file’s notation',
  dmy: '31.01.2026, 31.01.26 or 2026-01-31',
  mdy: '01/31/2026, 01/31/26 or 2026-01-31',
  ddmm: '3101 or 2026-01-31',
  excel: '46053 or 2026-01-31',
  'excel-1904': '44591 or 2026-01-31',
  unix: '1769817600 or 2026-01-31',
  'unix-ms': '1769817600000 or 2026-01-31',
};

/** Returns the problem with an invalid date; the message follows the column name. */
export function dateQuestion(text: string, dates: DateNotation | undefined): string {
  const question = questions.find(([pattern]) => dates === undefined && pattern.test(text));
  return (
    question?.[1] ?? `is not a date: write ${readable[dates ?? 'iso']}; a zone is Z, UTC or +01:00`
  );
}
