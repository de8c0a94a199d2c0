import { html, nothing } from 'lit';
import type { MigrationLine } from '@financing-checkout/contract';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/chart.ts';
import { paths } from '../../parts/navigation.ts';
import { amountView } from '../../parts/values.ts';
import { sizeOf } from './tab.ts';

type Of<Kind extends MigrationLine['kind']> = Extract<MigrationLine, { kind: Kind }>;
type Summary = Of<'summary'>;

/** The lines of a comparison that were read so far. */
export interface Comparison {
  lines: number;
  /** The first ones. */
  orders: Of<'order'>[];
  unreadable: Of<'unreadable'>[];
  summary: Summary | undefined;
}

const operations = ['report', 'recordsV1', 'recordsV2'] as const;

/** Shows the result of a comparison; `save` gives the person all of its lines. */
export function comparisonView(
  { orders, unreadable }: Comparison,
  summary: Summary,
  save: () => void,
) {
  const { migration } = texts().money;
  const { number, day } = formats();
  const changed = Object.entries(summary.differs);
  return html`<section class="card" aria-labelledby="migration-title">
      <div class="row spread">
        <h2 id="migration-title">${migration.period(day(summary.from), day(summary.to))}</h2>
        <wa-button size="s" appearance="outlined" @click=${save}
          ><wa-icon slot="start" name="download"></wa-icon>${migration.download}</wa-button
        >
      </div>
      <p class="verdict ${summary.orders === 0 ? 'good' : 'bad'}">
        <wa-icon name=${summary.orders === 0 ? 'circle-check' : 'triangle-alert'}></wa-icon>
        ${
          summary.orders === 0
            ? migration.none
            : html`<span>${migration.orders}: <strong>${number(summary.orders)}</strong></span>`
        }
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">${migration.operation}</th>
            <th scope="col" class="end">${migration.read}</th>
            <th scope="col" class="end">${migration.unreadable}</th>
          </tr>
        </thead>
        <tbody>
          ${operations.map(
            (name) =>
              html`<tr>
                <th scope="row">${migration.operations[name]}</th>
                <td class="end">${number(summary.read[name])}</td>
                <td class="end ${summary.unreadable[name] > 0 ? 'bad' : ''}">
                  ${number(summary.unreadable[name])}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </section>
    ${summary.becomes.length === 0 ? nothing : becomesView(summary)}
    ${
      changed.length === 0
        ? nothing
        : html`<section class="card" aria-labelledby="differs-title">
            <h2 id="differs-title">${migration.differs}</h2>
            <dl class="facts">
              ${changed.map(
                ([field, n]) =>
                  html`<dt><code>${field}</code></dt>
                    <dd>${number(n)}</dd>`,
              )}
            </dl>
          </section>`
    }
    ${orders.length === 0 ? nothing : ordersView(orders, summary.orders)}
    ${
      unreadable.length === 0
        ? nothing
        : html`<section class="card" aria-labelledby="unreadable-title">
            <h2 id="unreadable-title">${migration.unreadableList}</h2>
            <ul class="plain-list">
              ${unreadable.map(
                (line) =>
                  html`<li>
                    ${day(line.day)} · ${migration.operations[line.operation]} ·
                    <span class="id">${line.merchantOrderId ?? ''}</span>
                    <span class="quiet">${line.reason}</span>
                  </li>`,
              )}
            </ul>
          </section>`
    }`;
}

function becomesView({ becomes, from, to }: Summary) {
  const { migration } = texts().money;
  const { number } = formats();
  const amountsOf = ({ amounts }: Summary['becomes'][number]) =>
    Object.entries(amounts)
      .map(([currency, minor]) => formats().amount(minor, currency))
      .join(', ');
  const nameOf = (status: string | undefined) => status ?? migration.missing;
  const content: ChartContent = {
    name: `migration-${from}-${to}`,
    summary: migration.summary(becomes.length),
    columns: [
      ...[migration.was, migration.is, migration.version],
      ...[texts().money.number, migration.amounts],
    ],
    rows: becomes.map((row) => [
      ...[nameOf(row.records), nameOf(row.report), String(row.version)],
      ...[number(row.count), amountsOf(row)],
    ]),
    configuration: (colours) => ({
      type: 'bar',
      data: {
        labels: becomes.map(
          (row) => `v${row.version} ${nameOf(row.records)} → ${nameOf(row.report)}`,
        ),
        datasets: [
          {
            data: becomes.map(({ count }) => count),
            backgroundColor: becomes.map(({ records, report }) =>
              records === report ? colours.brand : colours.warn,
            ),
            borderRadius: 3,
            maxBarThickness: 24,
          },
        ],
      },
      options: {
        indexAxis: 'y',
        plugins: { legend: { display: false } },
        scales: {
          x: {
            grid: { color: colours.grid },
            border: { display: false },
            ticks: { color: colours.text, precision: 0 },
          },
          y: { grid: { display: false }, ticks: { color: colours.text, autoSkip: false } },
        },
      },
    }),
  };
  return html`<section class="card" aria-labelledby="becomes-title">
    <h2 id="becomes-title">${migration.becomes}</h2>
    <console-chart
      class=${sizeOf(becomes.length)}
      label=${migration.chart}
      .content=${content}
    ></console-chart>
  </section>`;
}

function ordersView(orders: Comparison['orders'], all: number) {
  const { common, money } = texts();
  const { migration } = money;
  return html`<section class="card" aria-labelledby="orders-title">
    <h2 id="orders-title">${migration.orders}</h2>
    <p class="quiet">${migration.first(orders.length, all)}</p>
    <div class="scroll-x" tabindex="0" role="region" aria-label=${migration.orders}>
      <table class="wide-table">
        <thead>
          <tr>
            <th scope="col">${common.order}</th>
            <th scope="col" class="end">${common.amount}</th>
            ${operations.map((name) => html`<th scope="col">${migration.operations[name]}</th>`)}
            <th scope="col">${migration.differs}</th>
          </tr>
        </thead>
        <tbody>
          ${orders.flatMap(({ merchantOrderId, fundings }) =>
            fundings.map(
              (funding) =>
                html`<tr>
                  <th scope="row">
                    ${
                      merchantOrderId === undefined
                        ? common.unknown
                        : html`<a class="id" href=${paths.order(`order:${merchantOrderId}`)}
                            >${merchantOrderId}</a
                          >`
                    }
                  </th>
                  <td class="end">
                    ${amountView(funding.amount, funding.currency, funding.currencyAssumed)}
                  </td>
                  ${operations.map(
                    (name) =>
                      html`<td>
                        ${
                          funding[name] === undefined
                            ? html`<span class="quiet">${migration.missing}</span>`
                            : html`<code>${funding[name]}</code>`
                        }
                      </td>`,
                  )}
                  <td><code>${funding.differs.join(', ')}</code></td>
                </tr>`,
            ),
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
