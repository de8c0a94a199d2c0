import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '@awesome.me/webawesome/dist/components/tag/tag.js';
import type { Today, TodayItem, TodayKind } from '@financing-checkout/contract/reconciliation';
import { addressOf } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';
import { exportLinks } from '../parts/export-links.ts';
import { filters, paths } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { loadCall } from '../parts/loader.ts';
import { emptyView, reliabilityView, loadedView } from '../parts/states.ts';
import { amountView } from '../parts/values.ts';
import { calloutView, cardView, maybe, quiet } from '../parts/views.ts';
import { calendarView } from './money/calendar.ts';
import './today/action.ts';
import { icons, itemsOf, placeOf, titleOf, urgencyOf } from './today/items.ts';
import { kindView, noneView, sumsOfKinds, sumsView } from './today/kinds.ts';

const EVERY_MS = 60_000;

/** The work that people must do, largest amount first. */
class TodayPage extends Page {
  override readonly heading = texts().shell.today;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #today = loadCall(this, 'get /today', () => ({}));
  readonly #forecast = loadCall(this, 'get /forecast', () => ({}));

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => {
      // A refresh must not discard what the user is typing.
      const isWriting = this.querySelector('dialog[open]') !== null;
      if (document.hidden || isWriting) return;
      void this.#today.run();
      void this.#forecast.run();
    }, EVERY_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override render() {
    return html`<div class="row spread">
        <h1>${this.heading}</h1>
        ${exportLinks('today', { kind: filters().kind }, { path: '/today' })}
      </div>
      ${loadedView(this.#today, (today) => this.#view(today))}`;
  }

  #view(today: Today) {
    const { today: words, common } = texts();
    const { kind: chosen } = filters();
    const shown = itemsOf(today, filters());
    const all = Object.entries(today.counts)
      .filter(([kind]) => chosen === undefined || kind === chosen)
      .reduce((sum, [, count]) => sum + count, 0);
    const hidden = all - itemsOf(today, { kind: chosen }).length;
    const isSetUp = today.ledger === 'set-up';
    const kinds = Object.entries(today.counts) as [TodayKind, number][];
    return html`${isSetUp ? setUpView() : nothing} ${reliabilityView(today)}
      ${today.unavailable.length > 0 ? calloutView('warning', common.partial, { size: 's' }) : nothing}
      <ul class="pills" aria-label=${words.kindsLabel}>
        ${kinds.map(([kind, count]) => kindView(kind, count))}
      </ul>
      ${noneView(kinds)} ${maybe(chosen, (kind) => sumsView(kind as TodayKind, today))}
      ${
        shown.length === 0
          ? isSetUp
            ? nothing
            : chosen === undefined
              ? emptyView(words.nothing, words.nothingHint, 'badge-check')
              : emptyView(words.nothingOfKind)
          : html`<ol class="work">
              ${repeat(
                shown,
                // Keyed, so that a dialog and its key stay with their item when the list changes.
                ({ kind, id }) => `${kind}:${id}`,
                (item) => this.#itemView(item),
              )}
            </ol>`
      }
      ${hidden > 0 ? quiet(words.hidden(hidden)) : nothing}
      ${chosen === undefined ? sumsOfKinds(kinds, today) : nothing} ${this.#calendarView()}`;
  }

  /**
   * Shows expected arrivals. If the forecast cannot be read, shows nothing, because the work is
   * more urgent.
   */
  #calendarView() {
    const { kept } = this.#forecast;
    if (kept === undefined || kept.lenders.length === 0) return nothing;
    const { calendar } = texts().money;
    return cardView(
      calendar.title,
      calendarView(kept, undefined, { detail: 'currencies' }),
      html`<a href=${addressOf(paths.money, { tab: 'timing' })}>${calendar.more}</a>`,
    );
  }

  #itemView(item: TodayItem) {
    const { common, today: words } = texts();
    const { day } = formats();
    const { actor, amount, currency, currencyAssumed, assignee, lender, endsAt, reason } = item;
    const ends = item.kind === 'approval' ? words.lapses : words.ends;
    const isStart = item.kind === 'ledger-start';
    const facts = [
      ...(isStart ? [words.ledgerStart.question] : [item.merchantOrderId, lender]),
      actor,
      common.since(day(item.since)),
      ...[endsAt && ends(day(endsAt)), reason],
    ];
    return html`<li class=${urgencyOf(item)}>
      <wa-icon name=${icons[item.kind]} class="sign"></wa-icon>
      <div class="what">
        <a href=${placeOf(item)}>${titleOf(item)}</a>
        <div class="quiet">${facts.filter((fact) => fact !== undefined).join(' · ')}</div>
      </div>
      ${maybe(
        assignee,
        (name) => html`<wa-tag size="s"><wa-icon name="user"></wa-icon> ${name}</wa-tag>`,
      )}
      <today-action
        .item=${item}
        .session=${this.session}
        @done=${() => void this.#today.run()}
      ></today-action>
      <div class="sum">
        ${maybe(amount, (sum) => amountView(sum, currency ?? '', currencyAssumed))}
      </div>
    </li>`;
  }
}

/** While there is no ledger, guides the user from the ledger's preview to the first pass. */
function setUpView() {
  const { setUp: words } = texts().today;
  return cardView(
    words.title,
    html`${quiet(words.hint)}
      <ol>
        <li>${words.ledger}</li>
        <li>${words.preview}</li>
        <li>${words.pass}</li>
      </ol>
      <p><wa-button variant="brand" href=${paths.imports}>${words.action}</wa-button></p>
      ${quiet(words.companion, true)}`,
  );
}

customElements.define('console-today', TodayPage);
