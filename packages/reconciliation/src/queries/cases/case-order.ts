import { currencies } from '@financing-checkout/contract/money';
import {
  type CaseSort,
  type CaseSortDirection,
  caseSorts,
  caseStates,
} from '@financing-checkout/contract/reconciliation';
import { sqlText, sqlTexts } from '../../platform/temporary-files.ts';
import type { Keyset, SortKey } from '../basis/keyset.ts';

const MAX_DIGITS = Math.max(...[...currencies.values()].map(({ digits }) => digits));

/** SQL that makes minor units of all known currencies comparable; null for an unknown currency. */
const SCALE = `case ${[...Map.groupBy(currencies, ([, { digits }]) => digits)]
  .map(
    ([digits, known]) =>
      `when currency in (${known.map(([code]) => sqlText(code)).join(', ')}) then ${10 ** (MAX_DIGITS - digits)}`,
  )
  .join(' ')} end`;

/** The sorted value of a case in SQL, its type, and whether its order is that of the sort. */
const values: Record<CaseSort, Pick<SortKey, 'sql' | 'type'> & { isReversed?: true }> = {
  money: { sql: `stake::hugeint * ${SCALE}`, type: 'hugeint' },
  amount: { sql: `amount::hugeint * ${SCALE}`, type: 'hugeint' },
  // An older case has an earlier start.
  age: { sql: 'since', type: 'bigint', isReversed: true },
  due: { sql: 'due_at', type: 'bigint' },
  code: { sql: 'code', type: 'varchar' },
  order: { sql: 'coalesce(merchant_order_id, order_key)', type: 'varchar' },
  assignee: { sql: 'assignee', type: 'varchar' },
  state: { sql: `list_position(${sqlTexts(caseStates)}, state)`, type: 'bigint' },
  opened: { sql: 'id', type: 'varchar' },
};

/** Returns the order of a list of cases. Equal cases are sorted by age, oldest first. */
export function caseOrder(sort: CaseSort, direction?: CaseSortDirection): Keyset {
  const { sql, type, isReversed = false } = values[sort];
  const own = direction ?? caseSorts[sort];
  return {
    mark: `${sort} ${own}`,
    keys: [
      { sql, type, isDescending: (own === 'desc') !== isReversed, isNullable: true },
      { sql: 'since', type: 'bigint' },
      { sql: 'id', type: 'varchar' },
    ],
  };
}
