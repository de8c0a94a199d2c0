import type { Notation, TypeMeant } from './notation.ts';

/** Fields of a ledger line, with their default column names. */
export const ledgerFields = {
  order: 'merchantOrderId',
  type: 'type',
  amount: 'amount',
  /** Amounts in two columns instead of `amount`: the filled one determines the type. */
  settled: undefined,
  refunded: undefined,
  currency: 'currency',
  date: 'date',
  /** Time of day and zone in columns of their own. */
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

/** Returns whether amounts are in two columns. */
export function hasTwoAmounts({ settled }: ColumnMapping): boolean {
  return settled !== undefined;
}

/** Returns the names of the columns of amounts. */
export function amountColumns({ amount, settled, refunded }: ColumnMapping): string[] {
  return [amount, settled, refunded].filter((name) => name !== undefined);
}

/** An unusable mapping or file. The message says what to do and contains no value of the file. */
export class LedgerImportError extends Error {
  override readonly name = 'LedgerImportError';
}

/** Only one import runs at a time. */
export class ImportBusyError extends Error {
  override readonly name = 'ImportBusyError';
}

/** Replaces default columns with named ones. @throws {LedgerImportError} */
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
 * Reads `order=Order No,amount=Total`. Double quotes surround a name with a comma.
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
 * Reads `CH=SB,Status=Paid,Status=Done`: columns, and the values of rows to read.
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

/** Splits pairs `name=text` at commas; an unknown name or a missing text is undefined. */
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
 * Reads `amount,date,Payout id`: fields of a line, or columns of the file, without which a row is left
 * out. Double quotes surround a name with a comma. @throws {LedgerImportError}
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

/** Returns the field of this name; undefined: it names a column of the file. */
export function fieldNamed(name: string): LedgerField | undefined {
  return ledgerFieldNames.find((field) => field === name);
}
