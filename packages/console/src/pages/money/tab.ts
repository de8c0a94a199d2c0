import { html, nothing, type TemplateResult } from 'lit';
import { formats, texts } from '../../locale/locale.ts';
import { elementWith, oneOf } from '../../parts/element.ts';
import { dateField, selectField } from '../../parts/fields.ts';
import { lenderField } from '../../parts/lender-field.ts';
import { filters, setFilters } from '../../parts/navigation.ts';
import { reliabilityView } from '../../parts/states.ts';
import { plainButton, quiet } from '../../parts/views.ts';
import { lastFullMonth, monthOf, type Period, periodOf } from './period.ts';

/** A section of the money page. */
export abstract class MoneyTab extends elementWith({
  /** The query string of the URL. */
  search: '',
  /** Known lenders and currencies, for the filters. */
  names: oneOf<Names>({ lenders: [], currencies: [] }),
}) {}

export interface Names {
  lenders: readonly string[];
  currencies: readonly string[];
}

/** Returns the lender and the currency in the URL. */
export function partOf(): { lender: string | undefined; currency: string | undefined } {
  const { lender, currency } = filters();
  return { lender, currency };
}

/** Returns the period, lender and currency in the URL as query parameters for sums. */
export const sumsQuery = () => ({ ...periodOf(filters()), ...partOf() });

/**
 * Returns a chart's file name, with its currency and days.
 * @param days default: those in the URL
 */
export function fileName(chart: string, currency: string, days = periodOf(filters())): string {
  return [chart, currency, days.from, days.to].filter(Boolean).join('-');
}

/**
 * Describes the days and the lender in the URL, with the time zone of the days.
 * @param days default: those in the URL
 */
export function scopeText(days = periodOf(filters())): string {
  const { common, money } = texts();
  const { from, to } = days;
  const { lender } = partOf();
  const dayOf = (day: string | undefined) => (day === undefined ? '…' : formats().day(day));
  return [
    ...(lender === undefined ? [] : [lender]),
    money.days(dayOf(from), dayOf(to)),
    common.zone(formats().zone),
  ].join(' · ');
}

/** Shows a period picker by months and days. */
export function periodView() {
  const { common, money } = texts();
  const chosen = periodOf(filters());
  const anchor = chosen.from ?? chosen.to ?? lastFullMonth().from;
  const go = ({ from, to }: Period) => setFilters({ from, to });
  const input = (name: 'from' | 'to') =>
    dateField(common[name], chosen[name] ?? '', (value) =>
      setFilters({ ...chosen, [name]: value }),
    );
  const step = (label: string, icon: string, distance: number) =>
    plainButton(nothing, () => go(monthOf(anchor, distance)), { icon, label });
  return html`<div class="period" role="group" aria-label=${common.period}>
    ${input('from')} ${input('to')} ${step(money.previous, 'chevron-left', -1)}
    ${step(money.next, 'chevron-right', 1)}
  </div>`;
}

/** Shows the lender and currency filters. A fragment of a lender's name in any letter case is enough. */
export function partView({ lenders, currencies }: Names, only: 'both' | 'currency' = 'both') {
  const { common } = texts();
  const { currency = '', lender = '' } = partOf();
  const all =
    currency === '' || currencies.includes(currency) ? currencies : [...currencies, currency];
  const options = all.map((one) => [one, one] as const);
  return html`${
    only === 'both'
      ? lenderField(common.lender, lender, lenders, (one) => setFilters({ lender: one }))
      : nothing
  }
  ${selectField(common.currency, [['', common.all], ...options], currency, (one) =>
    setFilters({ currency: one }),
  )}`;
}

/** Shows the filters of the sums, with the export links. */
export function sumsFilters(names: Names, links: TemplateResult) {
  return html`<div class="filters">${periodView()} ${partView(names)} ${links}</div>`;
}

/** Counts of fundings that no sum includes. */
export interface LeftOut {
  withoutCurrency: number;
  assumedCurrency: number;
}

type Sums<Row> = LeftOut & Parameters<typeof reliabilityView>[0] & { rows: Row[]; zone: string };

/** Describes the fundings that are not included in any sum. */
export function leftOutTexts({
  withoutCurrency = 0,
  assumedCurrency = 0,
}: Partial<LeftOut>): string[] {
  const { money } = texts();
  return [
    ...(withoutCurrency === 0 ? [] : [money.leftOut(withoutCurrency)]),
    ...(assumedCurrency === 0 ? [] : [money.assumed(assumedCurrency)]),
  ];
}

/** Shows the fundings that are not included in any sum. */
export function leftOutView(answer: Partial<LeftOut>) {
  return leftOutTexts(answer).map((text) => quiet(text));
}

/**
 * Shows rows by currency, with the fundings that their sums exclude and the time zone of their
 * days.
 */
export function currenciesView<Row extends { currency: string }>(
  answer: Sums<Row>,
  empty: TemplateResult,
  viewOf: (currency: string, rows: readonly Row[], asOf: string) => TemplateResult,
) {
  const byCurrency = Map.groupBy(answer.rows, ({ currency }) => currency);
  return html`${reliabilityView(answer)}
  ${byCurrency.size === 0 ? empty : [...byCurrency].map(([currency, rows]) => viewOf(currency, rows, answer.asOf))}
  ${leftOutView(answer)} ${zoneView(answer.zone)}`;
}

/** Shows the time zone of the days. */
export const zoneView = (zone: string) => quiet(texts().common.zone(zone), true);

/** Returns a formatter of compact amounts in one currency for axis ticks: "12K". */
export function shortAmounts(currency: string): (value: number) => string {
  const format = new Intl.NumberFormat(formats().locale, {
    style: currency === '' ? 'decimal' : 'currency',
    currency: currency || undefined,
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  return (value) => format.format(value);
}

/** Returns an amount in major units for a chart. */
export function pointOf(minor: number | null, currency: string): number {
  return (minor ?? 0) / 10 ** formats().decimals(currency);
}
