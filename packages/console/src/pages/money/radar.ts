import { html } from 'lit';
import type { RadarRecord } from '@financing-checkout/contract/reconciliation';
import { tables } from '@financing-checkout/contract/plain';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/bars.ts';
import { declaredColumns } from '../../parts/declared.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { loadCall } from '../../parts/loader.ts';
import { paths } from '../../parts/navigation.ts';
import { emptyView, loadedView } from '../../parts/states.ts';
import { tableView } from '../../parts/table.ts';
import { quiet } from '../../parts/views.ts';
import { currenciesView, fileName, MoneyTab, scopeText, sumsFilters, sumsQuery } from './tab.ts';

type Row = RadarRecord['rows'][number];

/** How often the service's funding statuses are wrong. */
class MoneyRadar extends MoneyTab {
  readonly #radar = loadCall(this, 'get /radar', () => ({ query: sumsQuery() }));

  protected override render() {
    const { radar, emptyHint } = texts().money;
    const empty = emptyView(radar.empty, emptyHint, 'activity');
    return html`${quiet(radar.intro)}
    ${sumsFilters(this.names, exportLinks('radar', sumsQuery(), { path: '/radar' }))}
    ${loadedView(this.#radar, (answer) => currenciesView(answer, empty, currencyView))}`;
  }
}

function currencyView(currency: string, rows: readonly Row[], asOf: string) {
  const { radar, tabs } = texts().money;
  const title = radar.chart(currency);
  return html`<section class="card">
    <h2>${title}</h2>
    <console-chart .label=${title} .content=${radarChart(currency, rows, asOf)}></console-chart>
    ${tableView({
      label: `${tabs.radar} ${currency}`,
      columns: declaredColumns<Row>(tables.radar, {
        own: {
          status: { cell: ({ status }) => html`<code>${status}</code>` },
          wrong_count: { tone: ({ wrong }) => (wrong.count > 0 ? 'bad' : '') },
        },
      }),
      rows,
      class: 'wide-table',
    })}
  </section>`;
}

/** Returns the address of the orders whose fundings a bar counts. */
function ordersOf({ currency, lender, status }: Row, verdict: 'right' | 'wrong'): string {
  const { from, to } = sumsQuery();
  return addressOf(paths.orders, { claim: status, verdict, lender, currency, from, to });
}

function radarChart(currency: string, rows: readonly Row[], asOf: string): ChartContent {
  const { common, money } = texts();
  const { radar } = money;
  const total = (of: 'all' | 'wrong') => rows.reduce((sum, row) => sum + row[of].count, 0);
  return {
    name: fileName('radar', currency),
    scope: scopeText(),
    asOf,
    summary: radar.summary(total('wrong'), total('all')),
    columns: [
      `${common.lender}, ${common.status}`,
      radar.right,
      common.wrong_count,
      common.wrong_percent,
    ],
    rows: rows.map((row) => [
      `${row.lender} · ${row.status}`,
      formats().number(row.all.count - row.wrong.count),
      formats().number(row.wrong.count),
      formats().percent(row.wrongBasisPoints),
    ]),
    labels: rows.map(({ lender, status }) => [lender, status]),
    bars: [
      {
        label: radar.right,
        data: rows.map(({ all, wrong }) => all.count - wrong.count),
        values: rows.map(({ all, wrong }) => formats().number(all.count - wrong.count)),
        addresses: rows.map((row) =>
          row.all.count === row.wrong.count ? undefined : ordersOf(row, 'right'),
        ),
        color: 'brand',
      },
      {
        label: common.wrong_count,
        data: rows.map(({ wrong }) => wrong.count),
        values: rows.map(({ wrong }) => formats().number(wrong.count)),
        addresses: rows.map((row) => (row.wrong.count === 0 ? undefined : ordersOf(row, 'wrong'))),
        color: 'bad',
      },
    ],
    isLying: true,
    isStacked: true,
    thickness: 26,
  };
}

customElements.define('money-radar', MoneyRadar);
