import { html, LitElement, nothing } from 'lit';
import type { ageBuckets, moneyBuckets } from '@financing-checkout/contract';
import { get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/chart.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { setFilters } from '../../parts/navigation.ts';
import { Loader } from '../../parts/loader.ts';
import { loadedView } from '../../parts/states.ts';
import { amountView } from '../../parts/values.ts';

type Age = (typeof ageBuckets)[number];
type Money = (typeof moneyBuckets)[number];
/** The answer of `GET /cases/ageing`. */
interface Ageing {
  asOf: string;
  assumedCurrency: number;
  cells: { currency: string; days: Age; money: Money; count: number; amount: number | null }[];
}

const old: readonly Age[] = ['7–30 days', 'over 30 days'];
/** First day of each age, for the filter of the queue. */
const firstDay = {
  'under 1 day': 0,
  '1–3 days': 1,
  '3–7 days': 3,
  '7–30 days': 7,
  'over 30 days': 30,
};

/** Shows open cases by age and amount, one currency at a time. */
class CasesAgeing extends LitElement {
  static override properties = {
    currency: {},
    revision: { type: Number },
    isUnknownShown: { state: true },
  };
  /** Currency of the queue; else the one with most cases is shown. */
  declare currency: string;
  /** Grows when cases were changed here. */
  declare revision: number;
  /** Whether a person chose the cases of unknown currency, for which the queue has no filter. */
  declare isUnknownShown: boolean;
  readonly #task = new Loader(this, {
    args: () => [this.revision] as const,
    task: (_, { signal }) => get<Ageing>('/cases/ageing', {}, signal),
  });

  constructor() {
    super();
    this.isUnknownShown = false;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render() {
    const { ageing } = texts().cases;
    return html`<section class="card ageing" aria-labelledby="ageing-title">
      <div class="row spread">
        <h2 id="ageing-title">${ageing.title}</h2>
        ${exportLinks('ageing')}
      </div>
      ${loadedView(this.#task, (answer) => this.#view(answer))}
    </section>`;
  }

  #view({ cells, assumedCurrency }: Ageing) {
    const { ageing, none } = texts().cases;
    if (cells.length === 0) return html`<p class="quiet">${none}</p>`;
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
        ${
          most.length === 1
            ? nothing
            : html`<div class="pills" role="group" aria-label=${texts().common.currency}>
                ${most.map(
                  (currency) =>
                    html`<button
                      class="pill"
                      aria-pressed=${currency === shown ? 'true' : 'false'}
                      @click=${() => this.#show(currency)}
                    >
                      ${currency || texts().common.unknown} <span>${counts.get(currency)}</span>
                    </button>`,
                )}
              </div>`
        }
        <dl class="figure-list">
          <div>
            <dt>${ageing.open}</dt>
            <dd>${formats().number(all.count)}</dd>
          </div>
          <div>
            <dt>${ageing.amount}</dt>
            <dd>${amountView(all.amount, shown)}</dd>
          </div>
          <div>
            <dt>${ageing.old}</dt>
            <dd>
              ${formats().number(late.count)}
              <small>${amountView(late.amount, shown)}</small>
            </dd>
          </div>
        </dl>
        ${
          assumedCurrency === 0
            ? nothing
            : html`<p class="quiet">${ageing.assumed(assumedCurrency)}</p>`
        }
      </div>
      <console-chart
        label=${ageing.title}
        .content=${ageingChart(own, shown, {
          summary: ageing.summary(all.count, formats().amount(all.amount, shown), late.count),
          onAge: (age) => setFilters({ days: String(firstDay[age]), currency: shown }),
        })}
      ></console-chart>
    </div>`;
  }

  #show(currency: string): void {
    this.isUnknownShown = currency === '';
    setFilters({ currency });
  }
}

/** Returns the chart of the ages, each bar split by amount. */
function ageingChart(
  cells: Ageing['cells'],
  currency: string,
  { summary, onAge }: { summary: string; onAge: (age: Age) => void },
): ChartContent {
  const { ageing } = texts().cases;
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
    columns: [ageing.column, ...moneys.map((money) => ageing.money[money]), ageing.total],
    rows: rows.map(({ age, counts, total }) => [
      ageing.days[age],
      ...counts.map((count) => formats().number(count)),
      formats().amount(total, currency),
    ]),
    configuration: (colours) => ({
      type: 'bar',
      data: {
        labels: ages.map((age) => ageing.days[age]),
        datasets: moneys.map((money, index) => ({
          label: ageing.money[money],
          data: rows.map(({ counts }) => counts[index] ?? 0),
          backgroundColor: [colours.neutral, colours.brand, colours.warn, colours.bad][index] ?? '',
          borderRadius: 2,
          maxBarThickness: 56,
        })),
      },
      options: {
        onClick: (_event, elements) => {
          const age = ages[elements[0]?.index ?? -1];
          if (age !== undefined) onAge(age);
        },
        plugins: {
          legend: {
            position: 'bottom',
            labels: { color: colours.text, boxWidth: 10, boxHeight: 10 },
          },
        },
        scales: {
          x: { stacked: true, grid: { display: false }, ticks: { color: colours.text } },
          y: {
            stacked: true,
            grid: { color: colours.grid },
            border: { display: false },
            ticks: { color: colours.text, precision: 0, maxTicksLimit: 5 },
          },
        },
      },
    }),
  };
}

customElements.define('cases-ageing', CasesAgeing);
