import type {
  LedgerImportField,
  LedgerOptions,
  LedgerPreview,
} from '@financing-checkout/contract/reconciliation';
import { openQuestions, requiredFields } from '@financing-checkout/contract/plain';

export type Mapping = NonNullable<LedgerOptions['map']>;
type Types = NonNullable<LedgerOptions['types']>;
export type TypeMeant = keyof Types;

/** Returns the options for the API, except those that are incomplete or have no effect. */
export function sentOptions(options: LedgerOptions): LedgerOptions {
  const { map, types, only, skipRowsWithout = [], units, decimal, dates, year } = options;
  return {
    ...options,
    map: map && filled(map),
    types: types && filled(types),
    only: only && filled(only),
    skipRowsWithout: skipRowsWithout.length === 0 ? undefined : skipRowsWithout,
    decimal: units === 'major' ? decimal : undefined,
    year: dates === 'ddmm' ? year : undefined,
    source: 'import',
  };
}

/** Returns the entries whose text or list is not empty; undefined if there are none. */
function filled<Values extends Readonly<Record<string, string | readonly string[]>>>(
  values: Values,
): Values | undefined {
  const entries = Object.entries(values).filter(([, value]) => value.length > 0);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Values);
}

/** Returns the meaning of a word in the type column. */
export function meaningOf(types: Types = {}, word: string): TypeMeant | undefined {
  return (Object.keys(types) as TypeMeant[]).find((meaning) => types[meaning]?.includes(word));
}

/** Returns the words by meaning, after giving one word a new meaning. */
export function withMeaning(
  types: Types = {},
  word: string,
  meaning: TypeMeant | undefined,
): Types {
  const others = Object.fromEntries(
    Object.entries(types).map(([name, words]) => [name, words.filter((one) => one !== word)]),
  ) as Types;
  return meaning === undefined
    ? others
    : { ...others, [meaning]: [...(others[meaning] ?? []), word] };
}

/** Parses comma-separated values. */
export function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Returns the sample values in a field's column. */
export function samplesOf(
  { columns, rows }: LedgerPreview,
  { map = {} }: LedgerOptions,
  field: LedgerImportField,
): string[] {
  const index = columns.indexOf(map[field] ?? '');
  if (index === -1) return [];
  return rows.map((row) => (row[index] ?? '').trim()).filter((text) => text !== '');
}

/** Returns the fields that must be mapped before the dry run. */
export function missingFields({ map = {}, type }: LedgerOptions): LedgerImportField[] {
  return requiredFields(map, type).filter((field) => (map[field] ?? '') === '');
}

/** Returns whether the unit of amounts must be stated before the dry run. */
export function isUnitMissing(preview: LedgerPreview, options: LedgerOptions): boolean {
  return openQuestions(preview, options).includes('units');
}
