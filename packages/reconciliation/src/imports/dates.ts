/**
 * Notations that a file may declare for ambiguous dates: day or month first; day and month without
 * year; days since 1900 or 1904; seconds or milliseconds since 1970.
 */
export const dateNotations = [
  'dmy',
  'mdy',
  'ddmm',
  'excel',
  'excel-1904',
  'unix',
  'unix-ms',
] as const;
export type DateNotation = (typeof dateNotations)[number];

/** Notation of ambiguous dates in a file. */
export interface DateRules {
  /** Order of ambiguous dates. */
  dates?: DateNotation | undefined;
  /** Year for dates without one, with `ddmm`. */
  year?: number | undefined;
}

/** A date, optionally followed by a time of day and a time zone. */
const dateAndTime =
  /^(.+?)(?:(?:T|,?\s+)(\d{1,2}):(\d{2})(:\d{2}(?:[.,]\d{1,9})?)?(?:\s?([ap])\.?m\.?)?(?:\s?(Z|UTC|GMT|[+−-]\d{2}(?::?\d{2})?))?)?$/i;

/** Date formats; one with `when` applies only if declared. The first match wins. */
const forms: readonly { pattern: RegExp; when?: readonly DateNotation[] }[] = [
  { pattern: /^(?<year>\d{4})([-./])(?<month>\d{1,2})\2(?<day>\d{1,2})$/ },
  { pattern: /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/ },
  { pattern: /^(?<day>\d{1,2})(?:\.?\s|[-/])(?<name>[a-z]{3,9})(?:[.,]?\s|[-/])(?<year>\d{4})$/i },
  { pattern: /^(?<name>[a-z]{3,9})\.?\s(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s(?<year>\d{4})$/i },
  {
    pattern: /^(?<day>\d{1,2})(?:\.?\s|[-/])(?<name>[a-z]{3,9})(?:[.,]?\s|[-/])(?<year>\d{2})$/i,
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

const months =
  'january february march april may june july august september october november december'.split(
    ' ',
  );

const DAY_MS = 86_400_000;
/** Numeric dates: milliseconds per unit, epoch, and whether they are in local time. */
const counts: Partial<
  Record<DateNotation, { pattern: RegExp; unit: number; start: number; isLocal: boolean }>
> = {
  // Spreadsheets count a nonexistent February 29, 1900, but no line has an earlier date.
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

/**
 * Normalizes a date to the form `2026-12-31 14:05+01:00`, with the time and time zone if present;
 * undefined if it is not valid in the declared notation.
 */
export function plainDate(text: string, { dates, year }: DateRules): string | undefined {
  const count = dates === undefined ? undefined : counts[dates];
  if (count?.pattern.test(text)) return counted(text, count);
  const [, date = '', ...time] = dateAndTime.exec(text) ?? [];
  const day = dayOf(date, dates, year);
  const clock = clockOf(time);
  return day === undefined || clock === undefined ? undefined : day + clock;
}

/** Returns whether a text contains letters and is not a date in any notation, such as a title. */
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

function monthOf(name: string): number {
  return months.findIndex((month) => month.startsWith(name.toLowerCase())) + 1;
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
  if (/^(?:Z|UTC|GMT)$/i.test(zone)) return 'Z';
  return zone.replace('−', '-').replace(/^([+-]\d{2})$/, '$1:00');
}

/** Advice for an ambiguous date, by format. */
const questions: readonly [RegExp, string][] = [
  [
    /^\d{1,2}([./-])\d{1,2}\1\d{2,4}(?!\d)|^\d{8}$/,
    'is ambiguous: set `dates` to dmy (day first) or mdy (month first)',
  ],
  [/^\d{1,2}.[a-z]{3,9}.\d{2}(?!\d)/i, 'is ambiguous: set `dates` to dmy (day first)'],
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
