import { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';
import { currencies } from '@financing-checkout/contract/plain';
import { type LedgerField, LedgerImportError, mappingOf } from './columns.ts';
import { decoderOf } from './encoding.ts';
import type { Notation } from './notation.ts';
import type { ReadLineOptions } from './line-problem.ts';
import type { LeftOutOptions } from './line-problem.ts';
import type { LedgerFormat } from './records.ts';

/** How to read a file, and what to do with it. */
export interface LedgerImportOptions extends Notation, LeftOutOptions {
  /** Name of a preset, or its JSON text. Other options override the preset. */
  preset?: string | undefined;
  /** Whether `words` are those of the preset. */
  hasPresetWords?: boolean | undefined;
  /** Whether the file is this program's own export. @default detected from its columns */
  ownExport?: boolean | undefined;
  /** @default detected from the beginning of the file */
  format?: LedgerFormat | undefined;
  /** Sheet of a workbook: its name, or its number from 1. @default the only one */
  sheet?: string | undefined;
  /** Column names that differ from the defaults. */
  mapping?: Readonly<Partial<Record<LedgerField, string>>> | undefined;
  /** A label of the Encoding Standard. @default UTF-8; a byte order mark takes precedence */
  encoding?: string | undefined;
  /**
   * CSV separator. @default from `sep=`, or the most frequent one in the header row: comma,
   * semicolon, tab
   */
  delimiter?: string | undefined;
  /** Unit of amounts. Required for CSV. @default minor, for JSON */
  units?: 'minor' | 'major' | undefined;
  /** IANA time zone of dates without one. @default the business zone */
  zone?: string | undefined;
  /** IANA time zone of the merchant's business days (RECONCILIATION_ZONE). @default UTC */
  businessZone?: string | undefined;
  /** Currency of lines without one. */
  currency?: string | undefined;
  /**
   * Whether a row with a settled and a refunded amount becomes two lines with the same date.
   * @default false
   */
  settleAndRefund?: boolean | undefined;
  /** Dry run: checks everything and stores nothing. */
  dryRun?: boolean | undefined;
  source?: 'import' | 'api' | undefined;
  /** Whether to withdraw the lines that an import added. @default false */
  withdraw?: boolean | undefined;
  /** Whether lines that look like existing ones replace them. @default false */
  replace?: boolean | undefined;
  /** Whether lines that look like existing ones are added as separate lines. @default false */
  keepBoth?: boolean | undefined;
  /** Name of the file; its letters identify the source of lines if `of` is not set. */
  file?: string | undefined;
  /** Source of the lines, such as `erp`. */
  of?: string | undefined;
  /**
   * Period that the file covers completely: 2026-03, or 2026-03-01..2026-03-31. @default derived
   * from the dates of the lines
   */
  period?: string | undefined;
  /**
   * Whether a file that differs from an earlier one with the same source and period replaces its
   * lines or adds to them. @default such a file is rejected
   */
  correction?: 'replace' | 'add' | undefined;
  /** The person who imports the file, stored with the lines. */
  by?: string | undefined;
}

/** @param now milliseconds since 1970 @throws {LedgerImportError} for unusable options */
export function readingOf(options: LedgerImportOptions, now: number): ReadLineOptions {
  const { currency, zone, units = 'minor', withdraw: isWithdrawal = false } = options;
  if (currency !== undefined && !currencies.has(currency)) {
    throw new LedgerImportError('`currency` must be an ISO 4217 code, such as USD.');
  }
  if (options.decimal !== undefined && units === 'minor') {
    throw new LedgerImportError('Minor units have no decimals: `decimal` requires `units` major.');
  }
  if ((options.dates === 'ddmm') !== (options.year !== undefined)) {
    throw new LedgerImportError('`year` is required with `dates` ddmm, and only allowed with it.');
  }
  if (options.encoding !== undefined) decoderOf(options.encoding);
  const mapping = mappingOf(options.mapping ?? {});
  const { decimal, dates, year, type, words } = options;
  const notation: Notation = { decimal, dates, year, type, words };
  const { skipRowsWithout, skipOtherTypes, only, settleAndRefund } = options;
  const { extraRows = isWithdrawal ? 'keep' : undefined } = options;
  const { cells = isWithdrawal ? 'stored' : undefined } = options;
  return {
    mapping,
    notation,
    units,
    currency,
    times: timesOf(zoneOf(options)),
    now,
    isWithdrawal,
    isOwnExport: options.ownExport,
    extraRows: options.ownExport === true ? 'keep' : extraRows,
    cells,
    skipRowsWithout,
    skipOtherTypes,
    only,
    settleAndRefund,
    hasPresetWords: options.hasPresetWords,
    isZoneSaid: zone !== undefined,
  };
}

/** Returns the time zone of dates without one. */
export function zoneOf({ zone, businessZone }: LedgerImportOptions): string {
  return zone ?? businessZone ?? 'UTC';
}

function timesOf(zone: string): ZonedTime {
  try {
    return new ZonedTime(zone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new LedgerImportError('`zone` must be an IANA time zone, such as Europe/Berlin or UTC.');
  }
}
