import type { Notation, TypeMeant } from './notation.ts';

/** Fields of a ledger line, with their default column names. */
export const ledgerFields = {
  order: 'merchantOrderId',
  type: 'type',
  amount: 'amount',
  /** Two amount columns instead of `amount`: the one with a value determines the type. */
  settled: undefined,
  refunded: undefined,
  currency: 'currency',
  date: 'date',
  /** Time of day and time zone, if they are in separate columns. */
  time: undefined,
  zone: undefined,
  transaction: 'transactionId',
  merchantTransaction: 'merchantTransactionId',
  charge: 'chargeId',
} as const;
export type LedgerField = keyof typeof ledgerFields;

export const ledgerFieldNames = Object.keys(ledgerFields) as LedgerField[];

/** The column name of each field; undefined: no column. */
export type ColumnMapping = Readonly<Record<LedgerField, string | undefined>>;

/** Required fields. */
export function requiredOf({ type }: Notation, mapping: ColumnMapping): readonly LedgerField[] {
  if (hasTwoAmounts(mapping)) return ['order', 'settled', 'refunded', 'date'];
  return type === undefined ? ['order', 'type', 'amount', 'date'] : ['order', 'amount', 'date'];
}

/** Returns whether the mapping has two amount columns. */
export function hasTwoAmounts({ settled }: ColumnMapping): boolean {
  return settled !== undefined;
}

/** Returns the names of the amount columns. */
export function amountColumns({ amount, settled, refunded }: ColumnMapping): string[] {
  return [amount, settled, refunded].filter((name) => name !== undefined);
}

/**
 * The mapping or file is unusable. The message says what to do and contains no value from the file.
 */
export class LedgerImportError extends Error {
  override readonly name = 'LedgerImportError';
}

/** Another import is running; only one runs at a time. */
export class ImportBusyError extends Error {
  override readonly name = 'ImportBusyError';
}

/** Overrides default column names. @throws {LedgerImportError} */
export function mappingOf(named: Readonly<Partial<Record<LedgerField, string>>>): ColumnMapping {
  if (named.settled === undefined && named.refunded === undefined) {
    return { ...ledgerFields, ...named };
  }
  if (named.settled === undefined || named.refunded === undefined || named.amount !== undefined) {
    throw new LedgerImportError(
      'Map one amount column, "amount", or both "settled" and "refunded".',
    );
  }
  return { ...ledgerFields, ...named, amount: undefined };
}

/**
 * Parses `order=Order No,amount=Total`. A name that contains a comma must be in double quotes.
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
 * Parses `settle=Invoice,settle=Sale,refund=Credit note,skip=Payment`: the meaning of each word in
 * the type column.
 * @throws {LedgerImportError}
 */
export function parseTypes(text: string): Map<string, TypeMeant> {
  const words = new Map<string, TypeMeant>();
  for (const [type, word] of pairsOf(text, ['settle', 'refund', 'sign', 'skip'])) {
    if (type === undefined) {
      throw new LedgerImportError(
        '`types` has the form type=word, with the types settle, refund, sign (below 0 is a refund) and skip; for example "settle=Invoice,refund=Credit note,skip=Payment".',
      );
    }
    if (words.has(word.toLowerCase())) {
      throw new LedgerImportError('`types` contains a word twice.');
    }
    words.set(word.toLowerCase(), typesMeant[type]);
  }
  return words;
}

/**
 * Parses `CH=SB,Status=Paid,Status=Done`: columns, and the values of the rows to import.
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
        '`only` has the form column=word, for example "Status=Paid,Status=Done".',
      );
    }
    only.set(column, [...(only.get(column) ?? []), word]);
  }
  return only;
}

const pairs = /(?:"(?:[^"]|"")*"|[^,"])+/g;

/**
 * Splits comma-separated `name=text` pairs. An unknown name or a missing text becomes undefined.
 */
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

/**
 * Parses `amount,date,Payout id`: ledger fields or file columns; a row in which one of them is
 * empty is skipped. A name that contains a comma must be in double quotes.
 * @throws {LedgerImportError}
 */
export function parseSkipRowsWithout(text: string): string[] {
  const names = (text.match(pairs) ?? []).map((name) => unquoted(name.trim()));
  if (names.length === 0 || names.includes('')) {
    throw new LedgerImportError(
      '`skip-rows-without` names fields or columns, for example "amount,date,Payout id".',
    );
  }
  return names;
}

/** Returns the field with this name; undefined if the name refers to a column of the file. */
export function fieldNamed(name: string): LedgerField | undefined {
  return ledgerFieldNames.find((field) => field === name);
}
