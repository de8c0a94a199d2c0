import { addDays } from '@financing-checkout/contract/money';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import type { ImportOrigin } from '../../facts/store.ts';
import { LedgerImportError } from '../import-error.ts';
import type { LedgerImportOptions } from '../read/index.ts';

/** A file's origin, as far as it is known before the lines are read. */
export interface StatedOrigin {
  source: string;
  isStated: boolean;
  /** Milliseconds since 1970, inclusive. */
  period: { from: number; to: number } | undefined;
  /** Days in the file's time zone. */
  calendar: Calendar;
}

/**
 * Returns the source stated by the person, or the one derived from the file name. Undefined if a
 * program sends lines without either; each request then adds lines.
 * @param zone time zone of the period and of dates without one
 * @throws {LedgerImportError}
 */
export function originOf(
  { of, file, period }: LedgerImportOptions,
  zone: string,
): StatedOrigin | undefined {
  const calendar = new Calendar(zone);
  const range = period === undefined ? undefined : periodOf(period, calendar);
  if (of !== undefined) return { source: of.trim(), isStated: true, period: range, calendar };
  if (file === undefined) {
    if (range === undefined) return undefined;
    throw new LedgerImportError('`period` requires `of`, the source of the lines.');
  }
  // Programs put changing numbers and dates into file names, so only the letters identify a source.
  const letters = file.replace(/\.[a-z\d]+$/i, '').replaceAll(/[^\p{L}]+/gu, ' ');
  return { source: letters.trim().toLowerCase(), isStated: false, period: range, calendar };
}

function periodOf(text: string, calendar: Calendar): { from: number; to: number } {
  const [first = '', last = first] = text.split('..');
  const from = Date.parse(first);
  const end = Date.parse(last);
  const isWritten = [first, last].every((day) => /^\d{4}-\d{2}(?:-\d{2})?$/.test(day));
  if (!isWritten || Number.isNaN(from) || Number.isNaN(end) || end < from) {
    throw new LedgerImportError(
      '`period` must be a month or days, such as 2026-03 or 2026-03-01..2026-03-31.',
    );
  }
  const day = (written: string) => (written.length === 7 ? `${written}-01` : written);
  return {
    from: calendar.startOf(day(first)),
    to: last.length === 7 ? endOfMonth(last, calendar) : endOfDay(last, calendar),
  };
}

/** Returns the period from the first to the last day on which lines occurred. */
export function daysAround(
  first: number,
  last: number,
  calendar: Calendar,
): { from: number; to: number } {
  return {
    from: calendar.startOf(calendar.dayOf(first)),
    to: endOfDay(calendar.dayOf(last), calendar),
  };
}

/** Widens a period to its calendar month, or to whole days if it spans several months. */
export function periodAround(
  first: number,
  last: number,
  calendar: Calendar,
): { from: number; to: number } {
  const month = calendar.dayOf(first).slice(0, 7);
  if (month !== calendar.dayOf(last).slice(0, 7)) return daysAround(first, last, calendar);
  return { from: calendar.startOf(`${month}-01`), to: endOfMonth(month, calendar) };
}

/** Returns the last millisecond of a day. */
function endOfDay(day: string, calendar: Calendar): number {
  return calendar.startOf(addDays(day, 1)) - 1;
}

/** Returns the last millisecond of a month, such as 2026-03. */
function endOfMonth(month: string, calendar: Calendar): number {
  // 31 days after the first of a month is always in the next month.
  const next = addDays(`${month}-01`, 31).slice(0, 7);
  return calendar.startOf(`${next}-01`) - 1;
}

/**
 * Returns whether two imports may have the same source: they do not both have a stated name, or the
 * names match.
 */
export function isNamedAlike(one: ImportOrigin, other: ImportOrigin): boolean {
  return one.source === other.source || !one.isStated || !other.isStated;
}
