import { html } from 'lit';
import type { Walk, WalkAmount } from '@financing-checkout/contract';
import { addressOf, get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/chart.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { navigate, paths } from '../../parts/navigation.ts';
import { Loader } from '../../parts/loader.ts';
import { emptyView, reliabilityView, loadedView } from '../../parts/states.ts';
import { amountView } from '../../parts/values.ts';
import {
  fileName,
  labelFont,
  type LeftOut,
  leftOutTexts,
  leftOutView,
  MoneyTab,
  pointOf,
  shortAmounts,
  sumsFilters,
  sumsQuery,
} from './tab.ts';
import { type Bar, barsOf, type Statement } from './waterfall.ts';

/** The cash walk of a period: from the expected to the posted amount, one picture per currency. */
class MoneyWalk extends MoneyTab {
  readonly #task = new Loader(this, {
    args: () => [this.search] as const,
    task: (_, { signal }) => get<Walk>('/walk', sumsQuery(), signal),
  });

  protected override render() {
    const { money } = texts();
    return html`<p class="quiet">${money.walk.intro}</p>
      ${sumsFilters(this.names, exportLinks('cash-walk', sumsQuery(), { path: '/walk' }))}
      ${loadedView(this.#task, (walk) => walkView(walk))}`;
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
    <p class="quiet small">${money.zone(walk.zone)}</p>`;
}

function statementView(statement: Statement, leftOut: LeftOut) {
  const { walk } = texts().money;
  const { currency } = statement;
  const bars = barsOf(statement);
  return html`<section class="card walk">
    <div class="row spread walk-head">
      <h2>${walk.chart(currency)}</h2>
      ${verdictView(statement, leftOut)}
    </div>
    <div class="walk-grid">
      <div class="scroll-x">${stepsView(bars, currency)}</div>
      <console-chart
        label=${walk.chart(currency)}
        .content=${walkChart(statement, bars)}
      ></console-chart>
    </div>
  </section>`;
}

/** States the unexplained amount, and the fundings that are in no sum. */
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

function stepsView(bars: readonly Bar[], currency: string) {
  const { walk } = texts().money;
  return html`<table class="walk-steps">
    <caption class="sr">
      ${walk.chart(currency)}
    </caption>
    <thead>
      <tr>
        <th scope="col">${walk.step}</th>
        <th scope="col" class="end">${texts().common.amount}</th>
        <th scope="col" class="end minor">${walk.running}</th>
      </tr>
    </thead>
    <tbody>
      ${bars.map(
        ({ step, amount, to, kind }) =>
          html`<tr class=${rowClass(step, amount)}>
            <th scope="row">
              ${
                amount === 0
                  ? walk.steps[step]
                  : html`<a href=${ordersOf(step, currency)} title=${walk.orders(walk.steps[step])}
                      >${walk.steps[step]}</a
                    >`
              }
            </th>
            <td class="end">${amountView(amount, currency)}</td>
            <td class="end minor quiet">
              ${kind === 'plus' || kind === 'minus' ? amountView(to, currency) : ''}
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function rowClass(step: WalkAmount, amount: number): string {
  if (step === 'net') return 'total';
  if (step === 'unexplained') return amount === 0 ? 'total' : 'total bad';
  return amount === 0 ? 'zero' : '';
}

/** Returns the address of the orders behind a step, in the period and part of the walk. */
function ordersOf(step: WalkAmount, currency: string): string {
  return addressOf(paths.orders, { step, ...sumsQuery(), currency });
}

function walkChart(statement: Statement, bars: readonly Bar[]): ChartContent {
  const { walk } = texts().money;
  const { currency } = statement;
  const amount = (minor: number) => formats().amount(minor, currency);
  const shown = bars.filter(
    ({ amount: own, step }) => own !== 0 || step === 'net' || step === 'unexplained',
  );
  return {
    name: fileName('cash-walk', currency),
    summary: walk.summary(
      ...([statement.expected, statement.net, statement.unexplained].map((one) => amount(one)) as [
        string,
        string,
        string,
      ]),
    ),
    columns: [walk.step, texts().common.amount, walk.running],
    rows: bars.map((bar) => [walk.steps[bar.step], amount(bar.amount), amount(bar.to)]),
    configuration: (colours) => {
      const colourOf = {
        plus: colours.good,
        minus: colours.warn,
        total: colours.brand,
        rest: colours.bad,
      };
      return {
        type: 'bar',
        data: {
          labels: shown.map(({ step }) => walk.steps[step]),
          datasets: [
            {
              data: shown.map(({ from, to }): [number, number] => [
                pointOf(from, currency),
                pointOf(to, currency),
              ]),
              backgroundColor: shown.map(({ kind, amount: own }) =>
                own === 0 ? colours.neutral : colourOf[kind],
              ),
              borderRadius: 3,
              borderSkipped: false,
              minBarLength: 2,
              barPercentage: 0.8,
              categoryPercentage: 0.9,
            },
          ],
        },
        options: {
          indexAxis: 'y',
          onClick: (_event, elements) => {
            const bar = shown[elements[0]?.index ?? -1];
            if (bar !== undefined) navigate(ordersOf(bar.step, currency));
          },
          plugins: {
            legend: { display: false },
            tooltip: {
              callbacks: {
                label: ({ dataIndex }) => amount(shown[dataIndex]?.amount ?? 0),
              },
            },
          },
          scales: {
            x: {
              grid: { color: colours.grid },
              border: { display: false },
              ticks: {
                color: colours.text,
                maxTicksLimit: 5,
                maxRotation: 0,
                callback: shortAmounts(currency),
              },
            },
            y: {
              grid: { display: false },
              ticks: { color: colours.text, autoSkip: false, font: labelFont() },
            },
          },
        },
      };
    },
  };
}

customElements.define('money-walk', MoneyWalk);
