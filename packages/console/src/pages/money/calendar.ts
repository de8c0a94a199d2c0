import { html, type TemplateResult } from 'lit';
import type { Forecast, Lags } from '@financing-checkout/contract/reconciliation';
import { addDays } from '@financing-checkout/contract/money';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { paths } from '../../parts/navigation.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView } from '../../parts/values.ts';
import { quiet } from '../../parts/views.ts';
import { sumOf, type Sum } from './forecast.ts';

/** A column of the calendar; its days are inclusive. */
interface Span {
  name: 'late' | 'thisWeek' | 'nextWeek';
  /** Value of the order filter: `late`, or the first and last day. */
  due: string;
  /** The days; empty for late amounts. */
  days: string;
}

/** What one lender, or all lenders in a currency, should post. Amounts in minor units. */
export interface Arrival {
  currency: string;
  /** Undefined if no funding has named the lender yet; null for all lenders. */
  lender: string | undefined | null;
  /** By span. An amount is null if it is too large to be exact. */
  sums: Sum[];
  lag: Lags['lenders'][number] | undefined;
}

/** Returns the spans for late amounts, the rest of this week, and next week; weeks end on Sunday. */
export function spansOf(asOf: string): Span[] {
  const { isoDay } = formats();
  const today = isoDay(Date.parse(asOf));
  const left = (7 - new Date(today).getUTCDay()) % 7;
  const sunday = addDays(today, left);
  const week = (name: Span['name'], from: string, to: string): Span => ({
    name,
    due: from === to ? from : `${from}..${to}`,
    days: daysText(from, to),
  });
  return [
    { name: 'late', due: 'late', days: '' },
    week('thisWeek', today, sunday),
    week('nextWeek', addDays(sunday, 1), addDays(sunday, 7)),
  ];
}

/** Returns the arrivals by currency and lender, with each currency's sums at its end. */
export function arrivalsOf(forecast: Forecast, lags: Lags | undefined): Arrival[] {
  const spans = spansOf(forecast.asOf);
  const isIn = ({ due }: Span, day: string | undefined) => {
    if (due === 'late' || day === undefined) return due === 'late' && day === undefined;
    const [from = '', to = from] = due.split('..');
    return day >= from && day <= to;
  };
  const sumsOf = (parts: Forecast['lenders']) =>
    spans.map((span) => sumOf(parts.filter(({ day }) => isIn(span, day))));
  const byCurrency = Map.groupBy(forecast.lenders, ({ currency }) => currency);
  return [...byCurrency].flatMap(([currency, parts]): Arrival[] => [
    ...[...Map.groupBy(parts, ({ lender }) => lender)].map(([lender, own]) => ({
      currency,
      lender,
      sums: sumsOf(own),
      lag: lags?.lenders.find((one) => one.lender === lender && one.currency === currency),
    })),
    { currency, lender: null, sums: sumsOf(parts), lag: undefined },
  ]);
}

/**
 * Shows the postings expected this week and next week, and those that are late. Each amount opens
 * its orders.
 * @param detail `lenders`: a row for each lender and its certainty; `currencies`: only the sums
 */
export function calendarView(
  forecast: Forecast,
  lags: Lags | undefined,
  { detail, currency }: { detail: 'lenders' | 'currencies'; currency?: string | undefined },
): TemplateResult {
  const { calendar } = texts().money;
  const rows = arrivalsOf(forecast, lags).filter(
    (one) =>
      (currency === undefined || one.currency === currency) &&
      (detail === 'lenders' || one.lender === null),
  );
  if (rows.length === 0) return quiet(texts().money.timing.forecastEmpty);
  return html`${tableView({
      label: `${calendar.title}: ${detail === 'lenders' ? texts().common.lender : texts().common.currency}`,
      columns: columnsOf(spansOf(forecast.asOf), detail),
      rows,
      rowClass: ({ lender }) => (detail === 'lenders' && lender === null ? 'total' : ''),
      class: 'cash-calendar',
    })}
    <div class="row spread">
      ${quiet(calendar.note, true)} ${exportLinks('forecast', { currency }, { path: '/forecast' })}
    </div>`;
}

function columnsOf(spans: readonly Span[], detail: 'lenders' | 'currencies'): Column<Arrival>[] {
  const { common, money } = texts();
  const { calendar } = money;
  const name: Column<Arrival> = {
    head: detail === 'lenders' ? common.lender : common.currency,
    isName: true,
    cell: ({ currency, lender }) =>
      detail === 'currencies'
        ? currency
        : lender === null
          ? calendar.all(currency)
          : (lender ?? calendar.unknownLender),
  };
  const amounts = spans.map((span, at): Column<Arrival> => ({
    head: html`${calendar[span.name]} <small class="quiet">${span.days}</small>`,
    label: `${calendar[span.name]} ${span.days}`.trim(),
    class: 'end',
    cell: ({ currency, lender, sums }) => {
      const { amount, count } = sums[at] ?? { amount: 0, count: 0 };
      if (count === 0) return html`<span class="quiet">–</span>`;
      const address = addressOf(paths.orders, {
        due: span.due,
        currency,
        lender: lender ?? undefined,
        lenderUnknown: lender === undefined ? 'true' : undefined,
      });
      return html`<a href=${address}>${amountView(amount, currency)}</a>
        <small class="quiet">${calendar.settles(count)}</small>`;
    },
  }));
  const certainty: Column<Arrival> = {
    head: calendar.certainty,
    class: 'minor',
    cell: ({ lag, lender }) =>
      lender === null
        ? ''
        : html`<span class="quiet"
            >${
              lag === undefined
                ? calendar.noHistory
                : calendar.within(formats().number(lag.p95Days), lag.count)
            }</span
          >`,
  };
  return detail === 'lenders' ? [name, ...amounts, certainty] : [name, ...amounts];
}

/** Formats days without a year: "Nov 27 – 29". */
function daysText(from: string, to: string): string {
  const format = new Intl.DateTimeFormat(formats().locale, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
  return format.formatRange(new Date(from), new Date(to));
}
