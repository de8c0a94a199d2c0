import { LedgerImportError } from '../import-error.ts';
import type { LedgerImportField, LedgerOptions } from '@financing-checkout/contract/reconciliation';

export type LedgerField = LedgerImportField;

/** Fields of a ledger line, with their default column names. */
export const ledgerFields = {
  order: 'merchantOrderId',
  type: 'type',
  amount: 'amount',
  /** Two amount columns that replace `amount`: the one with a value determines the type. */
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
} as const satisfies Record<LedgerField, string | undefined>;

export const ledgerFieldNames = Object.keys(ledgerFields) as LedgerField[];

/** Each field's column name; undefined: no column. */
export type ColumnMapping = Readonly<Record<LedgerField, string | undefined>>;

export function amountColumns({ amount, settled, refunded }: ColumnMapping): string[] {
  return [amount, settled, refunded].filter((name) => name !== undefined);
}

/** Overrides default column names. @throws {LedgerImportError} */
export function mappingOf(named: NonNullable<LedgerOptions['map']>): ColumnMapping {
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

/** Returns the field with this name; undefined if the name refers to a column in the file. */
export function fieldNamed(name: string): LedgerField | undefined {
  return ledgerFieldNames.find((field) => field === name);
}
