import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { formats, texts } from '../../locale/locale.ts';
import { filters, setFilters } from '../../parts/navigation.ts';
import { reliabilityView } from '../../parts/states.ts';
import { lastFullMonth, monthOf, type Period, periodOf } from './period.ts';

/** A section of the money page, without a shadow root. */
export abstract class MoneyTab extends LitElement {
  static override properties = { search: { attribute: false }, names: { attribute: false } };
  /** The query of the address. */
  declare search: string;
  /** Known lenders and currencies, for the filters. */
  declare names: Names;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

export interface Names {
  lenders: readonly string[];
  currencies: readonly string[];
}

/** Returns lender and currency of the address. */
export function partOf(): { lender: string | undefined; currency: string | undefined } {
  const { lender, currency } = filters();
  return { lender, currency };
}

/** Returns period, lender and currency of the address, as the questions for sums take them. */
export const sumsQuery = () => ({ ...periodOf(filters()), ...partOf() });

/** Returns the name of a chart's file: its currency and the period. */
export function fileName(chart: string, currency: string): string {
  const { from, to } = periodOf(filters());
  return [chart, currency, from, to].filter(Boolean).join('-');
}

/** Shows a choice of period by months and days. */
export function periodView() {
  const { common, money } = texts();
  const chosen = periodOf(filters());
  const anchor = chosen.from ?? chosen.to ?? lastFullMonth().from;
  const go = ({ from, to }: Period) => setFilters({ from, to });
  const change = (name: 'from' | 'to') => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    setFilters({ ...chosen, [name]: value });
  };
  const input = (name: 'from' | 'to') =>
    html`<label>
      <span>${common[name]}</span>
      <input type="date" .value=${chosen[name] ?? ''} @change=${change(name)} />
    </label>`;
  return html`<div class="period" role="group" aria-label=${money.period}>
    ${input('from')} ${input('to')}
    <button
      type="button"
      class="plain step"
      aria-label=${money.previous}
      title=${money.previous}
      @click=${() => go(monthOf(anchor, -1))}
    >
      <wa-icon name="chevron-left"></wa-icon>
    </button>
    <button
      type="button"
      class="plain step"
      aria-label=${money.next}
      title=${money.next}
      @click=${() => go(monthOf(anchor, 1))}
    >
      <wa-icon name="chevron-right"></wa-icon>
    </button>
  </div>`;
}

/** Shows the choices of lender and currency. */
export function partView({ lenders, currencies }: Names, only: 'both' | 'currency' = 'both') {
  const { common } = texts();
  const chosen = partOf();
  const select = (name: 'lender' | 'currency', values: readonly string[]) => {
    const value = chosen[name] ?? '';
    const all = value === '' || values.includes(value) ? values : [...values, value];
    return html`<label>
      <span>${common[name]}</span>
      <select
        @change=${({ currentTarget }: Event) =>
          setFilters({ [name]: (currentTarget as HTMLSelectElement).value })}
      >
        <option value="" .selected=${value === ''}>${common.all}</option>
        ${all.map((one) => html`<option value=${one} .selected=${one === value}>${one}</option>`)}
      </select>
    </label>`;
  };
  return html`${only === 'both' ? select('lender', lenders) : nothing}
  ${select('currency', currencies)}`;
}

/** Shows the choices of the sums, with the links to their files. */
export function sumsFilters(names: Names, links: TemplateResult) {
  return html`<div class="filters">${periodView()} ${partView(names)} ${links}</div>`;
}

/** Returns the font of labels beside bars: smaller where the page is narrow. */
export function labelFont(): { size: number } {
  return { size: innerWidth < 480 ? 10 : 12 };
}

/** Returns the class of a chart with so many bars that lie. */
export function sizeOf(bars: number): string {
  return bars <= 2 ? 'low' : bars <= 6 ? '' : 'tall';
}

/** Numbers of fundings that no sum includes. */
export interface LeftOut {
  withoutCurrency: number;
  assumedCurrency: number;
}

type Sums<Row> = LeftOut & Parameters<typeof reliabilityView>[0] & { rows: Row[]; zone: string };

/** Names the fundings that no sum includes. */
export function leftOutTexts({ withoutCurrency, assumedCurrency }: LeftOut): string[] {
  const { money } = texts();
  return [
    ...(withoutCurrency === 0 ? [] : [money.leftOut(withoutCurrency)]),
    ...(assumedCurrency === 0 ? [] : [money.assumed(assumedCurrency)]),
  ];
}

/** Shows the fundings that no sum includes. */
export function leftOutView(answer: LeftOut) {
  return leftOutTexts(answer).map((text) => html`<p class="quiet">${text}</p>`);
}

/** Shows rows currency by currency, with what their sums leave out and the zone of their days. */
export function currenciesView<Row extends { currency: string }>(
  answer: Sums<Row>,
  empty: TemplateResult,
  viewOf: (currency: string, rows: readonly Row[]) => TemplateResult,
) {
  const byCurrency = Map.groupBy(answer.rows, ({ currency }) => currency);
  return html`${reliabilityView(answer)}
    ${byCurrency.size === 0 ? empty : [...byCurrency].map(([currency, rows]) => viewOf(currency, rows))}
    ${leftOutView(answer)}
    <p class="quiet small">${texts().money.zone(answer.zone)}</p>`;
}

/** Returns amounts of one currency in short for the ticks of an axis: "12K". */
export function shortAmounts(currency: string): (value: string | number) => string {
  const format = new Intl.NumberFormat(formats().locale, {
    ...(currency === '' ? {} : { style: 'currency', currency }),
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  return (value) => format.format(Number(value));
}

/** Returns an amount in major units, as a chart wants it. */
export function pointOf(minor: number | null, currency: string): number {
  return (minor ?? 0) / 10 ** formats().decimals(currency);
}
