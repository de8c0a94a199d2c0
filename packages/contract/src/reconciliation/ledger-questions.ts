/** Names of the built-in presets. Users can write such files, too. */
export const ledgerPresetNames = [
  'lines',
  'shopify',
  'shopify-payouts',
  'adyen',
  'paypal',
  'stripe',
  'square',
  'razorpay',
  'razorpay-api',
  'vipps',
  'vipps-transactions',
  // Contains all columns of `amazon-us`, and more.
  'amazon-in',
  'amazon-us',
  'amazon-de',
  'amazon-fr',
] as const;
export type LedgerPresetName = (typeof ledgerPresetNames)[number];

import type { LedgerImportField, LedgerOptions } from './ledger-options.ts';

/** Options that a person may have to choose, because the values of a file do not decide them. */
export const ledgerQuestions = [
  'sheet',
  'units',
  'decimal',
  'dates',
  'year',
  'currency',
  'zone',
  'type',
  'types',
] as const;
export type LedgerQuestion = (typeof ledgerQuestions)[number];

/** The part of a preview that questions depend on. */
interface PreviewedColumns {
  format: 'csv' | 'json' | 'ndjson';
  columns: readonly string[];
  readings: readonly { asks: readonly string[] }[];
  known: readonly string[];
  sheets?: readonly string[] | undefined;
}

type Mapping = NonNullable<LedgerOptions['map']>;

/** Returns whether the settled and the refunded amount are in separate columns. */
export function hasTwoAmounts({ settled, refunded }: Mapping): boolean {
  return settled !== undefined || refunded !== undefined;
}

/** Returns the fields that each line needs. */
export function requiredFields(map: Mapping, type: LedgerOptions['type']): LedgerImportField[] {
  if (hasTwoAmounts(map)) return ['order', 'settled', 'refunded', 'date'];
  return type === undefined ? ['order', 'type', 'amount', 'date'] : ['order', 'amount', 'date'];
}

/**
 * Returns the unset options that the columns of a file do not decide.
 * @param options in effect, with the columns of all fields
 */
export function openQuestions(
  { columns, format, known, readings, sheets = [] }: PreviewedColumns,
  options: LedgerOptions,
): LedgerQuestion[] {
  if (columns.length === 0) return sheets.length > 0 ? ['sheet'] : [];
  const { map = {}, units, dates } = options;
  const asked = (field: LedgerImportField) => readings[columns.indexOf(map[field] ?? '')]?.asks;
  const isOpen: Record<LedgerQuestion, boolean | undefined> = {
    sheet: false,
    units: format === 'csv',
    decimal: units === 'major',
    dates: asked('date')?.includes('dates'),
    year: dates === 'ddmm',
    currency: map.currency === undefined,
    zone: map.zone === undefined && asked('date')?.includes('zone'),
    type: map.type === undefined && !hasTwoAmounts(map),
    types: asked('type')?.includes('types'),
  };
  return ledgerQuestions.filter(
    (name) => isOpen[name] === true && options[name] === undefined && !known.includes(name),
  );
}
