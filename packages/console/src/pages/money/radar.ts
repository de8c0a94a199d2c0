import { html } from 'lit';
import type { RadarRecord } from '@financing-checkout/contract';
import { get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/chart.ts';
import { exportLinks } from '../../parts/export-links.ts';
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

type Row = RadarRecord['rows'][number];

/** How often the service's statuses of fundings are wrong. */
class MoneyRadar extends MoneyTab {
  readonly #task = new Loader(this, {
    args: () => [this.search] as const,
    task: (_, { signal }) => get<RadarRecord>('/radar', sumsQuery(), signal),
  });

  protected override render() {
    const { radar } = texts().money;
    return html`<p class="quiet">${radar.intro}</p>
      ${sumsFilters(this.names, exportLinks('radar', sumsQuery()))}
      ${loadedView(this.#task, (answer) =>
        currenciesView(
          answer,
          emptyView(radar.empty, texts().money.emptyHint, 'activity'),
          currencyView,
        ),
      )}`;
  }
}

function currencyView(currency: string, rows: readonly Row[]) {
  const { radar, tabs } = texts().money;
  return html`<section class="card">
    <h2>${radar.chart(currency)}</h2>
    <console-chart
      class=${sizeOf(rows.length)}
      label=${radar.chart(currency)}
      .content=${radarChart(currency, rows)}
    ></console-chart>
    <div class="scroll-x" tabindex="0" role="region" aria-label=${`${tabs.radar} ${currency}`}>
      ${tableView(currency, rows)}
    </div>
  </section>`;
}

const shareOf = ({ all, wrong }: Row): string =>
  formats().percent(all.count === 0 ? 0 : (wrong.count / all.count) * 10_000);

function tableView(currency: string, rows: readonly Row[]) {
  const { common, money } = texts();
  const { radar } = money;
  return html`<table class="wide-table">
    <caption class="sr">
      ${radar.chart(currency)}
    </caption>
    <thead>
      <tr>
        <th scope="col">${common.lender}</th>
        <th scope="col">${money.status}</th>
        <th scope="col" class="end">${money.number}</th>
        <th scope="col" class="end">${radar.amount}</th>
        <th scope="col" class="end">${radar.wrong}</th>
        <th scope="col" class="end">${radar.share}</th>
        <th scope="col" class="end">${radar.wrongAmount}</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            <th scope="row">${row.lender}</th>
            <td><code>${row.status}</code></td>
            <td class="end">${formats().number(row.all.count)}</td>
            <td class="end">${amountView(row.all.amount, currency)}</td>
            <td class="end ${row.wrong.count > 0 ? 'bad' : ''}">
              ${formats().number(row.wrong.count)}
            </td>
            <td class="end">${shareOf(row)}</td>
            <td class="end">${amountView(row.wrong.amount, currency)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function radarChart(currency: string, rows: readonly Row[]): ChartContent {
  const { common, money } = texts();
  const { radar } = money;
  const total = (of: 'all' | 'wrong') => rows.reduce((sum, row) => sum + row[of].count, 0);
  return {
    name: fileName('radar', currency),
    summary: radar.summary(total('wrong'), total('all')),
    columns: [`${common.lender}, ${money.status}`, radar.right, radar.wrong, radar.share],
    rows: rows.map((row) => [
      `${row.lender} · ${row.status}`,
      formats().number(row.all.count - row.wrong.count),
      formats().number(row.wrong.count),
      shareOf(row),
    ]),
    configuration: (colours) => ({
      type: 'bar',
      data: {
        labels: rows.map(({ lender, status }) => [lender, status]),
        datasets: [
          {
            label: radar.right,
            data: rows.map(({ all, wrong }) => all.count - wrong.count),
            backgroundColor: colours.brand,
            maxBarThickness: 26,
          },
          {
            label: radar.wrong,
            data: rows.map(({ wrong }) => wrong.count),
            backgroundColor: colours.bad,
            maxBarThickness: 26,
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
            stacked: true,
            grid: { color: colours.grid },
            border: { display: false },
            ticks: { color: colours.text, precision: 0 },
          },
          y: {
            stacked: true,
            grid: { display: false },
            ticks: { color: colours.text, autoSkip: false, font: labelFont() },
          },
        },
      },
    }),
  };
}

customElements.define('money-radar', MoneyRadar);
