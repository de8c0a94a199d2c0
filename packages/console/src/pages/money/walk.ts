import { html, nothing } from 'lit';
import type { Periods, Walk, WalkAmount } from '@financing-checkout/contract/reconciliation';
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
import { maybe, quiet } from '../../parts/views.ts';
import '../close/hash.ts';
import { addressOfPeriod } from '../close/periods.ts';
import {
  fileName,
  type LeftOut,
  leftOutTexts,
  leftOutView,
  MoneyTab,
  partOf,
  partView,
  periodView,
  pointOf,
  scopeText,
  shortAmounts,
  sumsQuery,
  zoneView,
} from './tab.ts';
import { type Bar, barsOf, type Statement } from './waterfall.ts';

/** Returns the walk's query: an accounting period, or days. */
function walkQuery() {
  const { period } = filters();
  return period === undefined ? sumsQuery() : { period, ...partOf() };
}

/** A period's cash walk, from the expected to the posted amount, with one chart per currency. */
class MoneyWalk extends MoneyTab {
  readonly #walk = loadAnswer<Walk>(this, () => addressOf('/walk', walkQuery()));
  readonly #periods = loadCall(this, 'get /periods', () => ({}));

  protected override render() {
    const { period } = filters();
    const periods = this.#periods.kept;
    const query = period === undefined ? sumsQuery() : { ...walkQuery(), zone: undefined };
    return html`${quiet(texts().money.walk.intro)}
      <div class="filters">
        ${bookField(periods, period)} ${period === undefined ? periodView() : nothing}
        ${partView(this.names)} ${exportLinks('cash-walk', query, { path: '/walk' })}
      </div>
      ${loadedView(this.#walk, (walk) => walkView(walk, periods))}`;
  }
}

/** Lets the user choose between days, the closed accounting periods and the open one. */
function bookField(periods: Periods | undefined, chosen = '') {
  const { book } = texts().money.walk;
  const offered = (periods?.periods ?? []).filter(
    ({ id, state }) => state === 'closed' || id === periods?.open || id === chosen,
  );
  const options = offered.map(
    ({ id, state }) => [id, state === 'closed' ? book.closed(id) : book.open(id)] as const,
  );
  return selectField(book.label, [['', book.days], ...options], chosen, (period) =>
    setFilters({ period, from: undefined, to: undefined }),
  );
}

/** Says how an accounting period was sealed, or that it is open, with its adjustments. */
function bookView({ book }: Walk, periods: Periods | undefined) {
  if (book === undefined) return nothing;
  const { close, money } = texts();
  const { walk } = money;
  const { period, isSealed, seal: hash, adjustments, leftOut = 0 } = book;
  const seal = periods?.periods.find(({ id }) => id === period)?.seal;
  const name = html`<a href=${addressOfPeriod(period)}>${period}</a>`;
  if (!isSealed) return html`<p class="book">${name}: ${walk.book.adjusted(adjustments)}</p>`;
  return html`<p class="book">
    ${name}:
    ${maybe(seal, ({ approvedBy, at }) => walk.book.sealed(formats().moment(at), approvedBy))}
    ${maybe(
      hash,
      (whole) =>
        html`${close.hash}
          <close-hash .hash=${whole} .label=${close.copyHash(period)}></close-hash>`,
    )}
    ${adjustments === 0 ? nothing : walk.book.sealedAdjustments(adjustments)}
    ${leftOut === 0 ? nothing : walk.book.leftOut(leftOut)}
  </p>`;
}

function walkView(walk: Walk, periods: Periods | undefined) {
  const { money } = texts();
  return html`${reliabilityView(walk)} ${bookView(walk, periods)}
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
        columns: columnsOf(currency, walk.book),
        rows: bars,
        class: 'walk-steps',
        rowClass: ({ step, amount }) => rowClass(step, amount),
      })}
      <console-chart
        .label=${words.chart(currency)}
        .content=${walkChart(statement, bars, walk)}
      ></console-chart>
    </div>
  </section>`;
}

/** Shows the unexplained amount, and the fundings that are not included in any sum. */
export function verdictView({ currency, unexplained }: Statement, leftOut: Partial<LeftOut>) {
  const { walk } = texts().money;
  const isExplained = unexplained === 0;
  return html`<p class="verdict ${isExplained ? 'good' : 'bad'}">
    <wa-icon name=${isExplained ? 'circle-check' : 'triangle-alert'}></wa-icon>
    <span
      >${walk.steps.unexplained} <strong>${amountView(unexplained, currency)}</strong>
      <small>${isExplained ? walk.explained : walk.notExplained}</small>
      ${leftOutTexts(leftOut).map((text) => html`<small>${text}</small>`)}</span
    >
  </p>`;
}

function columnsOf(currency: string, book: Walk['book']): Column<Bar>[] {
  const { walk } = texts().money;
  const isFloating = ({ kind }: Bar) => kind === 'plus' || kind === 'minus';
  return [
    {
      head: walk.step,
      isName: true,
      cell: ({ step, amount }) => {
        const name = walk.steps[step];
        if (amount === 0) return name;
        return html`<a href=${ordersOf(step, currency, book)} title=${walk.orders(name)}
          >${name}</a
        >`;
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

/** Returns the URL of the orders behind a step, with the walk's period and filters. */
function ordersOf(step: WalkAmount, currency: string, book: Walk['book']): string {
  if (book !== undefined) {
    const { lender } = partOf();
    return addressOfPeriod(book.period, { step, currency, lender });
  }
  return addressOf(paths.orders, { step, ...sumsQuery(), currency });
}

function walkChart(
  statement: Statement,
  bars: readonly Bar[],
  { asOf, from, to, book }: Walk,
): ChartContent {
  const { walk } = texts().money;
  const { currency } = statement;
  const amount = (minor: number) => formats().amount(minor, currency);
  const shown = bars.filter(
    ({ amount: own, step }) => own !== 0 || step === 'net' || step === 'unexplained',
  );
  return {
    name: fileName('cash-walk', currency, { from, to }),
    scope: scopeText({ from, to }),
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
          bar.amount === 0 ? undefined : ordersOf(bar.step, currency, book),
        ),
        color: shown.map(({ kind, amount: own }) => (own === 0 ? 'neutral' : colorOf[kind])),
      },
    ],
    isLying: true,
    tick: shortAmounts(currency),
  };
}

const colorOf = { plus: 'good', minus: 'warn', total: 'brand', rest: 'bad' } as const;

customElements.define('money-walk', MoneyWalk);
