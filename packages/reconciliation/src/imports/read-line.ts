import {
  fromMajorUnits,
  isCurrency,
  MAX_MINOR_UNITS,
  minorUnitDigits,
  MoneyError,
} from '@financing-checkout/contract/plain';
import { type ColumnMapping, type LedgerField, requiredOf } from './columns.ts';
import type { NewLedgerLine } from './line.ts';
import { type Notation, plainAmount, plainDate, type TypeMeant } from './notation.ts';
import type { ZonedTime } from '../platform/zoned-time.ts';

/** What is wrong with a field of a line. Never holds what stood there: it may be a name. */
export class LineProblem {
  readonly field: LedgerField;
  /** Stable. */
  readonly code: string;
  /** What is wrong, to follow the column's name. */
  readonly message: string;

  constructor(field: LedgerField, code: string, message: string) {
    this.field = field;
    this.code = code;
    this.message = message;
  }
}

export interface ReadLineOptions {
  mapping: ColumnMapping;
  notation: Notation;
  /** What amounts are counted in: cents, or dollars with a decimal point. */
  units: 'minor' | 'major';
  /** For lines that name none. */
  currency: string | undefined;
  times: ZonedTime;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether what looks wrong is taken as it is: what is in the books by mistake must get out of them. */
  isWithdrawal: boolean;
}

/** A record of a file, by column. */
export type LedgerRecord = Readonly<Record<string, unknown>>;

type Read<Value> = Value | undefined | LineProblem;

