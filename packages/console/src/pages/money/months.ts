import { html } from 'lit';
import type {
  MovedAmount,
  Walk,
  WalkAmount,
  WalkMonths,
} from '@financing-checkout/contract/reconciliation';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/bars.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { selectField } from '../../parts/fields.ts';
import { loadAnswer, loadCall } from '../../parts/loader.ts';
import { filters, paths, setFilters } from '../../parts/navigation.ts';
import { emptyView, loadedView, reliabilityView } from '../../parts/states.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView } from '../../parts/values.ts';
import { cardView, quiet } from '../../parts/views.ts';
import {
  type Change,
  measureOf,
  type MonthChange,
  monthsOf,
  movedAmounts,
  percentOf,
  stepChanges,
} from './changes.ts';
import { type ComparisonName, comparisons, monthOf, type Period } from './period.ts';
import { leftOutView, MoneyTab, partOf, partView, pointOf, shortAmounts, zoneView } from './tab.ts';

const today = () => formats().isoDay(Date.now());
const names = Object.keys(comparisons) as ComparisonName[];
const comparisonOf = (name: string | undefined): ComparisonName =>
  names.find((one) => one === name) ?? 'month';
/** Returns the periods that the URL compares, later one first. */
const periods = () => comparisons[comparisonOf(filters().compare)](today());
const periodQuery = ({ from, to }: Period) => ({ from, to, ...partOf() });
const addressOfWalk = (period: Period) => addressOf('/walk', periodQuery(period));

/** Each month's amounts next to the previous month's, and a comparison of two periods, per currency. */
class MoneyMonths extends MoneyTab {
  readonly #months = loadCall(this, 'get /walk/months', () => ({ query: partOf() }));
  readonly #later = loadAnswer<Walk>(this, () => addressOfWalk(periods()[0]));
  readonly #earlier = loadAnswer<Walk>(this, () => addressOfWalk(periods()[1]));

