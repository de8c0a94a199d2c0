import type { ImportOrigin } from '../facts/store.ts';
import { LedgerImportError } from './columns.ts';
import type { LedgerImportOptions } from './options.ts';

/** What a file stands for, as far as it is known before its lines are. */
export interface StatedOrigin {
  source: string;
  isStated: boolean;
  /** Milliseconds since 1970, both included. */
  period: { from: number; to: number } | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Returns the source that the person states, or that of the file's name. Undefined for lines that a
 * program sends without either: each of its requests is an addition.
 * @throws {LedgerImportError}
 */
export function originOf({ of, file, period }: LedgerImportOptions): StatedOrigin | undefined {
  const range = period === undefined ? undefined : periodOf(period);
  if (of !== undefined) return { source: of.trim(), isStated: true, period: range };
  if (file === undefined) {
    if (range === undefined) return undefined;
    throw new LedgerImportError('`period` requires `of`, the source of the lines.');
  }
  // Programs number and date their files: the letters stay the same.
  const letters = file.replace(/\.[a-z\d]+$/i, '').replaceAll(/[^\p{L}]+/gu, ' ');
  return { source: letters.trim().toLowerCase(), isStated: false, period: range };
}

function periodOf(text: string): { from: number; to: number } {
  const [first = '', last = first] = text.split('..');
  const from = Date.parse(first);
  const end = Date.parse(last);
  const isWritten = [first, last].every((day) => /^\d{4}-\d{2}(?:-\d{2})?$/.test(day));
  if (!isWritten || Number.isNaN(from) || Number.isNaN(end) || end < from) {
    throw new LedgerImportError(
      '`period` must be a month or days, such as 2026-03 or 2026-03-01..2026-03-31.',
    );
  }
  return { from, to: last.length === 7 ? endOfMonth(end) : end + DAY_MS - 1 };
}

/** Returns the period of lines: their month, if it is one, or their days. */
export function periodAround(first: number, last: number): { from: number; to: number } {
  const month = (at: number) => new Date(at).toISOString().slice(0, 7);
  if (month(first) === month(last)) {
    return { from: Date.parse(month(first)), to: endOfMonth(first) };
  }
  return { from: first - (first % DAY_MS), to: last - (last % DAY_MS) + DAY_MS - 1 };
}

function endOfMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - 1;
}

/** Returns whether two imports have one source by their names alone; undefined: compare orders. */
export function isSameSource(one: ImportOrigin, other: ImportOrigin): boolean | undefined {
  if (one.source === other.source) return true;
  if (one.isStated && other.isStated) return false;
  return one.columns === other.columns ? undefined : false;
}
