import { html, nothing } from 'lit';
import type { Coverage, FundingDay } from '@financing-checkout/contract/reconciliation';
import { tables } from '@financing-checkout/contract/plain';
import { addDays } from '@financing-checkout/contract/money';
import { call } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { declaredColumns } from '../../parts/declared.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { Loader } from '../../parts/loader.ts';
import { loadedView } from '../../parts/states.ts';
import { tableView } from '../../parts/table.ts';
import { badgeView, headView, maybe, pairsView, plainButton, quiet } from '../../parts/views.ts';
import {
  type CalendarDay,
  type DayState,
  lastDayOf,
  monthFrom,
  stateOf,
  weeksOf,
} from './months.ts';

/** Number of months shown at a time. */
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

/** The report's days, in one table per month. Fires `read-again` with a day. */
class DayCalendar extends elementWith({
  coverage: {} as Coverage,
  /** Whether the user has permission to sync a day again. */
  mayRead: false,
  /** The last month shown. */
  last: optional<string>(),
  chosen: optional<string>(),
}) {
  #wantsFocus = false;

  readonly #days = new Loader(this, {
    task: async ([, from, to], { signal }) => {
      const { days } = await call('get /days', { query: { from, to }, signal });
      return new Map(days.map((day) => [day.day, day]));
    },
    args: () => [this.coverage, this.#span().from, this.#span().to] as const,
  });

  #last(): string {
    return this.last ?? this.coverage.to?.slice(0, 7) ?? '';
  }

  /** Returns the first and last day shown. */
  #span(): { from: string; to: string } {
    return { from: `${monthFrom(this.#last(), 1 - SHOWN)}-01`, to: lastDayOf(this.#last()) };
  }

  #months(): string[] {
    const first = this.coverage.from?.slice(0, 7) ?? '';
    return Array.from({ length: SHOWN }, (_, index) => monthFrom(this.#last(), -index))
      .filter((month) => month >= first)
      .toReversed();
  }

  /** The only day in the tab order (roving tabindex); arrow keys move to the others. */
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
    const { common, sync } = texts();
    const { from = '', to = '' } = this.coverage;
    const hasEarlier = monthFrom(this.#last(), 1 - SHOWN) > from.slice(0, 7);
    const hasLater = this.#last() < to.slice(0, 7);
    const tools = html`<div class="row">
      ${exportLinks('fundings-days', this.#span(), { path: '/days' })}
      ${plainButton(sync.earlier, () => this.#page(-SHOWN), { icon: 'chevron-left', disabled: !hasEarlier })}
      ${plainButton(sync.later, () => this.#page(SHOWN), { icon: 'chevron-right', disabled: !hasLater })}
    </div>`;
    return html`${headView(sync.calendar, tools)}
    ${quiet(`${sync.calendarHelp} ${common.zone(this.coverage.zone)}.`)} ${legendView()}
    ${loadedView(this.#days, (days) => this.#monthsView(days))}`;
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
    // Monday to Sunday.
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
      ${maybe(reason, (text) => html`<p>${text}</p>`)} ${maybe(proof, proofView)}
    </section>`;
  }
}

/** Shows a day's proof, with its sums. */
function proofView(proof: FundingDay) {
  const { common, sync } = texts();
  const { number, moment } = formats();
  const { records, passes, pages, syncedAt, quarantined, assumedCurrency } = proof;
  const some = (count: number) => (count === 0 ? undefined : number(count));
  return [
    pairsView('facts', [
      [common.records, number(records)],
      [sync.passes, `${number(passes)} · ${number(pages)} ${sync.pages}`],
      [sync.provenAt, syncedAt && moment(syncedAt)],
      [common.quarantined, some(quarantined)],
      [sync.assumed, some(assumedCurrency)],
    ]),
    sumsView(proof),
  ];
}

const long = { month: 'long', year: 'numeric' } as const;

function sumsView({ sums, day }: FundingDay) {
  const { sync, common } = texts();
  const rows = Object.entries(sums).map(([currency, sum]) => ({ ...sum, day, currency }));
  if (rows.length === 0) return nothing;
  const columns = declaredColumns<(typeof rows)[number]>(tables.daySums, {
    own: {
      day: { head: common.currency, cell: ({ currency }) => currency || common.unknown },
      count: { head: common.records },
      amount: { head: sync.transactions },
    },
  });
  return [
    exportLinks('fundings-sums', { from: day, to: day }, { path: '/days/sums' }),
    tableView({ label: formats().day(day), columns, rows }),
  ];
}

/** Shows the state of a day. */
export function stateBadge(state: DayState) {
  const variant = state === 'complete' ? 'success' : state === 'failed' ? 'danger' : 'warning';
  return badgeView(variant, texts().sync.states[state]);
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
