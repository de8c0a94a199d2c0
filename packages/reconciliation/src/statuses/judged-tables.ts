import type { ColumnKind } from './append.ts';

/** Columns of a table that judging writes to, in schema order. */
export interface JudgedTable {
  name: string;
  kinds: readonly ColumnKind[];
}

const text = (count: number): ColumnKind[] => Array<ColumnKind>(count).fill('text');
const bigint = (count: number): ColumnKind[] => Array<ColumnKind>(count).fill('bigint');

/** Tables whose rows belong to one order in one currency, except paid_lines. */
export const judgedTables = {
  statuses: {
    name: 'order_statuses',
    kinds: ['text', 'uinteger', ...text(4), ...bigint(13), 'boolean'],
  },
  exceptions: {
    name: 'order_exceptions',
    kinds: [...text(3), 'bigint', 'integer', 'bigint', 'text', 'boolean'],
  },
  flows: { name: 'cash_flows', kinds: [...text(3), 'bigint', 'text', 'bigint'] },
  discounts: {
    name: 'discounts',
    kinds: [
      ...([...text(3), 'bigint', ...text(2), 'double', ...bigint(2)] as const),
      ...(['integer', ...bigint(3), 'integer', ...bigint(4)] as const),
    ],
  },
  claims: {
    name: 'claims',
    kinds: [...text(3), 'bigint', 'text', 'integer', 'bigint', 'integer', 'bigint'],
  },
} satisfies Record<string, JudgedTable>;

export type JudgedTableName = keyof typeof judgedTables;

/** All tables that judging writes to. */
export const tablesOfOrders = [
  ...Object.values(judgedTables).map(({ name }) => name),
  'paid_lines',
] as const;
