import type { ColumnKind, Table } from '@financing-checkout/contract/reconciliation';
import type { ShownColumn } from '@financing-checkout/contract/plain';
import { nothing } from 'lit';
import { formats, texts } from '../locale/locale.ts';
import type { Column } from './table.ts';
import { amountView, orderLink } from './values.ts';

interface Hints<Row> {
  /** Overrides for a column; null: the page does not show the column. */
  own?: Readonly<Partial<Record<ShownColumn, Partial<Column<Row>> | null>>>;
  /** Columns shown on narrow screens. @default all */
  narrow?: readonly ShownColumn[];
}

type Value = string | number | boolean | null | undefined;
/**
 * Returns the columns of a declared list that the terminal also shows, with their values formatted
 * by kind. The first column is the row header.
 */
export function declaredColumns<Row extends object>(
  { columns, shown = Object.keys(columns) }: Table,
  { own = {}, narrow }: Hints<Row> = {},
): Column<Row>[] {
  return shown.flatMap((names): Column<Row>[] => {
    const name = names.split('|', 1)[0] as ShownColumn;
    const declared = columns[name];
    const special = own[name];
    if (declared === undefined || special === null) return [];
    const [path, kind] = typeof declared === 'string' ? [camelCase(name), declared] : declared;
    const isMinor = narrow !== undefined && !narrow.includes(name);
    return [
      {
        head: texts().common[name],
        class: `${numbers.has(kind) ? 'end' : ''} ${isMinor ? 'minor' : ''}`.trim(),
        isName: names === shown[0],
        cell: (row) => {
          if (name === 'order') return orderOf(row);
          const value = valueAt(row, path) as Value;
          return value === undefined ? nothing : views[kind](value, row);
        },
        ...special,
      },
    ];
  });
}

const numbers: ReadonlySet<ColumnKind> = new Set(['amount', 'count', 'decimal', 'percent']);

type View = (value: Exclude<Value, undefined>, row: Named) => unknown;
/** Fields next to a value that say what it refers to. */
interface Named {
  currency?: string;
  currencyAssumed?: boolean;
  orderKey?: string;
  merchantOrderId?: string;
}

const asItIs: View = (value) => value;
const numberText: View = (value) => formats().number(Number(value));
const views: Readonly<Record<ColumnKind, View>> = {
  text: asItIs,
  word: asItIs,
  amount: (value, { currency = '', currencyAssumed }) =>
    amountView(typeof value === 'boolean' ? null : value, currency, currencyAssumed),
  count: numberText,
  decimal: numberText,
  percent: (value) => formats().percent(Number(value)),
  moment: (value) => formats().moment(String(value)),
  day: (value) => formats().day(String(value)),
  yesNo: (value) => (value === true ? '✓' : ''),
};

/** Shows a link to a row's order. A quarantined record has no order key. */
function orderOf({ merchantOrderId, orderKey }: Named) {
  const id = orderKey ?? (merchantOrderId === undefined ? undefined : `order:${merchantOrderId}`);
  return id === undefined ? nothing : orderLink(id, merchantOrderId);
}

const camelCase = (name: string) =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const valueAt = (row: object, path: string) =>
  path
    .split('.')
    .reduce<unknown>(
      (value, field) => (value as Readonly<Record<string, unknown>> | undefined)?.[field],
      row,
    );
