import { html, nothing } from 'lit';
import type { ageBuckets, moneyBuckets } from '@financing-checkout/contract';
import { get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/chart.ts';
import { elementWith } from '../../parts/element.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { setFilters } from '../../parts/navigation.ts';
import { Loader } from '../../parts/loader.ts';
import { loadedView } from '../../parts/states.ts';
import { amountView } from '../../parts/values.ts';
import { cardView, pairsView, quiet } from '../../parts/views.ts';

type Age = (typeof ageBuckets)[number];
type Money = (typeof moneyBuckets)[number];
/** The response of `GET /cases/ageing`. */
interface Ageing {
  asOf: string;
  assumedCurrency: number;
  cells: { currency: string; days: Age; money: Money; count: number; amount: number | null }[];
}

const old: readonly Age[] = ['7–30 days', 'over 30 days'];
/** First day of each age bucket, for the queue's filter. */
const firstDay = {
  'under 1 day': 0,
  '1–3 days': 1,
  '3–7 days': 3,
  '7–30 days': 7,
  'over 30 days': 30,
};

/** Shows open cases by age and amount, one currency at a time. */
class CasesAgeing extends elementWith({
  /** Currency of the queue. If empty, the currency with the most cases is shown. */
  currency: '',
  /** Incremented when cases are changed on this page. */
  revision: 0,
  /** Whether the user chose the cases of unknown currency, for which the queue has no filter. */
  isUnknownShown: false,
}) {
  readonly #ageing = new Loader(this, {
    args: () => [this.revision] as const,
    task: (_, { signal }) => get<Ageing>('/cases/ageing', {}, signal),
  });

  protected override render() {
    const { ageing } = texts().cases;
    return cardView(
      ageing.title,
      loadedView(this.#ageing, (answer) => this.#view(answer)),
      exportLinks('ageing'),
    );
  }

  #view({ cells, assumedCurrency }: Ageing) {
    const { ageing, none } = texts().cases;
    if (cells.length === 0) return quiet(none);
    const counts = new Map<string, number>();
    for (const { currency, count } of cells) {
      counts.set(currency, (counts.get(currency) ?? 0) + count);
    }
    const most = [...counts].sort((a, b) => b[1] - a[1]).map(([currency]) => currency);
    const wanted = this.currency || (this.isUnknownShown ? '' : most[0]);
    const shown = wanted !== undefined && counts.has(wanted) ? wanted : (most[0] ?? '');
    const own = cells.filter(({ currency }) => currency === shown);
    const sum = (some: readonly Ageing['cells'][number][]) => ({
      count: some.reduce((total, { count }) => total + count, 0),
      amount: some.some(({ amount }) => amount === null)
        ? null
        : some.reduce((total, { amount }) => total + (amount ?? 0), 0),
    });
    const all = sum(own);
    const late = sum(own.filter(({ days }) => old.includes(days)));
    return html`<div class="ageing-grid">
      <div class="figures">
        ${most.length === 1 ? nothing : this.#currenciesView(most, counts, shown)}
        ${pairsView('figures', [
          [ageing.open, formats().number(all.count)],
          [ageing.amount, amountView(all.amount, shown)],
          [
            ageing.old,
            html`${formats().number(late.count)} <small>${amountView(late.amount, shown)}</small>`,
          ],
        ])}
        ${assumedCurrency === 0 ? nothing : quiet(ageing.assumed(assumedCurrency))}
      </div>
      <console-chart
        .label=${ageing.title}
        .content=${ageingChart(own, shown, {
          summary: ageing.summary(all.count, formats().amount(all.amount, shown), late.count),
          onAge: (age) => setFilters({ days: String(firstDay[age]), currency: shown }),
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

/** Returns the aging chart, with each bar split by amount. */
function ageingChart(
  cells: Ageing['cells'],
  currency: string,
  { summary, onAge }: { summary: string; onAge: (age: Age) => void },
): ChartContent {
  const { cases, common } = texts();
  const { ageing } = cases;
  const ages = Object.keys(ageing.days) as Age[];
  const moneys = Object.keys(ageing.money) as Money[];
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
    name: `cases-ageing-${currency}`,
    summary,
    columns: [cases.age, ...moneys.map((money) => ageing.money[money]), common.amount],
    rows: rows.map(({ age, counts, total }) => [
      ageing.days[age],
      ...counts.map((count) => formats().number(count)),
      formats().amount(total, currency),
    ]),
    labels: ages.map((age) => ageing.days[age]),
    bars: moneys.map((money, index) => ({
      label: ageing.money[money],
      data: rows.map(({ counts }) => counts[index] ?? 0),
      colour: (['neutral', 'brand', 'warn', 'bad'] as const)[index] ?? 'bad',
    })),
    isStacked: true,
    thickness: 56,
    onBar: (index) => ages[index] && onAge(ages[index]),
  };
}

customElements.define('cases-ageing', CasesAgeing);
