import { html, nothing, type TemplateResult } from 'lit';
import type { OrderExplanation } from '@financing-checkout/contract';
import { formats, texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { amountView } from '../../parts/values.ts';

export type Part = OrderExplanation['currencies'][number];
type Status = NonNullable<Part['status']>;

/** A row: amounts in minor units, with the sign of the money's direction. */
export interface ComparedRow {
  name: 'settle' | 'refund' | 'chargeback' | 'reversal' | 'total';
  expected: number;
  funded: number;
}

/** Compares expected amounts with lenders' postings, as signed amounts. Rows of zeros are left out. */
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

/** Shows expected against funded in one currency, to the cent, down to the payout. */
export function comparisonView(part: Part, title: string, orderKey: string): TemplateResult {
  const { currency } = part;
  return html`<section class="card" aria-label="${texts().order.comparison} ${currency}">
    <div class="row spread">
      <h2>${title}</h2>
      ${exportLinks('orders', { orderKey, currency })}
    </div>
    ${tableView(part, orderKey)}
  </section>`;
}

function tableView(part: Part, orderKey: string) {
  const { order } = texts();
  const { currency, currencyAssumed, status } = part;
  if (status === undefined) return html`<p class="quiet">${order.explain.noStatus}</p>`;
  const money = (minor: number) => amountView(minor, currency, currencyAssumed);
  const { rows, total } = comparedRows(status);
  // An awaited amount is no error.
  const tone = status.exceptions.length > 0 ? 'odd' : 'awaited';
  const row = ({ name, expected, funded }: ComparedRow) =>
    html`<tr class=${name}>
      <th scope="row">${order.rows[name]}</th>
      <td class="end">${money(expected)}</td>
      <td class="end">${money(funded)}</td>
      <td class="end ${funded === expected ? 'even' : tone}">${money(funded - expected)}</td>
    </tr>`;
  const single = (name: 'discount' | 'net' | 'awaiting', minor: number) =>
    html`<tr class=${name}>
      <th scope="row">${order.rows[name]}</th>
      <td class="end"></td>
      <td class="end">${money(minor)}</td>
      <td class="end"></td>
    </tr>`;
  return html`<div
      class="scroll-x"
      tabindex="0"
      role="region"
      aria-label="${order.comparison}, ${currency}"
    >
      <table class="comparison">
        <caption class="sr">
          ${order.comparison} ${currency}
        </caption>
        <thead>
          <tr>
            <th scope="col"><span class="sr">${texts().common.amount}</span></th>
            <th scope="col" class="end">${order.expected}</th>
            <th scope="col" class="end">${order.funded}</th>
            <th scope="col" class="end">${order.difference}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(row)} ${rows.length > 1 ? row(total) : nothing}
          ${single('discount', 0 - status.discount)} ${single('net', status.net)}
          ${status.awaiting === 0 ? nothing : single('awaiting', status.awaiting)}
        </tbody>
      </table>
    </div>
    ${
      status.recheckAt === undefined
        ? nothing
        : html`<p class="quiet small">${order.recheck(formats().day(status.recheckAt))}</p>`
    }
    ${part.discounts.length === 0 ? nothing : discountsView(part, orderKey)}`;
}

function discountsView({ discounts, currency, currencyAssumed }: Part, orderKey: string) {
  const { order, common } = texts();
  const { percent } = formats();
  const money = (minor: number) => amountView(minor, currency, currencyAssumed);
  return html`<details class="discounts">
    <summary>${order.discounts}</summary>
    ${exportLinks('order-discounts', { orderKey })}
    <div class="scroll-x" tabindex="0" role="region" aria-label=${order.discounts}>
      <table>
        <thead>
          <tr>
            <th scope="col">${common.lender}</th>
            <th scope="col" class="end">${common.amount}</th>
            <th scope="col" class="end">${order.agreed}</th>
            <th scope="col" class="end">${order.kept}</th>
            <th scope="col" class="end">${order.difference}</th>
          </tr>
        </thead>
        <tbody>
          ${discounts.map(
            (line) =>
              html`<tr>
                <th scope="row">
                  ${line.lender}
                  <span class="quiet small">
                    ${order.rate(
                      percent(line.agreedBasisPoints),
                      line.agreedPerSettle === undefined
                        ? undefined
                        : formats().amount(line.agreedPerSettle, currency),
                    )}
                    ${line.kind === 'refund' ? `· ${order.returned}` : ''}
                  </span>
                </th>
                <td class="end">${money(line.amount)}</td>
                <td class="end">${money(line.agreed)}</td>
                <td class="end">${money(line.discount)}</td>
                <td class="end ${line.variance === 0 ? 'even' : 'odd'}">${money(line.variance)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
