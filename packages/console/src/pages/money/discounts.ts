import { html, nothing } from 'lit';
import type { DiscountAuditRecord } from '@financing-checkout/contract';
import { addressOf, get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/chart.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { paths } from '../../parts/navigation.ts';
import { Loader } from '../../parts/loader.ts';
import { emptyView, loadedView } from '../../parts/states.ts';
import { amountView } from '../../parts/values.ts';
import {
  currenciesView,
  fileName,
  labelFont,
  MoneyTab,
  sizeOf,
  sumsFilters,
  sumsQuery,
} from './tab.ts';

type Row = DiscountAuditRecord['rows'][number];

/** Discounts against contract, by lender, product and promotion. */
class MoneyDiscounts extends MoneyTab {
  readonly #task = new Loader(this, {
    args: () => [this.search] as const,
    task: (_, { signal }) => get<DiscountAuditRecord>('/discounts', sumsQuery(), signal),
  });

  protected override render() {
    const { discounts } = texts().money;
    return html`<p class="quiet">${discounts.intro}</p>
      ${sumsFilters(this.names, exportLinks('discounts', sumsQuery()))}
      ${loadedView(this.#task, (answer) =>
        currenciesView(
          answer,
          emptyView(discounts.empty, texts().money.emptyHint, 'scale'),
          currencyView,
        ),
      )}`;
  }
}

const sumOf = (rows: readonly Row[], part: 'settles' | 'refunds'): number =>
  rows.reduce((total, row) => total + row[part].variance, 0);

function currencyView(currency: string, rows: readonly Row[]) {
  const { discounts } = texts().money;
  const excess = sumOf(rows, 'settles');
  const owed = sumOf(rows, 'refunds');
  const title = discounts.chart(currency);
  const figure = (label: string, minor: number, code: string) =>
    html`<div>
      <dt>${label}</dt>
      <dd class=${minor > 0 ? 'bad' : ''}>
        ${amountView(minor, currency)}
        <a href=${addressOf(paths.cases, { code, currency })}>${discounts.cases}</a>
      </dd>
    </div>`;
  return html`<section class="card">
    <h2>${title}</h2>
    <dl class="figure-list across">
      ${figure(discounts.excess, excess, 'MDR_VARIANCE')}
      ${figure(discounts.owed, owed, 'MDR_NOT_RETURNED')}
    </dl>
    <console-chart
      class=${sizeOf(rows.length)}
      label=${title}
      .content=${discountChart(currency, rows, excess)}
    ></console-chart>
    <div
      class="scroll-x"
      tabindex="0"
      role="region"
      aria-label=${`${texts().money.tabs.discounts} ${currency}`}
    >
      ${tableView(currency, rows)}
    </div>
  </section>`;
}

const nameOf = ({ lender, productType, promoCode }: Row): string =>
  [lender, productType, promoCode].filter((text) => text !== undefined).join(' · ');
const rateOf = (basisPoints: number | undefined): string =>
  basisPoints === undefined ? '—' : formats().percent(basisPoints);

function tableView(currency: string, rows: readonly Row[]) {
  const { discounts } = texts().money;
  const { day, number } = formats();
  const heads = [
    ...[discounts.agreed, discounts.effective, discounts.settled, discounts.discount],
    ...[discounts.variance, discounts.returned, discounts.notReturned],
  ];
  return html`<table class="wide-table">
    <caption class="sr">
      ${discounts.chart(currency)}
    </caption>
    <thead>
      <tr>
        <th scope="col">${discounts.agreement}</th>
        ${heads.map((head) => html`<th scope="col" class="end">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            <th scope="row">
              ${nameOf(row)}
              ${
                row.agreedFrom === undefined
                  ? nothing
                  : html`<small class="quiet">${discounts.from(day(row.agreedFrom))}</small>`
              }
            </th>
            <td class="end">
              ${
                row.agreedBasisPoints === undefined
                  ? html`<span class="quiet">${discounts.noContract}</span>`
                  : rateOf(row.agreedBasisPoints)
              }
              ${
                row.agreedPerSettle === undefined
                  ? nothing
                  : html`<small class="quiet"
                      >${discounts.perSettle(formats().amount(row.agreedPerSettle, currency))}</small
                    >`
              }
            </td>
            <td class="end">${rateOf(row.effectiveBasisPoints)}</td>
            <td class="end">
              ${amountView(row.settles.amount, currency)}
              <small class="quiet">${number(row.settles.count)} ${discounts.settles}</small>
            </td>
            <td class="end">${amountView(row.settles.discount, currency)}</td>
            <td class="end ${row.settles.variance > 0 ? 'bad' : ''}">
              ${amountView(row.settles.variance, currency)}
            </td>
            <td class="end">
              ${amountView(row.refunds.returned, currency)}
              <small class="quiet">${number(row.refunds.count)} ${discounts.refunds}</small>
            </td>
            <td class="end ${row.refunds.variance > 0 ? 'bad' : ''}">
              ${amountView(row.refunds.variance, currency)}
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function discountChart(currency: string, rows: readonly Row[], excess: number): ChartContent {
  const { discounts } = texts().money;
  const percent = (basisPoints: number | undefined) =>
    basisPoints === undefined ? null : basisPoints / 100;
  return {
    name: fileName('discounts', currency),
    summary: discounts.summary(rows.length, formats().amount(excess, currency)),
    columns: [discounts.agreement, discounts.agreed, discounts.effective, discounts.variance],
    rows: rows.map((row) => [
      nameOf(row),
      rateOf(row.agreedBasisPoints),
      rateOf(row.effectiveBasisPoints),
      formats().amount(row.settles.variance, currency),
    ]),
    configuration: (colours) => ({
      type: 'bar',
      data: {
        labels: rows.map(({ lender, productType, promoCode }) =>
          [lender, productType, promoCode].filter((text) => text !== undefined),
        ),
        datasets: [
          {
            label: discounts.agreed,
            data: rows.map((row) => percent(row.agreedBasisPoints)),
            backgroundColor: colours.neutral,
            borderRadius: 3,
            maxBarThickness: 18,
          },
          {
            label: discounts.effective,
            data: rows.map((row) => percent(row.effectiveBasisPoints)),
            backgroundColor: rows.map(({ settles }) =>
              settles.variance > 0 ? colours.bad : colours.brand,
            ),
            borderRadius: 3,
            maxBarThickness: 18,
          },
        ],
      },
      options: {
        indexAxis: 'y',
        plugins: {
          legend: {
            position: 'bottom',
            labels: { color: colours.text, boxWidth: 10, boxHeight: 10 },
          },
        },
        scales: {
          x: {
            beginAtZero: true,
            grid: { color: colours.grid },
            border: { display: false },
            ticks: {
              color: colours.text,
              maxTicksLimit: 6,
              callback: (value) => formats().percent(Number(value) * 100),
            },
          },
          y: {
            grid: { display: false },
            ticks: { color: colours.text, autoSkip: false, font: labelFont() },
          },
        },
      },
    }),
  };
}

customElements.define('money-discounts', MoneyDiscounts);
