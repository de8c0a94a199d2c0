import { html } from 'lit';
import type { Forecast, Lags } from '@financing-checkout/contract';
import { addressOf, get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import '../../parts/chart.ts';
import type { ChartContent } from '../../parts/chart.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { filters, paths } from '../../parts/navigation.ts';
import { Loader } from '../../parts/loader.ts';
import { emptyView, reliabilityView, loadedView } from '../../parts/states.ts';
import { amountView } from '../../parts/values.ts';
import { expectedOf, type Expected } from './forecast.ts';
import { periodOf } from './period.ts';
import {
  leftOutView,
  MoneyTab,
  partOf,
  partView,
  periodView,
  pointOf,
  shortAmounts,
  sizeOf,
} from './tab.ts';

/** The time that lenders take, and the fundings of the next 14 days. */
class MoneyTiming extends MoneyTab {
  readonly #lags = new Loader(this, {
    args: () => [this.search] as const,
    task: (_, { signal }) => {
      const { currency } = partOf();
      return get<Lags>('/lags', { ...periodOf(filters()), currency }, signal);
    },
  });
  readonly #forecast = new Loader(this, {
    args: () => [] as const,
    task: (_, { signal }) => get<Forecast>('/forecast', {}, signal),
  });

  protected override render() {
    const { timing } = texts().money;
    return html`<p class="quiet">${timing.intro}</p>
      <div class="filters">${periodView()} ${partView(this.names, 'currency')}</div>
      <div class="timing-grid">
        <section class="card" aria-labelledby="lags-title">
          <div class="row spread">
            <h2 id="lags-title">${timing.lags}</h2>
            ${exportLinks('lags', { ...periodOf(filters()), currency: partOf().currency })}
          </div>
          ${loadedView(this.#lags, (lags) => lagsView(lags))}
        </section>
        <section class="card" aria-labelledby="forecast-title">
          <div class="row spread">
            <h2 id="forecast-title">${timing.forecast}</h2>
            ${exportLinks('forecast', { currency: partOf().currency })}
          </div>
          ${loadedView(this.#forecast, (forecast) => forecastView(forecast))}
        </section>
      </div>`;
  }
}

const days = (value: number): string => formats().number(value);

function lagsView(lags: Lags) {
  const { common, money } = texts();
  const { timing } = money;
  const hasOne = new Set(lags.lenders.map(({ currency }) => currency)).size < 2;
  const nameOf = ({ lender, currency }: Lags['lenders'][number]) =>
    hasOne ? [lender] : [lender, currency];
  if (lags.lenders.length === 0) return emptyView(timing.lagsEmpty, undefined, 'clock');
  const content: ChartContent = {
    name: ['funding-lag', lags.from, lags.to].filter(Boolean).join('-'),
    summary: timing.lagsSummary(lags.lenders.length),
    columns: [common.lender, common.currency, timing.settles, timing.p50, timing.p95],
    rows: lags.lenders.map((row) => [
      ...[row.lender, row.currency, formats().number(row.count)],
      ...[days(row.p50Days), days(row.p95Days)],
    ]),
    configuration: (colours) => ({
      type: 'bar',
      data: {
        labels: lags.lenders.map(nameOf),
        datasets: [
          {
            label: timing.p50,
            data: lags.lenders.map(({ p50Days }) => p50Days),
            backgroundColor: colours.brand,
            borderRadius: 3,
            maxBarThickness: 18,
          },
          {
            label: timing.p95,
            data: lags.lenders.map(({ p95Days }) => p95Days),
            backgroundColor: colours.neutral,
            borderRadius: 3,
            maxBarThickness: 18,
          },
        ],
      },
      options: {
        indexAxis: 'y',
        plugins: {
          legend: {
            position: 'bottom',
            labels: { color: colours.text, boxWidth: 10, boxHeight: 10 },
          },
        },
        scales: {
          x: {
            beginAtZero: true,
            title: { display: true, text: timing.daysUnit, color: colours.text },
            grid: { color: colours.grid },
            border: { display: false },
            ticks: { color: colours.text },
          },
          y: { grid: { display: false }, ticks: { color: colours.text, autoSkip: false } },
        },
      },
    }),
  };
  return html`${reliabilityView(lags)}
    <console-chart
      class=${sizeOf(lags.lenders.length)}
      label=${timing.lags}
      .content=${content}
    ></console-chart>
    ${leftOutView(lags)}
    <p class="quiet small">${money.zone(lags.zone)}</p>`;
}

function forecastView(forecast: Forecast) {
  const { timing } = texts().money;
  const { currency } = partOf();
  const all = expectedOf(forecast).filter((one) => [undefined, one.currency].includes(currency));
  return html`${reliabilityView(forecast)}
  ${
    all.length === 0
      ? emptyView(timing.forecastEmpty, timing.forecastHint, 'circle-check')
      : all.map((one) => expectedView(one))
  }
  ${leftOutView(forecast)}`;
}

function expectedView(one: Expected) {
  const { timing } = texts().money;
  const { currency, amount, late } = one;
  return html`<dl class="figure-list across">
      <div>
        <dt>${timing.expected}</dt>
        <dd>${amountView(amount, currency)}</dd>
      </div>
      <div>
        <dt>${timing.late}</dt>
        <dd class=${late.count > 0 ? 'bad' : ''}>
          ${amountView(late.amount, currency)}
          ${
            late.count === 0
              ? ''
              : html`<small>${timing.lateHint(late.count)}</small>
                  <a href=${addressOf(paths.cases, { code: 'MISSING_AT_LENDER', currency })}
                    >${timing.lateOrders}</a
                  >`
          }
        </dd>
      </div>
    </dl>
    ${
      one.count === 0
        ? emptyView(timing.forecastEmpty)
        : html`<console-chart
            label=${timing.forecastChart(currency)}
            .content=${forecastChart(one)}
          ></console-chart>`
    }
    <p class="quiet small">${timing.forecastNote}</p>`;
}

function forecastChart({ currency, days: all, amount, count }: Expected): ChartContent {
  const { timing } = texts().money;
  const short = new Intl.DateTimeFormat(formats().locale, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
  return {
    name: `forecast-${currency}`,
    summary: timing.forecastSummary(formats().amount(amount, currency), count),
    columns: [timing.day, timing.settles, timing.expected],
    rows: all.map((one) => [
      ...[formats().day(one.day), formats().number(one.count)],
      formats().amount(one.amount, currency),
    ]),
    configuration: (colours) => ({
      type: 'bar',
      data: {
        labels: all.map((one) => short.format(new Date(one.day))),
        datasets: [
          {
            label: timing.expected,
            data: all.map((one) => pointOf(one.amount, currency)),
            backgroundColor: colours.brand,
            borderRadius: 3,
            maxBarThickness: 32,
          },
        ],
      },
      options: {
        plugins: { legend: { display: false } },
        scales: {
          x: { grid: { display: false }, ticks: { color: colours.text, maxRotation: 0 } },
          y: {
            beginAtZero: true,
            grid: { color: colours.grid },
            border: { display: false },
            ticks: { color: colours.text, maxTicksLimit: 6, callback: shortAmounts(currency) },
          },
        },
      },
    }),
  };
}

customElements.define('money-timing', MoneyTiming);
