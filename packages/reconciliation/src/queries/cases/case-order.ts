import { currencies } from '@financing-checkout/contract/money';
import {
  type CaseSort,
  type CaseSortDirection,
  caseStates,
} from '@financing-checkout/contract/reconciliation';
import { sqlText, sqlTexts } from '../../platform/temporary-files.ts';
import type { DuckDBValue } from '../../platform/duckdb.ts';

/** The order of a list of cases. Ties are sorted by age, oldest first. */
export interface CaseOrder {
  sort: CaseSort;
  direction: CaseSortDirection;
}

/** A position in a list of cases: the sorted value of the last case, and its tiebreakers. */
export interface CasePosition {
  /** Undefined for a case without a value, such as one without an assignee. */
  value: string | undefined;
  since: number;
  id: string;
}

/** Creates an order. By default, most money and greatest age come first, and texts ascend. */
export function caseOrder(sort: CaseSort, direction?: CaseSortDirection): CaseOrder {
  const isMeasure = sort === 'money' || sort === 'age' || sort === 'amount';
  return { sort, direction: direction ?? (isMeasure ? 'desc' : 'asc') };
}

const MAX_DIGITS = Math.max(...[...currencies.values()].map(({ digits }) => digits));

/** SQL that makes minor units of all known currencies comparable; null for an unknown currency. */
const SCALE = `case ${[...Map.groupBy(currencies, ([, { digits }]) => digits)]
  .map(
    ([digits, known]) =>
      `when currency in (${known.map(([code]) => sqlText(code)).join(', ')}) then ${10 ** (MAX_DIGITS - digits)}`,
  )
  .join(' ')} end`;

/** The sorted value of a case in SQL, its type, and whether its order is that of the sort. */
const values: Record<CaseSort, { sql: string; type: 'hugeint' | 'varchar'; isReversed?: true }> = {
  money: { sql: `stake::hugeint * ${SCALE}`, type: 'hugeint' },
  amount: { sql: `amount::hugeint * ${SCALE}`, type: 'hugeint' },
  // An older case has an earlier start.
  age: { sql: 'since::hugeint', type: 'hugeint', isReversed: true },
  due: { sql: 'due_at::hugeint', type: 'hugeint' },
  code: { sql: 'code', type: 'varchar' },
  order: { sql: 'coalesce(merchant_order_id, order_key)', type: 'varchar' },
  assignee: { sql: 'assignee', type: 'varchar' },
  state: { sql: `list_position(${sqlTexts(caseStates)}, state)::hugeint`, type: 'hugeint' },
  opened: { sql: 'id', type: 'varchar' },
};

function orderOf({ sort, direction }: CaseOrder) {
  const { sql, type, isReversed = false } = values[sort];
  const isDescending = (direction === 'desc') !== isReversed;
  return { sql, type, isDescending };
}

/** Returns the sorted value of a case, in SQL as a text. Null if the case has none. */
export const sortedValue = (order: CaseOrder): string => `(${orderOf(order).sql})::varchar`;

/** Returns the `order by` of cases. Cases without a value are last in both directions. */
export function orderBy(order: CaseOrder): string {
  const { sql, isDescending } = orderOf(order);
  return `order by ${sql} ${isDescending ? 'desc' : 'asc'} nulls last, since, id`;
}

/** Returns the condition of the cases after a position, and its parameters. */
export function afterPosition(
  order: CaseOrder,
  { value, since, id }: CasePosition,
): { condition: string; parameters: Record<string, DuckDBValue> } {
  const { sql, type, isDescending } = orderOf(order);
  const later = '(since, id) > ($after_since::bigint, $after_id)';
  const parameters = { after_since: BigInt(since), after_id: id };
  if (value === undefined) return { condition: `(${sql}) is null and ${later}`, parameters };
  const place = `$after_value::${type}`;
  return {
    condition: `((${sql}) is null or (${sql}) ${isDescending ? '<' : '>'} ${place}
      or ((${sql}) = ${place} and ${later}))`,
    parameters: { ...parameters, after_value: value },
  };
}

/** Encodes a position for a cursor. Includes the order, because a position is valid only in its own order. */
export function positionParts({ sort, direction }: CaseOrder, position: CasePosition): string[] {
  const { value = '', since, id } = position;
  return [sort, direction, value, String(since), id];
}

/** Number of parts of a position in a cursor. */
export const POSITION_PARTS = 5;

/** Reads the position of a cursor; undefined if it is one of another order. */
export function readPosition(
  order: CaseOrder,
  [sort, direction, value = '', since = '', id = '']: readonly string[],
): CasePosition | undefined {
  const isInteger = (text: string) => /^-?\d{1,30}$/.test(text);
  const isReadable =
    sort === order.sort &&
    direction === order.direction &&
    /^\d{1,15}$/.test(since) &&
    (value === '' || values[order.sort].type === 'varchar' || isInteger(value));
  if (!isReadable) return undefined;
  return { value: value === '' ? undefined : value, since: Number(since), id };
}
