import { html, nothing } from 'lit';
import type { AnswerOf } from '@financing-checkout/contract/reconciliation';
import { call } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/bars.ts';
import { elementWith } from '../../parts/element.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { addressWith, setFilters } from '../../parts/navigation.ts';
import { Loader } from '../../parts/loader.ts';
import { loadedView } from '../../parts/states.ts';
import { amountView } from '../../parts/values.ts';
import { cardView, pairsView, quiet } from '../../parts/views.ts';

type Aging = AnswerOf<'get /cases/aging'>;
type Cell = Aging['cells'][number];
type Age = Cell['days'];
type Money = Cell['money'];

const old: readonly Age[] = ['7–30 days', 'over 30 days'];
/** Age in days of the cases in each bucket, for the queue's filter. */
const daysOf: Record<Age, { days?: number; daysUnder?: number }> = {
  'under 1 day': { daysUnder: 1 },
  '1–3 days': { days: 1, daysUnder: 3 },
  '3–7 days': { days: 3, daysUnder: 7 },
  '7–30 days': { days: 7, daysUnder: 30 },
  'over 30 days': { days: 30 },
};
/** Amount of the cases in each bucket, in major units. */
const majorOf: Record<Money, { least?: number; under?: number }> = {
  'under 10': { under: 10 },
  '10–100': { least: 10, under: 100 },
  '100–1,000': { least: 100, under: 1_000 },
  'over 1,000': { least: 1_000 },
};

/** Returns the URL of the queue with the cases of a bar; undefined for an unknown currency. */
function casesOf(age: Age, money: Money, currency: string): string | undefined {
  if (currency === '') return undefined;
  const textOf = (value: number | undefined) => (value === undefined ? '' : String(value));
  const minorOf = (major: number | undefined) =>
    textOf(major && major * 10 ** formats().decimals(currency));
  const { days, daysUnder } = daysOf[age];
  const { least, under } = majorOf[money];
  return addressWith({
    days: textOf(days),
    daysUnder: textOf(daysUnder),
    least: minorOf(least),
    under: minorOf(under),
    currency,
    // The chart excludes cases with an assumed currency.
    currencyAssumed: 'false',
    ...cleared,
  });
}

/**
 * Returns the URL of the queue with the cases that a sum includes; undefined for an unknown
 * currency.
 */
function casesOfSum(currency: string, days = ''): string | undefined {
  if (currency === '') return undefined;
  const all = { daysUnder: '', least: '', under: '' };
  return addressWith({ ...all, ...cleared, days, currency, currencyAssumed: 'false' });
}

/** Filters that the chart does not have. */
const cleared = {
  state: '',
  code: '',
  assignee: '',
  unassigned: '',
  overdue: '',
  lender: '',
  mentioned: '',
  snoozed: '',
  merged: '',
  mergedInto: '',
};

