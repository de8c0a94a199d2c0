import { html } from 'lit';
import type { Walk, WalkAmount } from '@financing-checkout/contract';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/chart-content.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { loadAnswer } from '../../parts/loader.ts';
import { paths } from '../../parts/navigation.ts';
import { emptyView, loadedView, reliabilityView } from '../../parts/states.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView } from '../../parts/values.ts';
import { quiet } from '../../parts/views.ts';
import {
  fileName,
  type LeftOut,
  leftOutTexts,
  leftOutView,
  MoneyTab,
  pointOf,
  scopeText,
  shortAmounts,
  sumsFilters,
  sumsQuery,
  zoneView,
} from './tab.ts';
import { type Bar, barsOf, type Statement } from './waterfall.ts';

/** The cash walk of a period, from the expected to the posted amount: one chart per currency. */
class MoneyWalk extends MoneyTab {
  readonly #walk = loadAnswer<Walk>(this, '/walk', sumsQuery);

  protected override render() {
    return html`${quiet(texts().money.walk.intro)}
    ${sumsFilters(this.names, exportLinks('cash-walk', sumsQuery(), { path: '/walk' }))}
    ${loadedView(this.#walk, walkView)}`;
  }
}

function walkView(walk: Walk) {
  const { money } = texts();
  return html`${reliabilityView(walk)}
  ${
    walk.statements.length === 0
      ? [emptyView(money.walk.empty, money.emptyHint, 'wallet'), leftOutView(walk)]
      : walk.statements.map((statement) => statementView(statement, walk))
  }
  ${zoneView(walk.zone)}`;
}

function statementView(statement: Statement, walk: Walk) {
  const { walk: words } = texts().money;
  const { currency } = statement;
  const bars = barsOf(statement);
  return html`<section class="card walk">
    <div class="row spread">
      <h2>${words.chart(currency)}</h2>
      ${verdictView(statement, walk)}
    </div>
    <div class="walk-grid">
      ${tableView({
        label: `${words.chart(currency)}: ${words.step}`,
        columns: columnsOf(currency),
        rows: bars,
        class: 'walk-steps',
        rowClass: ({ step, amount }) => rowClass(step, amount),
      })}
      <console-chart
        .label=${words.chart(currency)}
        .content=${walkChart(statement, bars, walk.asOf)}
      ></console-chart>
    </div>
  </section>`;
}

/** Shows the unexplained amount, and the fundings that are not included in any sum. */
export function verdictView({ currency, unexplained }: Statement, leftOut: LeftOut) {
  const { walk } = texts().money;
  const isExplained = unexplained === 0;
  return html`<p class="verdict ${isExplained ? 'good' : 'bad'}">
    <wa-icon name=${isExplained ? 'circle-check' : 'triangle-alert'}></wa-icon>
    <span
      >${walk.unexplained} <strong>${amountView(unexplained, currency)}</strong>
      <small>${isExplained ? walk.explained : walk.notExplained}</small>
      ${leftOutTexts(leftOut).map((text) => html`<small>${text}</small>`)}</span
    >
  </p>`;
}

function columnsOf(currency: string): Column<Bar>[] {
  const { walk } = texts().money;
  const isFloating = ({ kind }: Bar) => kind === 'plus' || kind === 'minus';
  return [
    {
      head: walk.step,
      isName: true,
      cell: ({ step, amount }) => {
        const name = walk.steps[step];
        if (amount === 0) return name;
        return html`<a href=${ordersOf(step, currency)} title=${walk.orders(name)}>${name}</a>`;
      },
    },
    {
      head: texts().common.amount,
      class: 'end',
      cell: ({ amount }) => amountView(amount, currency),
    },
    {
      head: walk.running,
      class: 'end minor quiet',
      cell: (bar) => (isFloating(bar) ? amountView(bar.to, currency) : ''),
    },
  ];
}

function rowClass(step: WalkAmount, amount: number): string {
  if (step === 'net') return 'total';
  if (step === 'unexplained') return amount === 0 ? 'total' : 'total bad';
  return amount === 0 ? 'zero' : '';
}

/** Returns the URL of the orders behind a step, with the period and filters of the walk. */
function ordersOf(step: WalkAmount, currency: string): string {
  return addressOf(paths.orders, { step, ...sumsQuery(), currency });
}

function walkChart(statement: Statement, bars: readonly Bar[], asOf: string): ChartContent {
  const { walk } = texts().money;
  const { currency } = statement;
  const amount = (minor: number) => formats().amount(minor, currency);
  const shown = bars.filter(
    ({ amount: own, step }) => own !== 0 || step === 'net' || step === 'unexplained',
  );
  return {
    name: fileName('cash-walk', currency),
    scope: scopeText(),
    asOf,
    summary: walk.summary(
      amount(statement.expected),
      amount(statement.net),
      amount(statement.unexplained),
    ),
    columns: [walk.step, texts().common.amount, walk.running],
    rows: bars.map((bar) => [walk.steps[bar.step], amount(bar.amount), amount(bar.to)]),
    labels: shown.map(({ step }) => walk.steps[step]),
    bars: [
      {
        data: shown.map(({ from, to }) => [pointOf(from, currency), pointOf(to, currency)]),
        values: shown.map((bar) => amount(bar.amount)),
        addresses: shown.map((bar) =>
          bar.amount === 0 ? undefined : ordersOf(bar.step, currency),
        ),
        colour: shown.map(({ kind, amount: own }) => (own === 0 ? 'neutral' : colourOf[kind])),
      },
    ],
    isLying: true,
    tick: shortAmounts(currency),
  };
}

const colourOf = { plus: 'good', minus: 'warn', total: 'brand', rest: 'bad' } as const;

customElements.define('money-walk', MoneyWalk);
