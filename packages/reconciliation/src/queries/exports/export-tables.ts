import { exceptionTexts } from '@financing-checkout/contract/reconciliation';
import { merchantOrderIdSql } from '../../platform/order-key.ts';
import { sqlText } from '../../platform/temporary-files.ts';

export const exportTables = ['orders', 'exceptions', 'cases', 'lines'] as const;
export type ExportTable = (typeof exportTables)[number];

/**
 * Type of the values of a column, in SQL:
 *
 * - `text` may come from an order, a lender or a person; a `word` is the program's own.
 * - `amount`: minor units of the row's `currency`.
 * - `moment`: milliseconds since 1970, shown in the zone of the export.
 * - `offset`: the same, for the offset of the zone at that moment.
 */
export type ColumnKind = 'text' | 'word' | 'amount' | 'count' | 'moment' | 'offset';

export interface TableColumn {
  name: string;
  kind: ColumnKind;
  /** SQL expression for its value in a row `r`. */
  sql: string;
}

export interface TableOptions {
  zone: string;
  now: number;
  /**
   * Whether the orders are those of a step of the cash walk, so that each row has a share of the
   * step.
   */
  hasShare: boolean;
  /** Whether times have no offset, so that a separate column distinguishes a repeated hour. */
  hasOffset: boolean;
  /** Language of the texts of exceptions. */
  language: 'en' | 'de';
}

/**
 * Columns of a table, and the only definition of what a spreadsheet of the table shows. The order
 * number comes first, the time zone last.
 */
export function columnsOf(
  table: ExportTable,
  { zone, now, hasShare, hasOffset, language }: TableOptions,
): TableColumn[] {
  const column = (kind: ColumnKind, name: string, sql = `r.${name}`) => ({ kind, name, sql });
  const text = (name: string, sql?: string) => column('text', name, sql);
  const word = (name: string, sql?: string) => column('word', name, sql);
  const moment = (name: string) => column('moment', name);
  const amount = (name: string) => column('amount', name);
  const order = [
    text('order', merchantOrderIdSql('r.order_key')),
    ...['order_key', 'currency'].map((name) => text(name)),
  ];
  const assumed = word('currency_assumed', `case when r.currency_assumed then 'yes' else 'no' end`);
  const last = text('zone', sqlText(zone));
  switch (table) {
    case 'orders':
      return [
        ...order,
        ...['headline', 'funding', 'returns', 'exceptions'].map((name) => word(name)),
        ...['expected_settle', 'expected_refund', 'funded_settle', 'funded_refund'].map(amount),
        ...['funded_chargeback', 'funded_reversal', 'discount', 'net', 'awaiting'].map(amount),
        ...(hasShare ? [amount('share')] : []),
        moment('changed_at'),
        moment('computed_at'),
        assumed,
        last,
      ];
    case 'exceptions':
      return [
        ...order,
        word('exception', 'r.code'),
        ...['amount', 'at_stake'].map(amount),
        column('count', 'count'),
        moment('since'),
        assumed,
        last,
      ];
    case 'cases':
      return [
        ...order,
        text('case', 'r.id'),
        word('revision', 'r.revision::varchar'),
        word('exception', 'r.code'),
        text('exception_text', exceptionTextSql(language)),
        text('lender'),
        word('state'),
        amount('amount'),
        column('amount', 'at_stake', 'r.listed_stake'),
        column('count', 'age_days', `greatest(0, (${now} - r.since) // 86400000)`),
        text('assignee'),
        text('reason'),
        word('note', "''"),
        moment('since'),
        moment('due_at'),
        moment('snoozed_until'),
        text('merged_into'),
        moment('opened_at'),
        moment('updated_at'),
        assumed,
        last,
      ];
    case 'lines':
      return [
        ...order,
        word('source'),
        ...['type', 'status', 'lender'].map((name) => text(name)),
        ...['amount', 'discount', 'net'].map(amount),
        moment('at'),
        ...['transaction_id', 'merchant_transaction_id'].map((name) => text(name)),
        ...['lender_reference_id', 'product_type', 'promo_code'].map((name) => text(name)),
        assumed,
        ...(hasOffset ? [column('offset', 'utc_offset', 'r.at')] : []),
        last,
      ];
  }
}

function exceptionTextSql(language: TableOptions['language']): string {
  const texts = Object.entries(exceptionTexts(language)).map(
    ([code, { name }]) => `when '${code}' then ${sqlText(name)}`,
  );
  return `case r.code ${texts.join(' ')} end`;
}
