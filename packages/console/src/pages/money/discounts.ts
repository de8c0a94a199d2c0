import { html } from 'lit';
import type { DiscountAuditRecord } from '@financing-checkout/contract/reconciliation';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/bars.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { loadCall } from '../../parts/loader.ts';
import { paths } from '../../parts/navigation.ts';
import { emptyView, loadedView } from '../../parts/states.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView } from '../../parts/values.ts';
import { maybe, pairsView, quiet } from '../../parts/views.ts';
import { currenciesView, fileName, MoneyTab, scopeText, sumsFilters, sumsQuery } from './tab.ts';

type Row = DiscountAuditRecord['rows'][number];

/** Discounts compared with the contract, by lender, product and promotion. */
class MoneyDiscounts extends MoneyTab {
  readonly #audit = loadCall(this, 'get /discounts', () => ({ query: sumsQuery() }));

  protected override render() {
    const { discounts, emptyHint } = texts().money;
    const empty = emptyView(discounts.empty, emptyHint, 'scale');
    return html`${quiet(discounts.intro)}
    ${sumsFilters(this.names, exportLinks('discounts', sumsQuery(), { path: '/discounts' }))}
    ${loadedView(this.#audit, (answer) => currenciesView(answer, empty, currencyView))}`;
  }
}

const sumOf = (rows: readonly Row[], part: 'settles' | 'refunds'): number =>
  rows.reduce((total, row) => total + row[part].variance, 0);

function currencyView(currency: string, rows: readonly Row[], asOf: string) {
  const { discounts } = texts().money;
  const excess = sumOf(rows, 'settles');
  const owed = sumOf(rows, 'refunds');
  const title = discounts.chart(currency);
  const figure = (label: string, minor: number, code: string) =>
    [
      label,
      html`${amountView(minor, currency)}
        <a href=${addressOf(paths.cases, { code, currency })}>${discounts.cases}</a>`,
      minor > 0 ? 'bad' : '',
    ] as const;
  return html`<section class="card">
    <h2>${title}</h2>
    ${pairsView('figures', [
      figure(discounts.excess, excess, 'MDR_VARIANCE'),
      figure(discounts.owed, owed, 'MDR_NOT_RETURNED'),
    ])}
    <console-chart
      .label=${title}
      .content=${discountChart(currency, rows, { excess, asOf })}
    ></console-chart>
    ${tableView({
      label: `${texts().money.tabs.discounts} ${currency}`,
      columns: columnsOf(currency),
      rows,
      class: 'wide-table',
    })}
  </section>`;
}

const nameOf = ({ lender, productType, promoCode }: Row): string =>
  [lender, productType, promoCode].filter((text) => text !== undefined).join(' · ');
const rateOf = (basisPoints: number | undefined): string =>
  basisPoints === undefined ? '—' : formats().percent(basisPoints);

function columnsOf(currency: string): Column<Row>[] {
  const { common, money: words, order } = texts();
  const { discounts } = words;
  const { amount, day, number } = formats();
  const small = (text: string) => html`<small class="quiet">${text}</small>`;
  const money = (minor: number) => amountView(minor, currency);
  return [
    {
      head: discounts.agreement,
      isName: true,
      cell: (row) =>
        html`${nameOf(row)} ${maybe(row.agreedFrom, (from) => small(discounts.from(day(from))))}`,
    },
    {
      head: order.agreed,
      class: 'end',
      cell: ({ agreedBasisPoints, agreedPerSettle }) => [
        agreedBasisPoints === undefined
          ? html`<span class="quiet">${discounts.noContract}</span>`
          : rateOf(agreedBasisPoints),
        maybe(agreedPerSettle, (fixed) => small(discounts.perSettle(amount(fixed, currency)))),
      ],
    },
    {
      head: order.kept,
      class: 'end',
      cell: ({ effectiveBasisPoints }) => rateOf(effectiveBasisPoints),
    },
    {
      head: order.settled,
      class: 'end',
      cell: ({ settles }) =>
        html`${money(settles.amount)} ${small(`${number(settles.count)} ${discounts.settles}`)}`,
    },
    { head: common.discount, class: 'end', cell: ({ settles }) => money(settles.discount) },
    {
      head: discounts.variance,
      class: 'end',
      tone: ({ settles }) => (settles.variance > 0 ? 'bad' : ''),
      cell: ({ settles }) => money(settles.variance),
    },
    {
      head: discounts.returned,
      class: 'end',
      cell: ({ refunds }) =>
        html`${money(refunds.returned)} ${small(`${number(refunds.count)} ${discounts.refunds}`)}`,
    },
    {
      head: discounts.notReturned,
      class: 'end',
      tone: ({ refunds }) => (refunds.variance > 0 ? 'bad' : ''),
      cell: ({ refunds }) => money(refunds.variance),
    },
  ];
}

/** Returns the address of the orders whose settles a bar shows. */
function ordersOf(row: Row): string | undefined {
  if (row.settles.count === 0) return undefined;
  const { currency, lender, productType, promoCode, agreedFrom } = row;
  const { from, to } = sumsQuery();
  const own = { discount: 'settles', productType, promoCode, agreedFrom };
  return addressOf(paths.orders, { ...own, lender, currency, from, to });
}

function discountChart(
  currency: string,
  rows: readonly Row[],
  { excess, asOf }: { excess: number; asOf: string },
): ChartContent {
  const { money, order } = texts();
  const { discounts } = money;
  const percent = (basisPoints: number | undefined) =>
    basisPoints === undefined ? null : basisPoints / 100;
  return {
    name: fileName('discounts', currency),
    scope: scopeText(),
    asOf,
    summary: discounts.summary(rows.length, formats().amount(excess, currency)),
    columns: [discounts.agreement, order.agreed, order.kept, discounts.variance],
    rows: rows.map((row) => [
      nameOf(row),
      rateOf(row.agreedBasisPoints),
      rateOf(row.effectiveBasisPoints),
      formats().amount(row.settles.variance, currency),
    ]),
    labels: rows.map(({ lender, productType, promoCode }) =>
      [lender, productType, promoCode].filter((text) => text !== undefined),
    ),
    bars: [
      {
        label: order.agreed,
        data: rows.map((row) => percent(row.agreedBasisPoints)),
        values: rows.map((row) => rateOf(row.agreedBasisPoints)),
        addresses: rows.map((row) =>
          row.agreedBasisPoints === undefined ? undefined : ordersOf(row),
        ),
        color: 'neutral',
      },
      {
        label: order.kept,
        data: rows.map((row) => percent(row.effectiveBasisPoints)),
        values: rows.map((row) => rateOf(row.effectiveBasisPoints)),
        addresses: rows.map(ordersOf),
        color: rows.map(({ settles }) => (settles.variance > 0 ? 'bad' : 'brand')),
      },
    ],
    isLying: true,
    thickness: 18,
    tick: (value) => formats().percent(value * 100),
  };
}

customElements.define('money-discounts', MoneyDiscounts);
