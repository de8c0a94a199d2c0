import { LitElement, html, nothing } from 'lit';
import type { Coverage, FundingDay } from '@financing-checkout/contract';
import { addDays } from '@financing-checkout/contract/calendar';
import { get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { Loader } from '../../parts/loader.ts';
import { loadedView } from '../../parts/states.ts';
import {
  type CalendarDay,
  type DayState,
  lastDayOf,
  monthFrom,
  stateOf,
  weeksOf,
} from './months.ts';

/** Months on one screen. */
const SHOWN = 6;
const icons: Record<DayState, string | undefined> = {
  complete: 'check',
  writing: 'refresh-cw',
  unproven: 'circle-question-mark',
  failed: 'x',
  stale: 'clock',
  'never read': 'minus',
  outside: undefined,
};

/** The days of the report as a table per month. Fires `read-again` with a day. */
class DayCalendar extends LitElement {
  static override properties = {
    coverage: { attribute: false },
    mayRead: { type: Boolean },
    last: { state: true },
    chosen: { state: true },
  };
  declare coverage: Coverage;
  /** Whether the person has the right to read a day again. */
  declare mayRead: boolean;
  /** The last month on the screen. */
  declare last: string | undefined;
  declare chosen: string | undefined;
  #wantsFocus = false;

  readonly #days = new Loader(this, {
    task: async ([, from, to], { signal }) => {
      const { days } = await get<{ days: FundingDay[] }>('/days', { from, to }, signal);
      return new Map(days.map((day) => [day.day, day]));
    },
    args: () => [this.coverage, this.#span().from, this.#span().to] as const,
  });

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  #last(): string {
    return this.last ?? this.coverage.to?.slice(0, 7) ?? '';
  }

  /** The days on the screen. */
  #span(): { from: string; to: string } {
    return { from: `${monthFrom(this.#last(), 1 - SHOWN)}-01`, to: lastDayOf(this.#last()) };
  }

  #months(): string[] {
    const first = this.coverage.from?.slice(0, 7) ?? '';
    return Array.from({ length: SHOWN }, (_, index) => monthFrom(this.#last(), -index))
      .filter((month) => month >= first)
      .toReversed();
  }

  /** The one day in the order of the tab key; arrow keys lead to the others. */
  #current(): string {
    const { to = '' } = this.coverage;
    const newest = this.#last() === to.slice(0, 7) ? to : lastDayOf(this.#last());
    const isShown = this.chosen !== undefined && this.#months().includes(this.chosen.slice(0, 7));
    return isShown ? (this.chosen ?? newest) : newest;
  }

  #key(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -7,
      ArrowDown: 7,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const { from = '', to = '' } = this.coverage;
    const wanted = addDays(this.#current(), step);
    if (wanted < from || wanted > to) return;
    const month = wanted.slice(0, 7);
    if (month > this.#last()) this.last = month;
    else if (month < monthFrom(this.#last(), 1 - SHOWN)) this.last = monthFrom(this.#last(), -1);
    this.chosen = wanted;
    this.#wantsFocus = true;
  }

  protected override updated(): void {
    if (!this.#wantsFocus) return;
    const button = this.querySelector<HTMLElement>(`[data-day="${this.chosen}"]`);
    if (button === null) return;
    button.focus();
    this.#wantsFocus = false;
  }

  #page(distance: number): void {
    this.last = monthFrom(this.#last(), distance);
    this.chosen = undefined;
  }

  protected override render() {
    const { sync } = texts();
    const { from = '', to = '' } = this.coverage;
    const hasEarlier = monthFrom(this.#last(), 1 - SHOWN) > from.slice(0, 7);
    const hasLater = this.#last() < to.slice(0, 7);
    return html`<div class="row spread">
        <h2>${sync.calendar}</h2>
        <div class="row">
          ${exportLinks('days', this.#span())}
          <button class="plain" ?disabled=${!hasEarlier} @click=${() => this.#page(-SHOWN)}>
            <wa-icon name="chevron-left"></wa-icon> ${sync.earlier}
          </button>
          <button class="plain" ?disabled=${!hasLater} @click=${() => this.#page(SHOWN)}>
            ${sync.later} <wa-icon name="chevron-right"></wa-icon>
          </button>
        </div>
      </div>
      <p class="quiet">${sync.calendarHelp} ${sync.zone(this.coverage.zone)}.</p>
      ${legendView()} ${loadedView(this.#days, (days) => this.#monthsView(days))}`;
  }

  #monthsView(proofs: ReadonlyMap<string, FundingDay>) {
    const chosen =
      this.chosen === undefined ? undefined : stateOf(this.chosen, this.coverage, proofs);
    return html`<div class="months" @keydown=${(event: KeyboardEvent) => this.#key(event)}>
        ${this.#months().map((month) => this.#monthView(month, proofs))}
      </div>
      ${chosen === undefined ? nothing : this.#dayView(chosen)}`;
  }

  #monthView(month: string, proofs: ReadonlyMap<string, FundingDay>) {
    const { locale } = formats();
    const name = new Intl.DateTimeFormat(locale, { ...long, timeZone: 'UTC' });
    const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
    const full = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });
    // A week that begins on a Monday.
    const week = Array.from({ length: 7 }, (_, index) => new Date(Date.UTC(2024, 0, 1 + index)));
    return html`<table class="month">
      <caption>
        ${name.format(new Date(`${month}-01`))}
      </caption>
      <thead>
        <tr>
          ${week.map(
            (day) =>
              html`<th scope="col">
                <span aria-hidden="true">${weekday.format(day)}</span
                ><span class="sr">${full.format(day)}</span>
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${weeksOf(month).map(
          (days) =>
            html`<tr>
              ${days.map((day) =>
                day === undefined
                  ? html`<td></td>`
                  : html`<td>${this.#cell(stateOf(day, this.coverage, proofs))}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>`;
  }

  #cell({ day, state, reason }: CalendarDay) {
    const number = String(Number(day.slice(8)));
    if (state === 'outside') return html`<span class="day outside">${number}</span>`;
    const { sync } = texts();
    const label = [formats().day(day), sync.states[state], reason].filter(Boolean).join(', ');
    const icon = icons[state];
    return html`<button
      class="day ${state.replace(' ', '-')}"
      data-day=${day}
      aria-label=${label}
      aria-pressed=${this.chosen === day ? 'true' : 'false'}
      tabindex=${day === this.#current() ? 0 : -1}
      title=${label}
      @click=${() => (this.chosen = day)}
    >
      ${number}${icon === undefined ? nothing : html`<wa-icon name=${icon}></wa-icon>`}
    </button>`;
  }

  #dayView({ day, state, reason, proof }: CalendarDay) {
    const { sync } = texts();
    const { number, moment } = formats();
    return html`<section class="card day-facts" aria-live="polite">
      <div class="row spread">
        <h3>${formats().day(day)} ${stateBadge(state)}</h3>
        ${
          this.mayRead
            ? html`<wa-button
                size="s"
                appearance="outlined"
                @click=${() => this.dispatchEvent(new CustomEvent('read-again', { detail: day }))}
                >${sync.readAgain}</wa-button
              >`
            : nothing
        }
      </div>
      ${reason === undefined ? nothing : html`<p>${reason}</p>`}
      ${
        proof === undefined
          ? nothing
          : html`<dl class="facts">
                <dt>${sync.records}</dt>
                <dd>${number(proof.records)}</dd>
                <dt>${sync.passes}</dt>
                <dd>${number(proof.passes)} · ${number(proof.pages)} ${sync.pages}</dd>
                ${
                  proof.syncedAt === undefined
                    ? nothing
                    : html`<dt>${sync.provenAt}</dt>
                        <dd>${moment(proof.syncedAt)}</dd>`
                }
                ${
                  proof.quarantined === 0
                    ? nothing
                    : html`<dt>${sync.quarantined}</dt>
                        <dd>${number(proof.quarantined)}</dd>`
                }
                ${
                  proof.assumedCurrency === 0
                    ? nothing
                    : html`<dt>${sync.assumed}</dt>
                        <dd>${number(proof.assumedCurrency)}</dd>`
                }
              </dl>
              ${sumsView(proof)}`
      }
    </section>`;
  }
}

const long = { month: 'long', year: 'numeric' } as const;

function sumsView({ sums, day }: FundingDay) {
  const { sync, common } = texts();
  const rows = Object.entries(sums);
  if (rows.length === 0) return nothing;
  const { amount, number } = formats();
  return html`${exportLinks('day-sums', { from: day, to: day })}
    <div class="scroll-x" tabindex="0" role="region" aria-label=${formats().day(day)}>
      <table>
        <thead>
          <tr>
            <th scope="col">${common.currency}</th>
            <th scope="col" class="end">${sync.records}</th>
            <th scope="col" class="end">${sync.transactions}</th>
            <th scope="col" class="end">${sync.discount}</th>
            <th scope="col" class="end">${sync.net}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ([currency, sum]) =>
              html`<tr>
                <th scope="row">${currency || common.unknown}</th>
                <td class="end">${number(sum.count)}</td>
                <td class="end amount">${amount(sum.transaction, currency)}</td>
                <td class="end amount">${amount(sum.discount, currency)}</td>
                <td class="end amount">${amount(sum.net, currency)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/** Shows the state of a day. */
export function stateBadge(state: DayState) {
  const variant = state === 'complete' ? 'success' : state === 'failed' ? 'danger' : 'warning';
  return html`<wa-badge variant=${variant} appearance="filled"
    >${texts().sync.states[state]}</wa-badge
  >`;
}

function legendView() {
  const { states } = texts().sync;
  const shown = ['complete', 'stale', 'unproven', 'failed', 'never read'] as const;
  return html`<ul class="legend" aria-hidden="true">
    ${shown.map(
      (state) =>
        html`<li>
          <span class="day ${state.replace(' ', '-')}"
            ><wa-icon name=${icons[state] ?? 'minus'}></wa-icon
          ></span>
          ${states[state]}
        </li>`,
    )}
  </ul>`;
}

customElements.define('console-day-calendar', DayCalendar);
