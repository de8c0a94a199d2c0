import { html } from 'lit';
import type { Forecast, Lags } from '@financing-checkout/contract/reconciliation';
import { tables } from '@financing-checkout/contract/plain';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/bars.ts';
import { declaredColumns } from '../../parts/declared.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { loadCall } from '../../parts/loader.ts';
import { filters, paths } from '../../parts/navigation.ts';
import { emptyView, loadedView, reliabilityView } from '../../parts/states.ts';
import { amountView } from '../../parts/values.ts';
import { cardView, pairsView, quiet } from '../../parts/views.ts';
import { calendarView } from './calendar.ts';
import { expectedOf, type Expected } from './forecast.ts';
import { periodOf } from './period.ts';
import {
  leftOutView,
  MoneyTab,
  partOf,
  partView,
  periodView,
  pointOf,
  scopeText,
  shortAmounts,
  zoneView,
} from './tab.ts';

const lagsQuery = () => ({ ...periodOf(filters()), currency: partOf().currency });

/** How long lenders take to fund, and the expected fundings of the next 14 days. */
class MoneyTiming extends MoneyTab {
  readonly #lags = loadCall(this, 'get /lags', () => ({ query: lagsQuery() }));
  readonly #forecast = loadCall(this, 'get /forecast', () => ({}));
  /** All lags, because a lender's certainty does not depend on the shown period. */
  readonly #history = loadCall(this, 'get /lags', () => ({}));

  protected override render() {
    const { timing } = texts().money;
    const { currency } = partOf();
    const links = [
      exportLinks('lags', lagsQuery(), { path: '/lags' }),
      exportLinks('forecast', { currency }, { path: '/forecast' }),
    ];
    return html`${quiet(timing.intro)}
      <div class="filters">${periodView()} ${partView(this.names, 'currency')}</div>
      ${cardView(
        texts().money.calendar.title,
        loadedView(this.#forecast, (forecast) =>
          calendarView(forecast, this.#history.kept, { detail: 'lenders', currency }),
        ),
      )}
      <div class="timing-grid">
        ${cardView(timing.lags, loadedView(this.#lags, lagsView), links[0])}
        ${cardView(timing.forecast, loadedView(this.#forecast, forecastView), links[1])}
      </div>`;
  }
}

function lagsView(lags: Lags) {
  const { common, money, sync } = texts();
  const { timing } = money;
  const { number } = formats();
  const hasOne = new Set(lags.lenders.map(({ currency }) => currency)).size < 2;
  const nameOf = ({ lender, currency }: Lags['lenders'][number]) =>
    hasOne ? [lender] : [lender, currency];
  if (lags.lenders.length === 0) return emptyView(timing.lagsEmpty, undefined, 'clock');
  const columns = declaredColumns<Lags['lenders'][number]>(tables.lags);
  const content: ChartContent = {
    name: ['funding-lag', lags.from, lags.to].filter(Boolean).join('-'),
    scope: scopeText(),
    asOf: lags.asOf,
    summary: timing.lagsSummary(lags.lenders.length),
    columns: columns.map(({ head }) => String(head)),
    rows: lags.lenders.map((row) => columns.map(({ cell }) => String(cell(row)))),
    labels: lags.lenders.map(nameOf),
    bars: [
      {
        label: common.p50_days,
        data: lags.lenders.map(({ p50Days }) => p50Days),
        values: lags.lenders.map(({ p50Days }) => number(p50Days)),
        color: 'brand',
      },
      {
        label: common.p95_days,
        data: lags.lenders.map(({ p95Days }) => p95Days),
        values: lags.lenders.map(({ p95Days }) => number(p95Days)),
        color: 'neutral',
      },
    ],
    isLying: true,
    thickness: 18,
    unit: sync.days,
    tick: (value) => number(value),
  };
  return html`${reliabilityView(lags)}
    <console-chart .label=${timing.lags} .content=${content}></console-chart>
    ${leftOutView(lags)} ${zoneView(lags.zone)}`;
}

function forecastView(forecast: Forecast) {
  const { timing } = texts().money;
  const { currency } = partOf();
  const all = expectedOf(forecast).filter((one) => [undefined, one.currency].includes(currency));
  return html`${reliabilityView(forecast)}
  ${
    all.length === 0
      ? emptyView(timing.forecastEmpty, timing.forecastHint, 'circle-check')
      : all.map((one) => expectedView(one, forecast.asOf))
  }
  ${leftOutView(forecast)}`;
}

function expectedView(one: Expected, asOf: string) {
  const { money, order, shell } = texts();
  const { timing } = money;
  const { currency, amount, late } = one;
  const orders = addressOf(paths.orders, { due: 'late', currency });
  const hint = html`<small>${timing.lateHint(late.count)}</small>
    <a href=${orders}>${shell.orders}</a>`;
  return html`${pairsView('figures', [
    [order.expected, amountView(amount, currency)],
    [
      money.calendar.late,
      html`${amountView(late.amount, currency)} ${late.count === 0 ? '' : hint}`,
      late.count > 0 ? 'bad' : '',
    ],
  ])}
  ${
    one.count === 0
      ? emptyView(timing.forecastEmpty)
      : html`<console-chart
          .label=${timing.forecastChart(currency)}
          .content=${forecastChart(one, asOf)}
        ></console-chart>`
  }
  ${quiet(timing.forecastNote, true)}`;
}

function forecastChart(
  { currency, days: all, amount, count }: Expected,
  asOf: string,
): ChartContent {
  const { common, money, order } = texts();
  const { timing } = money;
  const short = new Intl.DateTimeFormat(formats().locale, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
  return {
    name: `forecast-${currency}`,
    scope: timing.forecast,
    asOf,
    summary: timing.forecastSummary(formats().amount(amount, currency), count),
    columns: [common.day, common.settles, order.expected],
    rows: all.map((one) => [
      ...[formats().day(one.day), formats().number(one.count)],
      formats().amount(one.amount, currency),
    ]),
    labels: all.map((one) => short.format(new Date(one.day))),
    bars: [
      {
        data: all.map((one) => pointOf(one.amount, currency)),
        values: all.map((one) => formats().amount(one.amount, currency)),
        addresses: all.map(({ day, count: settles }) =>
          settles === 0 ? undefined : addressOf(paths.orders, { due: day, currency }),
        ),
        color: 'brand',
      },
    ],
    thickness: 32,
    tick: shortAmounts(currency),
  };
}

customElements.define('money-timing', MoneyTiming);
