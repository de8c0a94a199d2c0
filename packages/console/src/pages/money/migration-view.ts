import { html, nothing } from 'lit';
import type { MigrationLine } from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/bars.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView, orderLink } from '../../parts/values.ts';
import { cardView, pairsView, quiet } from '../../parts/views.ts';

type Of<Kind extends MigrationLine['kind']> = Extract<MigrationLine, { kind: Kind }>;
type Summary = Of<'summary'>;

/** The lines of a comparison read so far. */
export interface Comparison {
  lines: number;
  /** Only the first orders: see `LISTED`. */
  orders: Of<'order'>[];
  unreadable: Of<'unreadable'>[];
  summary: Summary | undefined;
}

const operations = ['report', 'recordsV1', 'recordsV2'] as const;
type Operation = (typeof operations)[number];

/** Shows a comparison's result. `save` downloads all of its lines. */
export function comparisonView(
  { orders, unreadable }: Comparison,
  summary: Summary,
  save: () => void,
) {
  const { money } = texts();
  const { migration } = money;
  const { number, day } = formats();
  const changed = Object.entries(summary.differs);
  const isSame = summary.orders === 0;
  const columns: Column<Operation>[] = [
    { head: migration.operation, isName: true, cell: (name) => migration.operations[name] },
    { head: migration.read, class: 'end', cell: (name) => number(summary.read[name]) },
    {
      head: migration.unreadable,
      class: 'end',
      tone: (name) => (summary.unreadable[name] > 0 ? 'bad' : ''),
      cell: (name) => number(summary.unreadable[name]),
    },
  ];
  const title = money.days(day(summary.from), day(summary.to));
  const content = html`<p class="verdict ${isSame ? 'good' : 'bad'}">
      <wa-icon name=${isSame ? 'circle-check' : 'triangle-alert'}></wa-icon>
      ${
        isSame
          ? migration.none
          : html`<span>${migration.orders}: <strong>${number(summary.orders)}</strong></span>`
      }
    </p>
    ${tableView({ label: title, columns, rows: operations })}`;
  const button = html`<wa-button size="s" appearance="outlined" @click=${save}
    ><wa-icon slot="start" name="download"></wa-icon>${migration.download}</wa-button
  >`;
  const fields = changed.map(
    ([name, count]) => [html`<code>${name}</code>`, number(count)] as const,
  );
  return [
    cardView(title, content, button),
    summary.becomes.length === 0 ? nothing : becomesView(summary),
    changed.length === 0 ? nothing : cardView(migration.differs, pairsView('facts', fields)),
    orders.length === 0 ? nothing : ordersView(orders, summary.orders),
    unreadable.length === 0 ? nothing : unreadableView(unreadable),
  ];
}

function unreadableView(lines: Comparison['unreadable']) {
  const { migration } = texts().money;
  return cardView(
    migration.unreadableList,
    html`<ul>
      ${lines.map(
        ({ day, operation, merchantOrderId, reason }) =>
          html`<li>
            ${formats().day(day)} · ${migration.operations[operation]} ·
            <span class="id">${merchantOrderId ?? ''}</span> <span class="quiet">${reason}</span>
          </li>`,
      )}
    </ul>`,
  );
}

function becomesView({ becomes, from, to }: Summary) {
  const { money } = texts();
  const { migration } = money;
  const { number } = formats();
  const amountsOf = ({ amounts }: Summary['becomes'][number]) =>
    Object.entries(amounts)
      .map(([currency, minor]) => formats().amount(minor, currency))
      .join(', ');
  const nameOf = (status: string | undefined) => status ?? migration.missing;
  const content: ChartContent = {
    name: `migration-${from}-${to}`,
    scope: money.days(formats().day(from), formats().day(to)),
    summary: migration.summary(becomes.length),
    columns: [
      ...[migration.was, migration.is, migration.version],
      ...[texts().common.count, migration.amounts],
    ],
    rows: becomes.map((row) => [
      ...[nameOf(row.records), nameOf(row.report), String(row.version)],
      ...[number(row.count), amountsOf(row)],
    ]),
    labels: becomes.map((row) => `v${row.version} ${nameOf(row.records)} → ${nameOf(row.report)}`),
    bars: [
      {
        data: becomes.map(({ count }) => count),
        values: becomes.map(({ count }) => number(count)),
        color: becomes.map(({ records, report }) => (records === report ? 'brand' : 'warn')),
      },
    ],
    isLying: true,
    thickness: 24,
  };
  const chart = html`<console-chart .label=${migration.chart} .content=${content}></console-chart>`;
  return cardView(migration.becomes, chart);
}

function ordersView(orders: Comparison['orders'], all: number) {
  const { common, money } = texts();
  const { migration } = money;
  const rows = orders.flatMap(({ merchantOrderId, fundings }) =>
    fundings.map((funding) => ({ merchantOrderId, funding })),
  );
  const columns: Column<(typeof rows)[number]>[] = [
    {
      head: common.order,
      isName: true,
      cell: ({ merchantOrderId: id }) =>
        id === undefined ? common.unknown : orderLink(`order:${id}`, id),
    },
    {
      head: common.amount,
      class: 'end',
      cell: ({ funding }) => amountView(funding.amount, funding.currency, funding.currencyAssumed),
    },
    ...operations.map((name) => ({
      head: migration.operations[name],
      cell: ({ funding }: (typeof rows)[number]) =>
        funding[name] === undefined
          ? html`<span class="quiet">${migration.missing}</span>`
          : html`<code>${funding[name]}</code>`,
    })),
    {
      head: migration.differs,
      cell: ({ funding }) => html`<code>${funding.differs.join(', ')}</code>`,
    },
  ];
  return cardView(
    migration.orders,
    html`${quiet(migration.first(orders.length, all))}
    ${tableView({ label: migration.orders, columns, rows, class: 'wide-table' })}`,
  );
}
