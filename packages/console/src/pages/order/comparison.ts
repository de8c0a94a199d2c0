import { html, nothing, type TemplateResult } from 'lit';
import type { OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { pathOfOrder } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView } from '../../parts/values.ts';
import { cardView, maybe, quiet } from '../../parts/views.ts';

export type Part = OrderExplanation['currencies'][number];
type Status = NonNullable<Part['status']>;
type Discount = Part['discounts'][number];

/** A row. Amounts are in minor units; the sign gives the direction of the money. */
interface ComparedRow {
  name: 'settle' | 'refund' | 'chargeback' | 'reversal' | 'total';
  expected: number;
  funded: number;
}

/**
 * Compares expected amounts with lenders' postings, as signed amounts. Omits rows that are all
 * zeros.
 */
export function comparedRows({ expected, funded }: Pick<Status, 'expected' | 'funded'>): {
  rows: ComparedRow[];
  total: ComparedRow;
} {
  const all: ComparedRow[] = [
    { name: 'settle', expected: expected.settle, funded: funded.settle },
    { name: 'refund', expected: 0 - expected.refund, funded: 0 - funded.refund },
    { name: 'chargeback', expected: 0, funded: 0 - funded.chargeback },
    { name: 'reversal', expected: 0, funded: funded.reversal },
  ];
  const sum = (of: (row: ComparedRow) => number) => all.reduce((total, row) => total + of(row), 0);
  return {
    rows: all.filter(
      ({ name, expected, funded }) => name === 'settle' || expected !== 0 || funded !== 0,
    ),
    total: {
      name: 'total',
      expected: sum((row) => row.expected),
      funded: sum((row) => row.funded),
    },
  };
}

/** Compares expected and funded amounts in one currency, to the cent and down to the payout. */
export function comparisonView(part: Part, title: string, orderKey: string): TemplateResult {
  const links = exportLinks('orders', { orderKey, currency: part.currency });
  return cardView(title, contentView(part, orderKey), links);
}

function contentView(part: Part, orderKey: string) {
  const { order } = texts();
  const { currency, status } = part;
  if (status === undefined) return quiet(order.explain.noStatus);
  const { rows, total } = comparedRows(status);
  const { awaiting, discount, net, recheckAt } = status;
  return html`${tableView({
    label: `${order.comparison} ${currency}`,
    columns: columnsOf(part, status.exceptions.length > 0),
    rows: [
      ...rows,
      ...(rows.length > 1 ? [total] : []),
      { name: 'discount', funded: 0 - discount },
      { name: 'net', funded: net },
      ...(awaiting === 0 ? [] : [{ name: 'awaiting' as const, funded: awaiting }]),
    ],
    class: 'comparison',
    rowClass: ({ name }) => name,
  })}
  ${maybe(recheckAt, (day) => quiet(order.recheck(formats().day(day)), true))}
  ${part.discounts.length === 0 ? nothing : discountsView(part, orderKey)}`;
}

/** A table row. The rows below the total have no comparison. */
type Line = Omit<ComparedRow, 'name' | 'expected'> & {
  name: ComparedRow['name'] | 'discount' | 'net' | 'awaiting';
  expected?: number;
};

function columnsOf({ currency, currencyAssumed }: Part, isOdd: boolean): Column<Line>[] {
  const { common, order } = texts();
  const money = (minor: number | undefined) =>
    maybe(minor, (amount) => amountView(amount, currency, currencyAssumed));
  const differenceOf = ({ expected, funded }: Line) =>
    expected === undefined ? undefined : funded - expected;
  return [
    {
      head: html`<span class="sr">${common.amount}</span>`,
      isName: true,
      cell: ({ name }) => order.rows[name],
    },
    { head: order.expected, class: 'end', cell: ({ expected }) => money(expected) },
    { head: order.funded, class: 'end', cell: ({ funded }) => money(funded) },
    {
      head: order.difference,
      class: 'end',
      // An awaited amount is not an error.
      tone: (line) => (differenceOf(line) === 0 ? 'even' : isOdd ? 'odd' : 'awaited'),
      cell: (line) => money(differenceOf(line)),
    },
  ];
}

function discountsView({ discounts, currency, currencyAssumed }: Part, orderKey: string) {
  const { order, common } = texts();
  const { amount, percent } = formats();
  const money = (minor: number) => amountView(minor, currency, currencyAssumed);
  const rateOf = ({ agreedBasisPoints, agreedPerSettle: fixed }: Discount) =>
    order.rate(percent(agreedBasisPoints), fixed === undefined ? fixed : amount(fixed, currency));
  const columns: Column<Discount>[] = [
    {
      head: common.lender,
      isName: true,
      cell: (line) =>
        html`${line.lender}
          <span class="quiet small">
            ${rateOf(line)} ${line.kind === 'refund' ? `· ${order.returned}` : ''}
          </span>`,
    },
    { head: common.amount, class: 'end', cell: (line) => money(line.amount) },
    { head: order.agreed, class: 'end', cell: (line) => money(line.agreed) },
    { head: order.kept, class: 'end', cell: (line) => money(line.discount) },
    {
      head: order.difference,
      class: 'end',
      tone: ({ variance }) => (variance === 0 ? 'even' : 'odd'),
      cell: ({ variance }) => money(variance),
    },
  ];
  return html`<details>
    <summary>${order.discounts}</summary>
    ${exportLinks('order-discounts', {}, { path: `${pathOfOrder(orderKey)}/discounts` })}
    ${tableView({ label: order.discounts, columns, rows: discounts })}
  </details>`;
}
