import type { Notation, TypeMeant } from './notation.ts';

/** What a ledger line is read from, and under which name it is looked for unless another is given. */
export const ledgerFields = {
  order: 'merchantOrderId',
  type: 'type',
  amount: 'amount',
  /** Amounts in two columns, in place of `amount`: which of the two has one says the type. */
  settled: undefined,
  refunded: undefined,
  currency: 'currency',
  date: 'date',
  /** Time of day and zone, where they stand beside the date. */
  time: undefined,
  zone: undefined,
  transaction: 'transactionId',
  merchantTransaction: 'merchantTransactionId',
  charge: 'chargeId',
} as const;
export type LedgerField = keyof typeof ledgerFields;

export const ledgerFieldNames = Object.keys(ledgerFields) as LedgerField[];

/** Under which name each field is found in a file; undefined: it has none. */
export type ColumnMapping = Readonly<Record<LedgerField, string | undefined>>;

/** Without these no line can be read. */
export function requiredOf({ type }: Notation, mapping: ColumnMapping): readonly LedgerField[] {
  if (hasTwoAmounts(mapping)) return ['order', 'settled', 'refunded', 'date'];
  return type === undefined ? ['order', 'type', 'amount', 'date'] : ['order', 'amount', 'date'];
}

/** Whether amounts are in two columns. */
export function hasTwoAmounts({ settled }: ColumnMapping): boolean {
  return settled !== undefined;
}

/** A mapping, or a file, that cannot be used. The message says what to do, and holds no value of the file. */
export class LedgerImportError extends Error {
  override readonly name = 'LedgerImportError';
}

/** One import at a time is carried out. */
export class ImportBusyError extends Error {
  override readonly name = 'ImportBusyError';
}

/** Puts the columns that were named in place of the usual ones. @throws {LedgerImportError} */
export function mappingOf(named: Readonly<Partial<Record<LedgerField, string>>>): ColumnMapping {
  if (named.settled === undefined && named.refunded === undefined) {
    return { ...ledgerFields, ...named };
  }
  if (named.settled === undefined || named.refunded === undefined || named.amount !== undefined) {
    throw new LedgerImportError(
      'Amounts are in one column, "amount", or in two: "settled" and "refunded", both of them.',
    );
  }
  return { ...ledgerFields, ...named, amount: undefined };
}

/**
 * Reads `order=Order No,amount=Total`. A name with a comma in it is put in double quotes.
 * @throws {LedgerImportError}
 */
export function parseMapping(text: string): Partial<Record<LedgerField, string>> {
  const mapping: Partial<Record<LedgerField, string>> = {};
  for (const [field, column] of pairsOf(text, ledgerFieldNames)) {
    if (field === undefined) {
      throw new LedgerImportError(
        `A mapping is written field=column, with fields ${ledgerFieldNames.join(', ')}; for example "order=Order No,amount=Total".`,
      );
    }
    if (mapping[field] !== undefined) {
      throw new LedgerImportError(`The mapping names a column for ${field} twice.`);
    }
    mapping[field] = column;
  }
  return mapping;
}

const typesMeant = { settle: 'Settle', refund: 'Refund', sign: 'sign', skip: 'skip' } as const;

/**
 * Reads `settle=Invoice,settle=Sale,refund=Credit note,skip=Payment`: words of the type column.
 * @throws {LedgerImportError}
 */
export function parseTypes(text: string): Map<string, TypeMeant> {
  const words = new Map<string, TypeMeant>();
  for (const [type, word] of pairsOf(text, ['settle', 'refund', 'sign', 'skip'])) {
    if (type === undefined) {
      throw new LedgerImportError(
        'Types are written type=word, with types settle, refund, sign (below 0 a refund) and skip; for example "settle=Invoice,refund=Credit note,skip=Payment".',
      );
    }
    if (words.has(word.toLowerCase())) {
      throw new LedgerImportError('The types name a word twice.');
    }
    words.set(word.toLowerCase(), typesMeant[type]);
  }
  return words;
}

/**
 * Reads `CH=SB,Status=Paid,Status=Done`: columns, and words of rows that are read.
 * @throws {LedgerImportError}
 */
export function parseOnly(text: string): Map<string, string[]> {
  const only = new Map<string, string[]>();
  for (const pair of text.match(pairs) ?? []) {
    const equals = pair.indexOf('=');
    const column = unquoted(pair.slice(0, Math.max(0, equals)).trim());
    const word = unquoted(pair.slice(equals + 1).trim());
    if (column === '' || word === '') {
      throw new LedgerImportError(
        'Rows to read are written column=word, for example "Status=Paid,Status=Done".',
      );
    }
    only.set(column, [...(only.get(column) ?? []), word]);
  }
  return only;
}

const pairs = /(?:"(?:[^"]|"")*"|[^,"])+/g;

/** Pairs `name=text` between commas; a name that is not one of these, or no text, is undefined. */
function* pairsOf<Name extends string>(
  text: string,
  names: readonly Name[],
): Generator<[Name | undefined, string]> {
  for (const pair of text.match(pairs) ?? []) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals)).trim();
    const value = unquoted(pair.slice(equals + 1).trim());
    yield [value === '' ? undefined : names.find((candidate) => candidate === name), value];
  }
}

function unquoted(text: string): string {
  if (!/^".*"$/s.test(text) || text.length < 2) return text;
  return text.slice(1, -1).replaceAll('""', '"');
}

/** What a row may lack so that it is left out, where that is said. */
export const leftOutWithout = ['amount', 'order', 'type'] as const;
export type LeftOutWithout = (typeof leftOutWithout)[number];
