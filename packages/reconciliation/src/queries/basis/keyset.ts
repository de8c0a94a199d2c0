import { isOfNoOrderSql, merchantOrderIdOf } from '../../platform/order-key.ts';
import { type Row, text } from './rows.ts';
import type { Condition } from './filter.ts';

/** A value by which a list is sorted, in SQL. */
export interface SortKey {
  sql: string;
  type: 'bigint' | 'boolean' | 'hugeint' | 'varchar';
  isDescending?: boolean;
  /** Rows without a value are last in both directions. */
  isNullable?: boolean;
}

/** The values of a row by which the list is sorted, as texts; null for a row without a value. */
export type Place = readonly (string | null)[];

/** A list's order, which is total, and positions in it. */
export interface Keyset {
  /** Mark of the order: a position is only valid in its own order. */
  mark: string;
  keys: readonly SortKey[];
}

/** Returns SQL for the place of a row, as a column that {@link placeOf} reads. */
export const placeSql = ({ keys }: Keyset): string =>
  `to_json([${keys.map(({ sql }) => `(${sql})::varchar`).join(', ')}])::varchar as place`;

/** Returns the place of a row. */
export const placeOf = (row: Row): Place => JSON.parse(text(row.place)) as Place;

export const orderBy = ({ keys }: Keyset): string =>
  `order by ${keys.map(({ isDescending, sql }) => `${sql} ${isDescending === true ? 'desc' : 'asc'} nulls last`).join(', ')}`;

/** Returns the condition of the rows after a place. */
export function afterPlace({ keys }: Keyset, place: Place): Condition {
  const parameters: Record<string, string> = {};
  const conditionFrom = (index: number): string => {
    const key = keys[index];
    if (key === undefined) return 'false';
    const { isDescending, isNullable, sql, type } = key;
    const value = place[index] ?? null;
    const rest = conditionFrom(index + 1);
    if (value === null) return `((${sql}) is null and ${rest})`;
    parameters[`after_${index}`] = value;
    const bound = `$after_${index}::${type}`;
    const isLater = `(${sql}) ${isDescending === true ? '<' : '>'} ${bound}`;
    const later = isNullable === true ? `(${sql}) is null or ${isLater}` : isLater;
    return `(${later} or ((${sql}) = ${bound} and ${rest}))`;
  };
  return { condition: conditionFrom(0), parameters };
}

/** Returns the place in the parts of a cursor; undefined for the cursor of another order. */
export function placeFrom({ keys, mark }: Keyset, [own, ...place]: Place): Place | undefined {
  const isPlace = keys.every(({ isNullable, type }, index) => {
    const value = place[index] ?? null;
    if (value === null) return isNullable === true;
    return patterns[type].test(value);
  });
  return own === mark && place.length === keys.length && isPlace ? place : undefined;
}

const patterns = {
  boolean: /^(?:true|false)$/,
  bigint: /^-?\d{1,18}$/,
  hugeint: /^-?\d{1,37}$/,
  varchar: /^/,
};

/** The order of lists by order: by key and currency, and fundings without an order last. */
export const ofOrders = (alias: string): Keyset => ({
  mark: 'order',
  keys: [
    { sql: isOfNoOrderSql(`${alias}.order_key`), type: 'boolean' },
    { sql: `${alias}.order_key`, type: 'varchar' },
    { sql: `${alias}.currency`, type: 'varchar' },
  ],
});

/** Returns the place of an order in the order of {@link ofOrders}. */
export const placeOfOrder = ({ currency, orderKey }: { currency: string; orderKey: string }) => [
  String(merchantOrderIdOf(orderKey) === undefined),
  orderKey,
  currency,
];
