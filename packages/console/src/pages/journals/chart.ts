import type { ChartRecord } from '@financing-checkout/contract/reconciliation';
import { html, nothing } from 'lit';
import { texts } from '../../locale/locale.ts';
import { elementWith } from '../../parts/element.ts';
import { loadCall } from '../../parts/loader.ts';
import { loadedView } from '../../parts/states.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { cardView, quiet } from '../../parts/views.ts';

type Row = ChartRecord['rules'][number];

/** The chart of accounts in use. */
class JournalChart extends elementWith({}) {
  readonly #chart = loadCall(this, 'get /journals/chart', () => ({}));

  protected override render() {
    return cardView(
      texts().journals.chart,
      loadedView(this.#chart, (chart) => chartView(chart)),
    );
  }
}

function chartView({ rules, accounts, isDefault }: ChartRecord) {
  const { journals } = texts();
  const columns: Column<Row>[] = [
    {
      head: journals.purpose,
      isName: true,
      cell: (row) => journals.accounts[row.for],
    },
    {
      head: journals.account,
      cell: ({ number, name }) => html`<span class="quiet">${number}</span> ${name}`,
    },
    { head: journals.type, class: 'minor', cell: ({ type }) => journals.types[type] },
    {
      head: journals.only,
      cell: ({ lender, currency, productType }) =>
        [lender, currency, productType].filter((one) => one !== undefined).join(', ') || nothing,
    },
  ];
  const rows = [...rules, ...accounts];
  return html`${quiet(isDefault ? journals.isDefaultChart : journals.chartText)}
  ${tableView({ label: journals.chart, columns, rows })}`;
}

customElements.define('journal-chart', JournalChart);
