import type { CsvDecimal } from '@financing-checkout/contract/csv';
import { moneyCell, textCell } from './csv-sql.ts';

/** Exportable tables. */
export const exportTables = ['orders', 'exceptions', 'cases', 'lines'] as const;
export type ExportTable = (typeof exportTables)[number];

/** Format of cells. */
export interface Writing {
  zone: string;
  decimal: CsvDecimal;
  /** Currencies in the table. */
  currencies: readonly string[];
  /** Returns SQL that formats a moment in the zone. */
  time: (moment: string) => string;
  now: number;
  /** Whether the orders are those of a step of the cash walk: each row has its share of it. */
  hasShare: boolean;
}

type Cells = [name: string, sql: string][];

/**
 * Columns of a CSV file, as SQL over `r`, a row of {@link rowsOf}. The order number comes first,
 * the zone of its times last.
 */
export function cellsOf(table: ExportTable, writing: Writing): Cells {
  const { currencies, decimal, hasShare, zone, time, now } = writing;
  const text = (name: string, sql = `r.${name}`): Cells[number] => [name, textCell(sql)];
  const word = (name: string, sql = `r.${name}`): Cells[number] => [name, `coalesce(${sql}, '')`];
  const at = (name: string): Cells[number] => [name, `coalesce(${time(`r.${name}`)}, '')`];
  const money = (name: string): Cells[number] => [
    name,
    moneyCell(`r.${name}`, { currency: 'r.currency', currencies, decimal }),
  ];
  const order = [
    text('order', `case when starts_with(r.order_key, 'order:') then substr(r.order_key, 7) end`),
    text('order_key'),
    text('currency'),
  ];
  const last: Cells = [
    word('currency_assumed', `case when r.currency_assumed then 'yes' else 'no' end`),
    ['zone', textCell(`'${zone}'`)],
  ];
  switch (table) {
    case 'orders':
      return [
        ...order,
        word('headline'),
        word('funding'),
        word('returns'),
        word('exceptions'),
        ...['expected_settle', 'expected_refund', 'funded_settle', 'funded_refund'].map(money),
        ...['funded_chargeback', 'funded_reversal', 'discount', 'net', 'awaiting'].map(money),
        ...(hasShare ? [money('share')] : []),
        at('changed_at'),
        at('computed_at'),
        ...last,
      ];
    case 'exceptions':
      return [
        ...order,
        word('exception', 'r.code'),
        money('amount'),
        word('count', 'r.count::varchar'),
        at('since'),
        ...last,
      ];
    case 'cases':
      return [
        ...order,
        text('case', 'r.id'),
        word('revision', 'r.revision::varchar'),
        word('exception', 'r.code'),
        word('state'),
        money('amount'),
        word('age_days', `greatest(0, (${now} - r.since) // 86400000)::varchar`),
        text('assignee'),
        text('reason'),
        ['note', "''"],
        at('since'),
        at('opened_at'),
        at('updated_at'),
        ...last,
      ];
    case 'lines':
      return [
        ...order,
        word('source'),
        text('type'),
        text('status'),
        text('lender'),
        money('amount'),
        money('discount'),
        money('net'),
        at('at'),
        text('transaction_id'),
        text('merchant_transaction_id'),
        text('lender_reference_id'),
        text('product_type'),
        text('promo_code'),
        ...last,
      ];
  }
}

/** Columns with moments. */
export const momentsOf: Record<ExportTable, readonly string[]> = {
  orders: ['changed_at', 'computed_at'],
  exceptions: ['since'],
  cases: ['since', 'opened_at', 'updated_at'],
  lines: ['at'],
};
