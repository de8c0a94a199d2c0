import { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';
import type { LedgerOptions } from '@financing-checkout/contract/reconciliation';
import { currencies } from '@financing-checkout/contract/money';
import { type ColumnMapping, mappingOf } from './columns.ts';
import { LedgerImportError } from '../import-error.ts';
import { decoderOf } from './encoding.ts';
import type { NewLedgerLine } from './line.ts';

/** How to read a file and what to do with it: a request's options, completed by the program. */
export interface LedgerImportOptions extends LedgerOptions {
  /** IANA time zone of the merchant's business days (RECONCILIATION_ZONE). @default UTC */
  businessZone?: string | undefined;
  /** Whether `types` come from the preset rather than being declared for this file. */
  hasPresetTypes?: boolean | undefined;
  /** Whether the file is this program's own export. @default detected from its columns */
  ownExport?: boolean | undefined;
}

/**
 * Meaning of a type word. With `sign`, an amount below 0 is a refund; `skip` marks lines that are
 * not to be reconciled.
 */
export type TypeMeant = NewLedgerLine['type'] | 'sign' | 'skip';

/** Validated options, with derived settings for reading lines. */
export interface Reading extends LedgerImportOptions {
  mapping: ColumnMapping;
  units: 'minor' | 'major';
  /** Meaning of the type words, in lowercase. @default settle and refund */
  words?: ReadonlyMap<string, TypeMeant> | undefined;
  times: ZonedTime;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether to accept suspicious ids, because a withdrawal must be able to remove wrong lines. */
  isWithdrawal: boolean;
  /** Column and text of the net amount in a table row. */
  net?: { column: string; text: string } | undefined;
}

/** @param now milliseconds since 1970 @throws {LedgerImportError} for unusable options */
export function readingOf(options: LedgerImportOptions, now: number): Reading {
  const { currency, ownExport, units = 'minor', withdraw: isWithdrawal = false } = options;
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
  const mapping = mappingOf(options.map ?? {});
  // A withdrawal must also remove extra rows that an import read as lines.
  const { extraRows = isWithdrawal ? 'keep' : undefined } = options;
  const { cells = isWithdrawal ? 'stored' : undefined } = options;
  return {
    ...options,
    mapping,
    units,
    words: wordsOf(options.types),
    times: timesOf(zoneOf(options)),
    now,
    isWithdrawal,
    extraRows: ownExport === true ? 'keep' : extraRows,
    cells,
  };
}

const typesMeant = { settle: 'Settle', refund: 'Refund', sign: 'sign', skip: 'skip' } as const;

function wordsOf(types: LedgerOptions['types']): Reading['words'] {
  if (types === undefined) return undefined;
  const words = new Map<string, TypeMeant>();
  for (const type of ['settle', 'refund', 'sign', 'skip'] as const) {
    for (const word of types[type] ?? []) {
      if (words.has(word.toLowerCase())) {
        throw new LedgerImportError('`types` contains a word twice.');
      }
      words.set(word.toLowerCase(), typesMeant[type]);
    }
  }
  return words;
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