  protected override render() {
    const { months, walk } = texts().money;
    const chosen = filters();
    return html`${quiet(months.intro)}
      <div class="filters">
        ${selectField(
          months.measure,
          movedAmounts.map((name) => [name, walk.steps[name]] as const),
          measureOf(chosen.measure),
          (measure) => setFilters({ measure: measure === 'net' ? '' : measure }),
        )}
        ${partView(this.names)} ${exportLinks('months', partOf(), { path: '/walk/months' })}
      </div>
      ${loadedView(this.#months, monthsView)}
      ${cardView(
        months.compare,
        html`<div class="filters">
            ${selectField(
              months.periods,
              names.map((name) => [name, months.comparisons[name]] as const),
              comparisonOf(chosen.compare),
              (compare) => setFilters({ compare: compare === 'month' ? '' : compare }),
            )}
            ${periods().map((period) =>
              exportLinks('cash-walk', periodQuery(period), {
                path: '/walk',
                label: periodText(period),
              }),
            )}
          </div>
          ${loadedView(this.#later, (later) =>
            loadedView(this.#earlier, (earlier) => comparisonView(later, earlier)),
          )}`,
      )}`;
  }
}

const monthText = (month: string) =>
  new Intl.DateTimeFormat(formats().locale, {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${month}-01`));

function periodText({ from, to }: Period): string {
  return texts().money.days(formats().day(from), formats().day(to));
}

/** Says that a view's last period has not ended, so that its amounts will grow. */
function unfinishedView({ from, to }: Period) {
  const now = today();
  return from <= now && now < to ? quiet(texts().money.months.unfinished(formats().day(to))) : '';
}

function ordersOf(step: WalkAmount, period: Period, currency: string): string {
  return addressOf(paths.orders, { step, ...periodQuery(period), currency });
}

function monthsView(answer: WalkMonths) {
  const { money } = texts();
  const measure = measureOf(filters().measure);
  const all = [...monthsOf(answer, measure)];
  return html`${reliabilityView(answer)}
  ${
    all.length === 0
      ? emptyView(money.walk.empty, undefined, 'wallet')
      : all.map(([currency, months]) => {
          const title = money.months.chart(money.walk.steps[measure], currency);
          return html`<section class="card">
            <h2>${title}</h2>
            <console-chart
              .label=${title}
              .content=${monthsChart(months, { currency, measure, asOf: answer.asOf })}
            ></console-chart>
            ${tableView({
              label: title,
              columns: monthColumns(measure, currency),
              rows: months.toReversed(),
              class: 'changes',
            })}
          </section>`;
        })
  }
  ${unfinishedView(monthOf(`${answer.to}-01`))} ${leftOutView(answer)} ${zoneView(answer.zone)}`;
}

function monthColumns(measure: MovedAmount, currency: string): Column<MonthChange>[] {
  const { months } = texts().money;
  return [
    {
      head: months.month,
      isName: true,
      cell: ({ month, amount }) => {
        if (amount === 0) return monthText(month);
        const address = ordersOf(measure, monthOf(`${month}-01`), currency);
        return html`<a href=${address}>${monthText(month)}</a>`;
      },
    },
    ...changeColumns<MonthChange>(currency, [texts().common.amount, months.before]),
  ];
}

/** Returns the columns for two amounts, their difference, and the difference in percent. */
function changeColumns<Row extends Change>(
  currency: string,
  [amount, before]: [amount: unknown, before: unknown],
): Column<Row>[] {
  const { months } = texts().money;
  const money = (minor: number) => amountView(minor, currency);
  return [
    { head: amount, class: 'end', cell: (row) => money(row.amount) },
    { head: before, class: 'end', cell: (row) => money(row.before) },
    { head: months.difference, class: 'end minor', cell: (row) => money(row.amount - row.before) },
    { head: months.percent, class: 'end', cell: percentOf },
  ];
}

function monthsChart(
  months: readonly MonthChange[],
  { currency, measure, asOf }: { currency: string; measure: MovedAmount; asOf: string },
): ChartContent {
  const { common, money } = texts();
  const amount = (minor: number) => formats().amount(minor, currency);
  const short = new Intl.DateTimeFormat(formats().locale, {
    month: 'short',
    year: '2-digit',
    timeZone: 'UTC',
  });
  const first = months[0]?.month ?? '';
  const last = months.at(-1);
  const seriesOf = (name: 'amount' | 'before', offset: number) => ({
    data: months.map((one) => pointOf(one[name], currency)),
    values: months.map((one) => amount(one[name])),
    addresses: months.map((one) =>
      one[name] === 0 ? undefined : ordersOf(measure, monthOf(`${one.month}-01`, offset), currency),
    ),
  });
  const { lender } = partOf();
  return {
    name: `months-${measure}-${currency}`,
    summary: money.months.summary(
      monthText(last?.month ?? first),
      amount(last?.amount ?? 0),
      amount(last?.before ?? 0),
    ),
    scope: [
      ...(lender === undefined ? [] : [lender]),
      money.days(monthText(first), monthText(last?.month ?? first)),
      common.zone(formats().zone),
    ].join(' · '),
    asOf,
    columns: [
      ...[money.months.month, common.amount, money.months.before, money.months.difference],
      money.months.percent,
    ],
    rows: months.map((one) => [
      ...[monthText(one.month), amount(one.amount), amount(one.before)],
      ...[amount(one.amount - one.before), percentOf(one)],
    ]),
    labels: months.map(({ month }) => short.format(new Date(`${month}-01`))),
    bars: [
      { label: common.amount, ...seriesOf('amount', 0), color: 'brand' },
      { label: money.months.before, ...seriesOf('before', -1), color: 'neutral' },
    ],
    tick: shortAmounts(currency),
  };
}

function comparisonView(later: Walk, earlier: Walk) {
  const { walk, months } = texts().money;
  const [one, other] = periods();
  const all = [...stepChanges(later, earlier)];
  if (all.length === 0) return emptyView(walk.empty, undefined, 'wallet');
  return html`${all.map(
    ([currency, rows]) =>
      html`<h3>${months.compared(currency)}</h3>
        ${tableView({
          label: months.compared(currency),
          columns: [
            {
              head: walk.step,
              isName: true,
              cell: ({ step }) => walk.steps[step],
            },
            ...changeColumns<(typeof rows)[number]>(currency, [
              periodText(one),
              periodText(other),
            ]).map((column, index): Column<(typeof rows)[number]> => ({
              ...column,
              cell: (row) => linked(column.cell(row), row, { index, currency }),
            })),
          ],
          rows,
          rowClass: ({ step }) => (step === 'net' ? 'total' : ''),
          class: 'changes',
        })}`,
  )}
  ${unfinishedView(one)}`;
}

/** Links both periods' amounts to their orders. */
function linked(
  content: unknown,
  { step, amount, before }: Change & { step: WalkAmount },
  { index, currency }: { index: number; currency: string },
) {
  const period = periods()[index];
  if (period === undefined || [amount, before][index] === 0) return content;
  return html`<a href=${ordersOf(step, period, currency)}>${content}</a>`;
}

customElements.define('money-months', MoneyMonths);