/** Shows open cases by age and amount, one currency at a time. */
class CasesAging extends elementWith({
  /** The queue's currency. If empty, the currency with the most cases is shown. */
  currency: '',
  /** Incremented whenever this page changes cases. */
  revision: 0,
  /** Whether the user chose cases of unknown currency, for which the queue has no filter. */
  isUnknownShown: false,
}) {
  readonly #aging = new Loader(this, {
    args: () => [this.revision] as const,
    task: (_, { signal }) => call('get /cases/aging', { signal }),
  });

  protected override render() {
    const { aging } = texts().cases;
    return cardView(
      aging.title,
      loadedView(this.#aging, (answer) => this.#view(answer)),
      exportLinks('cases-aging', {}, { path: '/cases/aging' }),
    );
  }

  #view({ asOf, cells, assumedCurrency }: Aging) {
    const { cases } = texts();
    const { aging, none } = cases;
    if (cells.length === 0) return quiet(none);
    const counts = new Map<string, number>();
    for (const { currency, count } of cells) {
      counts.set(currency, (counts.get(currency) ?? 0) + count);
    }
    const most = [...counts].sort((a, b) => b[1] - a[1]).map(([currency]) => currency);
    const wanted = this.currency || (this.isUnknownShown ? '' : most[0]);
    const shown = wanted !== undefined && counts.has(wanted) ? wanted : (most[0] ?? '');
    const own = cells.filter(({ currency }) => currency === shown);
    const sum = (some: readonly Cell[]) => ({
      count: some.reduce((total, { count }) => total + count, 0),
      amount: some.some(({ amount }) => amount === null)
        ? null
        : some.reduce((total, { amount }) => total + (amount ?? 0), 0),
    });
    const all = sum(own);
    const older = sum(own.filter(({ days }) => old.includes(days)));
    return html`<div class="aging-grid">
      <div class="figures">
        ${most.length === 1 ? nothing : this.#currenciesView(most, counts, shown)}
        ${pairsView('figures', [
          [aging.open, formats().number(all.count)],
          [aging.amount, sumLink(all.amount, shown, casesOfSum(shown))],
          [
            cases.views.old,
            html`${formats().number(older.count)}
              <small>${sumLink(older.amount, shown, casesOfSum(shown, '7'))}</small>`,
          ],
        ])}
        ${assumedCurrency === 0 ? nothing : quiet(aging.assumed(assumedCurrency))}
      </div>
      <console-chart
        .label=${aging.title}
        .content=${agingChart(own, shown, {
          summary: aging.summary(all.count, formats().amount(all.amount, shown), older.count),
          asOf,
        })}
      ></console-chart>
    </div>`;
  }

  #currenciesView(most: readonly string[], counts: ReadonlyMap<string, number>, shown: string) {
    const { common } = texts();
    return html`<div class="pills" role="group" aria-label=${common.currency}>
      ${most.map(
        (currency) =>
          html`<button
            class="pill"
            aria-pressed=${currency === shown ? 'true' : 'false'}
            @click=${() => this.#show(currency)}
          >
            ${currency || common.unknown} <span>${counts.get(currency)}</span>
          </button>`,
      )}
    </div>`;
  }

  #show(currency: string): void {
    this.isUnknownShown = currency === '';
    setFilters({ currency });
  }
}

/** Shows a sum as a link to the cases that it includes. */
function sumLink(amount: number | null, currency: string, address: string | undefined) {
  const sum = amountView(amount, currency);
  return address === undefined ? sum : html`<a href=${address}>${sum}</a>`;
}

/** Returns the aging chart, with each bar split by amount. */
function agingChart(
  cells: Aging['cells'],
  currency: string,
  { summary, asOf }: { summary: string; asOf: string },
): ChartContent {
  const { cases, common } = texts();
  const { aging } = cases;
  const ages = Object.keys(aging.days) as Age[];
  const moneys = Object.keys(aging.money) as Money[];
  const cellOf = (age: Age, money: Money) =>
    cells.find((cell) => cell.days === age && cell.money === money);
  const rows = ages.map((age) => {
    const own = moneys.map((money) => cellOf(age, money));
    const counts = own.map((cell) => cell?.count ?? 0);
    const total = own.some((cell) => cell?.amount === null)
      ? null
      : own.reduce((sum, cell) => sum + (cell?.amount ?? 0), 0);
    return { age, counts, total };
  });
  return {
    name: `cases-aging-${currency}`,
    summary,
    scope: currency,
    asOf,
    columns: [cases.age, ...moneys.map((money) => aging.money[money]), common.amount],
    rows: rows.map(({ age, counts, total }) => [
      aging.days[age],
      ...counts.map((count) => formats().number(count)),
      formats().amount(total, currency),
    ]),
    labels: ages.map((age) => aging.days[age]),
    bars: moneys.map((money, index) => ({
      label: aging.money[money],
      data: rows.map(({ counts }) => counts[index] ?? 0),
      values: rows.map(({ counts }) => formats().number(counts[index] ?? 0)),
      addresses: rows.map(({ age, counts }) =>
        (counts[index] ?? 0) === 0 ? undefined : casesOf(age, money, currency),
      ),
      color: (['neutral', 'brand', 'warn', 'bad'] as const)[index] ?? 'bad',
    })),
    isStacked: true,
    thickness: 56,
  };
}

customElements.define('cases-aging', CasesAging);
