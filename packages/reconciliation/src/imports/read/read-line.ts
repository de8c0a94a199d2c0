import type { Reading } from './options.ts';
import { currencies, isCurrencyOn } from '@financing-checkout/contract/money';
import type { LedgerField } from './columns.ts';
import { absentId, exportedText, furtherRead, optionalText, textOf } from './field-text.ts';
import { LineProblem, type LedgerRecord, type LineNote, type Read } from './line-problem.ts';
import type { NewLedgerLine } from './line.ts';
import {
  type ColumnSign,
  magnitudeOf,
  netProblem,
  readSigned,
  type Side,
  sidesOf,
} from './read-amount.ts';
import { readDate } from './read-date.ts';
import { contradictsOrderKey, readId } from './read-id.ts';
import { readType, typeOfSide } from './read-type.ts';

/**
 * Result of reading a record: lines, usually one; or errors, with the undeclared type word if there
 * is one.
 */
export type ReadLine =
  | { lines: NewLedgerLine[]; notes: LineNote[]; signs: ColumnSign[] }
  | { problems: LineProblem[]; unknownType?: string | undefined };

const ORDER_CHANGED =
  'is another order than `order_key` of the same row, as after a spreadsheet took away leading zeros: export again and format the column as text, or correct one of the two';

/** Reads one record and collects all its errors. */
export function readLine(record: LedgerRecord, options: Reading): ReadLine {
  const notes: LineNote[] = [];
  const signs: ColumnSign[] = [];
  const sides = sidesOf(record, options);
  const reads = (sides instanceof LineProblem ? [sides] : sides).map((side) =>
    readSide(record, side, { ...options, notes, signs }),
  );
  const problems = reads.flatMap((read) => ('problems' in read ? read.problems : []));
  if (problems.length > 0) {
    const word = textOf(record, 'type', options);
    const isUnknown = problems.some(({ code }) => code === 'type-unknown');
    return { problems, unknownType: isUnknown && typeof word === 'string' ? word : undefined };
  }
  return { lines: reads.flatMap((read) => ('line' in read ? [read.line] : [])), notes, signs };
}

function readSide(
  record: LedgerRecord,
  side: Side | LineProblem,
  options: Reading & { notes: LineNote[]; signs: ColumnSign[] },
): { line: NewLedgerLine } | { problems: LineProblem[] } {
  const text = (field: LedgerField) => textOf(record, field, options);
  const id = (field: LedgerField) =>
    furtherRead(absentId(record, field, options) ?? text(field), (value): Read<string> => {
      const read = readId(value, {
        ownExport: options.ownExport === true,
        isWithdrawal: options.isWithdrawal,
      });
      if ('code' in read) return new LineProblem(field, read.code, read.message);
      if (field === 'order' && !options.isWithdrawal && contradictsOrderKey(read.id, record)) {
        return new LineProblem(field, 'row-contradicts', ORDER_CHANGED);
      }
      if (read.isFolded) options.notes.push({ field, code: 'id-folded' });
      return read.id;
    });
  const stated = readCurrency(text('currency'), options.currency);
  const occurredAt = furtherRead(text('date'), (value) =>
    readDate(
      value,
      {
        time: optionalText(record, 'time', options),
        zone: optionalText(record, 'zone', options),
        offset: options.ownExport === true ? exportedText(record, 'utc_offset') : undefined,
      },
      options,
    ),
  );
  const currency = currencyProblem(stated, occurredAt) ?? stated;
  const signed = readSigned(record, side, currency, options);
  if (typeof signed === 'number' && !(side instanceof LineProblem) && side.type !== undefined) {
    options.signs.push({ field: side.field, isNegative: signed < 0 });
  }
  const type = typeOf(record, side, signed, options);
  const read = {
    merchantOrderId: id('order'),
    type,
    currency,
    amount: netProblem(signed, type, currency, options) ?? magnitudeOf(signed, type, side),
    occurredAt,
    transactionId: id('transaction'),
    merchantTransactionId: id('merchantTransaction'),
    chargeId: id('charge'),
  };
  const problems = Object.values(read).filter((value) => value instanceof LineProblem);
  const { merchantOrderId, ...rest } = read;
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

function readCurrency(text: Read<string>, usual: string | undefined): Read<string> {
  if (text instanceof LineProblem) return text;
  const code = text?.toUpperCase() ?? usual;
  if (code === undefined) {
    const message = 'is missing: set `currency` for lines without one';
    return new LineProblem('currency', 'missing', message);
  }
  if (currencies.has(code)) return code;
  return new LineProblem('currency', 'currency-unknown', 'must be an ISO 4217 code');
}

/** Half a day, because a line's date may be in a time zone behind UTC. */
const ZONE_TOLERANCE_MS = 43_200_000;

/**
 * Returns the error for a currency that was withdrawn before a line's date; undefined if it was in
 * use.
 */
function currencyProblem(
  currency: Read<string>,
  occurredAt: Read<number>,
): LineProblem | undefined {
  if (typeof currency !== 'string' || typeof occurredAt !== 'number') return undefined;
  const day = new Date(occurredAt - ZONE_TOLERANCE_MS).toISOString().slice(0, 10);
  if (isCurrencyOn(currency, day)) return undefined;
  const message = `was withdrawn after ${currencies.get(currency)?.lastDay}, before the date of the line`;
  return new LineProblem('currency', 'currency-unknown', message);
}

function typeOf(
  record: LedgerRecord,
  side: Side | LineProblem,
  signed: Read<number>,
  options: Reading,
): Read<NewLedgerLine['type']> {
  if (side instanceof LineProblem) return undefined;
  return side.type === undefined
    ? readType(textOf(record, 'type', options), signed, options)
    : typeOfSide(optionalText(record, 'type', options), side.type, options);
}
