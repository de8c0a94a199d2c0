import { isCurrency } from '@financing-checkout/contract/plain';
import { ZonedTime } from '../platform/zoned-time.ts';
import { type LedgerField, LedgerImportError, mappingOf } from './columns.ts';
import { decoderOf } from './encoding.ts';
import type { Notation } from './notation.ts';
import type { ReadLineOptions } from './line-problem.ts';
import type { LeftOutOptions } from './left-out.ts';
import type { LedgerFormat } from './records.ts';

/** How a file is to be read, and what is to be done with it. */
export interface LedgerImportOptions extends Notation, LeftOutOptions {
  /** Name of a preset, or the JSON text of one: it says what is not said here. */
  preset?: string | undefined;
  /** Whether the file is an export of the program itself. @default told by its columns */
  ownExport?: boolean | undefined;
  /** @default told by how the file begins */
  format?: LedgerFormat | undefined;
  /** Names of columns, where they are not the usual ones. */
  mapping?: Readonly<Partial<Record<LedgerField, string>>> | undefined;
  /** A label of the Encoding Standard. @default UTF-8; where a file begins with a mark, that holds */
  encoding?: string | undefined;
  /** Between two values of CSV. @default told by `sep=`, or by what the head holds most: comma, semicolon, tab */
  delimiter?: string | undefined;
  /** What amounts are counted in. Must be said for CSV. @default minor, for JSON */
  units?: 'minor' | 'major' | undefined;
  /** IANA time zone of dates that have none. @default UTC */
  zone?: string | undefined;
  /** Currency of lines that name none. */
  currency?: string | undefined;
  /** Whether a row with an amount settled and one refunded is two lines of one date. @default false */
  settleAndRefund?: boolean | undefined;
  /** Check everything and keep nothing. */
  dryRun?: boolean | undefined;
  source?: 'import' | 'api' | undefined;
  /** Take the lines out of the books, where an import put them. @default false */
  withdraw?: boolean | undefined;
  /** Lines that look like lines of the books take their place. @default false */
  replace?: boolean | undefined;
  /** Lines that look like lines of the books are others. @default false */
  keepBoth?: boolean | undefined;
  /** Who imports or withdraws them: it is kept with the lines. */
  by?: string | undefined;
}

/** @param now milliseconds since 1970 @throws {LedgerImportError} for options that cannot be used */
export function readingOf(options: LedgerImportOptions, now: number): ReadLineOptions {
  const { currency, zone, units = 'minor', withdraw: isWithdrawal = false } = options;
  if (currency !== undefined && !isCurrency(currency)) {
    throw new LedgerImportError('The currency must be an ISO 4217 code in use, such as USD.');
  }
  if (options.decimal !== undefined && units === 'minor') {
    throw new LedgerImportError('Minor units have no decimals: with decimal, declare major units.');
  }
  if ((options.dates === 'ddmm') !== (options.year !== undefined)) {
    throw new LedgerImportError(
      'Dates of days and months (ddmm) need a year, and a year is for them alone.',
    );
  }
  if (options.encoding !== undefined) decoderOf(options.encoding);
  const mapping = mappingOf(options.mapping ?? {});
  const { decimal, dates, year, type, words } = options;
  const notation: Notation = { decimal, dates, year, type, words };
  const { skipRowsWithout, skipOtherTypes, only, settleAndRefund } = options;
  return {
    ...{ mapping, notation, units, currency, times: timesOf(zone ?? 'UTC'), now, isWithdrawal },
    isOwnExport: options.ownExport,
    ...{ skipRowsWithout, skipOtherTypes, only, settleAndRefund, isZoneSaid: zone !== undefined },
  };
}

function timesOf(zone: string): ZonedTime {
  try {
    return new ZonedTime(zone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new LedgerImportError('The zone must be one of the IANA database: Europe/Berlin, UTC.');
  }
}