const MAX_ID = 256;
/** A long number that was rounded (1.23457E+15), an error, a cell too narrow: many ids would be one. */
const spreadsheetValue =
  /^(?:\d(?:[.,]\d+)?E\+\d{2,}|#N\/A|#(?:REF|VALUE|NUM|NULL|DIV\/0)!|#NAME\?|#{2,})$/;

/** Reads one line; with everything that is wrong with it at once. @returns undefined for one to skip */
export function readLine(
  record: LedgerRecord,
  options: ReadLineOptions,
): { line: NewLedgerLine } | { problems: LineProblem[] } | undefined {
  const text = (field: LedgerField) => textOf(record, field, options);
  const word = text('type');
  if (typeof word === 'string' && meantBy(word, options.notation) === 'skip') return undefined;
  const id = (field: LedgerField) => then(text(field), readId(field, options));
  const currency = readCurrency(text('currency'), options.currency);
  const amount =
    typeof currency === 'string'
      ? then(text('amount'), (value) => readAmount(value, currency, options))
      : missingOf(text('amount'));
  const type = readType(word, amount, options.notation);
  const read = {
    merchantOrderId: id('order'),
    type,
    currency,
    amount: magnitudeOf(amount, type),
    occurredAt: then(text('date'), (value) => readDate(value, options)),
    transactionId: id('transaction'),
    merchantTransactionId: id('merchantTransaction'),
    chargeId: id('charge'),
  };
  const problems = Object.values(read).filter((value) => value instanceof LineProblem);
  const { merchantOrderId, occurredAt, ...rest } = read;
  if (
    problems.length > 0 ||
    typeof merchantOrderId !== 'string' ||
    (rest.type !== 'Settle' && rest.type !== 'Refund') ||
    typeof rest.currency !== 'string' ||
    typeof rest.amount !== 'number' ||
    typeof occurredAt !== 'number'
  ) {
    return { problems };
  }
  return {
    line: {
      merchantOrderId,
      type: rest.type,
      amount: rest.amount,
      currency: rest.currency,
      occurredAt,
      transactionId: optional(rest.transactionId),
      merchantTransactionId: optional(rest.merchantTransactionId),
      chargeId: optional(rest.chargeId),
    },
  };
}

function optional(text: Read<string>): string | undefined {
  return typeof text === 'string' ? text : undefined;
}

function then<Value>(text: Read<string>, read: (text: string) => Read<Value>): Read<Value> {
  return typeof text === 'string' ? read(text) : text;
}

/** Without its currency an amount cannot be read, but can be missed. */
function missingOf(text: Read<string>): LineProblem | undefined {
  return text instanceof LineProblem ? text : undefined;
}

function textOf(
  record: LedgerRecord,
  field: LedgerField,
  { mapping, units, notation }: ReadLineOptions,
): Read<string> {
  const column = mapping[field];
  const value = Object.hasOwn(record, column) ? record[column] : undefined;
  if (typeof value === 'number' && Number.isFinite(value)) {
    // Beyond 2^53 a number may stand for another one than was written.
    if ((units === 'major' && field === 'amount') || Number.isSafeInteger(value)) {
      return inNotation(value, notation);
    }
    if (field === 'amount') return wholeNumberWanted();
  }
  if (value !== undefined && value !== null && typeof value !== 'string') {
    return new LineProblem(field, 'not-text', 'must be text');
  }
  const text = value?.trim() ?? '';
  if (text !== '') return text;
  if (!requiredOf(notation).includes(field)) return undefined;
  return new LineProblem(field, 'missing', 'is missing');
}

/** A number of JSON has a decimal point, whatever texts have. */
function inNotation(value: number, { decimal }: Notation): string {
  return decimal === 'comma' ? String(value).replace('.', ',') : String(value);
}

function readId(
  field: LedgerField,
  { isWithdrawal }: ReadLineOptions,
): (text: string) => Read<string> {
  return (text) => {
    if (text.length > MAX_ID) {
      return new LineProblem(field, 'too-long', `is longer than ${MAX_ID} characters`);
    }
    if (!text.isWellFormed()) {
      return new LineProblem(field, 'not-text', 'holds half a character');
    }
    if (/\p{Cc}/u.test(text)) {
      return new LineProblem(field, 'control-character', 'holds a control character');
    }
    if (!isWithdrawal && spreadsheetValue.test(text)) {
      const message =
        'is what a spreadsheet writes in place of it: format its column as text, and export it again';
      return new LineProblem(field, 'spreadsheet-value', message);
    }
    return text;
  };
}

const usualWords: ReadonlyMap<string, NewLedgerLine['type']> = new Map([
  ['settle', 'Settle'],
  ['refund', 'Refund'],
]);

function meantBy(word: string, { words = usualWords }: Notation): TypeMeant | undefined {
  return words.get(word.toLowerCase());
}

function readType(
  word: Read<string>,
  amount: Read<number>,
  notation: Notation,
): Read<NewLedgerLine['type']> {
  if (word instanceof LineProblem) return word;
  const { type, words } = notation;
  const usual = type === 'sign' ? type : type && usualWords.get(type);
  const meant = word === undefined ? usual : meantBy(word, notation);
  if (meant === 'sign') {
    return typeof amount === 'number' ? (amount < 0 ? 'Refund' : 'Settle') : undefined;
  }
  if (meant === 'Settle' || meant === 'Refund') return meant;
  const message = words
    ? 'is none of the words that types says'
    : 'must be "settle" or "refund": say with types which words of yours mean them';
  return new LineProblem('type', 'type-unknown', message);
}

function readCurrency(text: Read<string>, usual: string | undefined): Read<string> {
  if (text instanceof LineProblem) return text;
  const code = text?.toUpperCase() ?? usual;
  if (code === undefined) {
    const message = 'is missing: give a currency for lines that name none';
    return new LineProblem('currency', 'missing', message);
  }
  if (isCurrency(code)) return code;
  return new LineProblem('currency', 'currency-unknown', 'must be an ISO 4217 code in use');
}

/** Before there was anything to reconcile: an empty cell, or a year with a digit too few. */
const FIRST = Date.UTC(2000, 0, 1);
/** Lines may be dated ahead, but not to a day on which nobody asks for the money any more. */
const AHEAD_MS = 366 * 86_400_000;

/** What can be read, by what was said of dates. */
const datesMeant = {
  iso: '2026-01-31 or 2026-01-31T12:00:00Z, or say with dates whether days (dmy) or months (mdy) come first',
  dmy: '31.01.2026 or 2026-01-31',
  mdy: '01/31/2026 or 2026-01-31',
};

function readDate(text: string, { times, now, notation }: ReadLineOptions): Read<number> {
  const time = times.read(plainDate(text, notation));
  if (time === undefined) {
    const message = `is no date: write ${datesMeant[notation.dates ?? 'iso']}; years have four digits`;
    return new LineProblem('date', 'date-invalid', message);
  }
  if (time >= FIRST && time <= now + AHEAD_MS) return time;
  const message = 'is before the year 2000 or more than a year ahead: check its year';
  return new LineProblem('date', 'date-implausible', message);
}

/** In a currency of fewer decimals 1.500 is one and a half, or fifteen hundred. */
const perhapsThousands = /^-?[1-9]\d{0,2}\.\d{3}$/;

function readAmount(
  text: string,
  currency: string,
  { units, notation, isWithdrawal }: ReadLineOptions,
): Read<number> {
  if (units === 'minor') return notZero(minorUnits(text));
  const isUnsaid = notation.decimal === undefined;
  if (isUnsaid && isWithdrawal) return notZero(majorUnits(text, currency, notation));
  if (isUnsaid && perhapsThousands.test(text) && minorUnitDigits(currency) < 3) {
    const message = `has more decimals than ${currency} has, or thousands set apart by a point: say with decimal what stands before the decimals`;
    return new LineProblem('amount', 'amount-too-precise', message);
  }
  return notZero(majorUnits(plainAmount(text, notation) ?? '', currency, notation));
}

function notZero(value: Read<number>): Read<number> {
  return value === 0
    ? new LineProblem('amount', 'amount-zero', 'is 0: such a line says nothing')
    : value;
}

/** Many books write what goes out with a minus. */
function magnitudeOf(amount: Read<number>, type: Read<NewLedgerLine['type']>): Read<number> {
  if (typeof amount !== 'number') return amount;
  if (amount < 0 && type === 'Settle') {
    return new LineProblem('amount', 'amount-negative', 'of a settle must not be negative');
  }
  return Math.abs(amount);
}

function minorUnits(text: string): Read<number> {
  const isWhole = /^-?\d{1,17}$/.test(text) && Math.abs(Number(text)) <= MAX_MINOR_UNITS;
  return isWhole ? Number(text) : wholeNumberWanted();
}

function wholeNumberWanted(): LineProblem {
  const message = 'must be a whole number of minor units (cents); declare major units for 12.34';
  return new LineProblem('amount', 'amount-invalid', message);
}

/** What can be read, by what was said to stand before decimals. */
const amountsMeant = {
  unsaid:
    '1234.50, without signs of a currency, or say with decimal whether a point or a comma stands before the decimals',
  point: '1234.50, without signs of a currency: a point was said to stand before the decimals',
  comma: '1234,50, without signs of a currency: a comma was said to stand before the decimals',
};

function majorUnits(text: string, currency: string, notation: Notation): Read<number> {
  try {
    return fromMajorUnits(text, currency).value;
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    const message =
      error.code === 'amount-too-precise'
        ? `has more decimals than ${currency} has`
        : error.code === 'amount-too-large'
          ? 'is larger than can be handled exactly'
          : `is no decimal number: write ${amountsMeant[notation.decimal ?? 'unsaid']}`;
    return new LineProblem('amount', error.code, message);
  }
}
