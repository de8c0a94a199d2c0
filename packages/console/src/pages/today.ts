import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '@awesome.me/webawesome/dist/components/tag/tag.js';
import type { Today, TodayItem, TodayKind } from '@financing-checkout/contract';
import { get } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';
import { exportLinks } from '../parts/export-links.ts';
import { filters, setFilters } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { Loader } from '../parts/loader.ts';
import { emptyView, reliabilityView, loadedView } from '../parts/states.ts';
import { amountView } from '../parts/values.ts';
import './today/action.ts';
import { icons, placeOf, titleOf, urgencyOf } from './today/items.ts';

const EVERY_MS = 60_000;

/** What needs a person, the most money first. */
class TodayPage extends Page {
  override readonly heading = texts().today.title;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #today = new Loader(this, {
    task: (_: readonly unknown[], { signal }) => get<Today>('/today', {}, signal),
    args: () => [],
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => {
      // A refresh does not take away what a person is writing.
      const isWriting = this.querySelector('dialog[open]') !== null;
      if (!document.hidden && !isWriting) void this.#today.run();
    }, EVERY_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override render() {
    return html`<div class="row spread">
        <h1>${this.heading}</h1>
        ${exportLinks('today', { kind: filters().kind })}
      </div>
      ${loadedView(this.#today, (today) => this.#view(today))}`;
  }

  #view(today: Today) {
    const { today: words, common } = texts();
    const { kind: chosen } = filters();
    const shown = today.items.filter(({ kind }) => chosen === undefined || kind === chosen);
    return html`${reliabilityView(today)}
      ${
        today.unavailable.length > 0
          ? html`<wa-callout variant="warning" size="s" class="state" role="status">
              <wa-icon slot="icon" name="triangle-alert"></wa-icon>${common.partial}
            </wa-callout>`
          : nothing
      }
      <ul class="kinds" aria-label=${words.kindsLabel}>
        ${Object.entries(today.counts).map(([kind, count]) =>
          this.#kindView(kind as TodayKind, count, chosen),
        )}
      </ul>
      ${
        shown.length === 0
          ? chosen === undefined
            ? emptyView(words.nothing, words.nothingHint, 'badge-check')
            : emptyView(words.nothingOfKind)
          : html`<ol class="work">
              ${repeat(
                shown,
                // A dialog and its key stay with their item when the list changes.
                ({ kind, id }) => `${kind}:${id}`,
                (item) => this.#itemView(item),
              )}
            </ol>`
      }
      ${
        chosen === undefined && this.#hidden(today) > 0
          ? html`<p class="quiet">${words.hidden(this.#hidden(today))}</p>`
          : nothing
      }`;
  }

  #hidden({ counts, items }: Today): number {
    return Object.values(counts).reduce((sum, count) => sum + count, 0) - items.length;
  }

  #kindView(kind: TodayKind, count: number, chosen: string | undefined) {
    const isChosen = chosen === kind;
    return html`<li>
      <button
        class="kind ${count === 0 ? 'none' : ''}"
        aria-pressed=${isChosen ? 'true' : 'false'}
        @click=${() => setFilters({ kind: isChosen ? undefined : kind })}
      >
        <wa-icon name=${icons[kind]}></wa-icon>
        <span class="number">${formats().number(count)}</span>
        <span>${texts().today.kinds[kind]}</span>
      </button>
    </li>`;
  }

  #itemView(item: TodayItem) {
    const { today: words } = texts();
    const { amount, currency, currencyAssumed, assignee, lender } = item;
    const place = placeOf(item);
    return html`<li class=${urgencyOf(item)}>
      <wa-icon name=${icons[item.kind]} class="sign"></wa-icon>
      <div class="what">
        <a href=${place}>${titleOf(item)}</a>
        <div class="quiet">
          ${[
            item.merchantOrderId,
            lender,
            words.since(formats().day(item.since)),
            ...(item.endsAt === undefined ? [] : [words.ends(formats().day(item.endsAt))]),
            ...(item.reason === undefined ? [] : [item.reason]),
          ]
            .filter((part) => part !== undefined)
            .join(' · ')}
        </div>
      </div>
      ${
        assignee === undefined
          ? nothing
          : html`<wa-tag size="s"><wa-icon name="user"></wa-icon> ${assignee}</wa-tag>`
      }
      <today-action
        .item=${item}
        .session=${this.session}
        @done=${() => void this.#today.run()}
      ></today-action>
      <div class="sum">
        ${
          amount === undefined || currency === undefined
            ? nothing
            : amountView(amount, currency, currencyAssumed)
        }
      </div>
    </li>`;
  }
}

customElements.define('console-today', TodayPage);
