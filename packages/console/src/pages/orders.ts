import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import type { ListedOrder, ShareSum } from '@financing-checkout/contract';
import { exceptionCodes } from '@financing-checkout/contract/plain';
import { formats, texts } from '../locale/locale.ts';
import { allFormats, exportLinks } from '../parts/export-links.ts';
import { filters, setFilters } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { PagedList } from '../parts/pages.ts';
import { errorView, loadingView } from '../parts/states.ts';
import type { Column } from '../parts/table.ts';
import '../parts/table.ts';
import { amountView, headlineText, headlineView, orderLink } from '../parts/values.ts';

interface Answer {
  orders: ListedOrder[];
  /** With a step of the cash walk: the sums of all pages. */
  shares?: ShareSum[];
  next?: string;
}

const names = ['headline', 'exception', 'lender', 'currency', 'from', 'to', 'step'] as const;
const PAGE_SIZE = '200';

/** All orders, by filters that the address keeps. */
class OrdersPage extends Page {
  override readonly heading = texts().orders.title;
  readonly #list = new PagedList<Answer, ListedOrder>(this, '/orders', ({ orders }) => orders);
  #shown: string | undefined;

  protected override willUpdate(): void {
    if (this.#shown === this.search) return;
    this.#shown = this.search;
    void this.#list.start({ ...this.#filters(), limit: PAGE_SIZE });
  }

  #filters(): Record<string, string | undefined> {
    const all = filters();
    return Object.fromEntries(names.map((name) => [name, all[name]]));
  }

  #columns(): Column<ListedOrder>[] {
    const { orders: words, common } = texts();
    const share: Column<ListedOrder> = {
      head: words.share,
      align: 'end',
      cell: ({ share: own = 0, currency }) => amountView(own, currency),
      foot: (this.#list.first?.shares ?? []).map(
        ({ amount, currency }) => html`<div>${amountView(amount, currency)}</div>`,
      ),
    };
    return [
      {
        head: common.order,
        cell: ({ orderKey, merchantOrderId }) => orderLink(orderKey, merchantOrderId),
      },
      { head: common.state, cell: ({ headline }) => headlineView(headline) },
      ...(filters().step === undefined ? [] : [share]),
      {
        head: words.expected,
        align: 'end',
        class: 'minor',
        cell: ({ expected, currency, currencyAssumed }) =>
          amountView(expected.settle - expected.refund, currency, currencyAssumed),
      },
      {
        head: words.funded,
        align: 'end',
        cell: ({ funded, currency, currencyAssumed }) =>
          amountView(
            funded.settle - funded.refund - funded.chargeback + funded.reversal,
            currency,
            currencyAssumed,
          ),
      },
      {
        head: words.net,
        align: 'end',
        class: 'minor',
        cell: ({ net, currency, currencyAssumed }) => amountView(net, currency, currencyAssumed),
      },
      {
        head: words.changed,
        class: 'minor',
        cell: ({ changedAt }) =>
          html`<time class="quiet" datetime=${changedAt}>${formats().day(changedAt)}</time>`,
      },
    ];
  }

  #select(name: 'headline' | 'exception', label: string, codes: readonly string[]) {
    const chosen = filters()[name] ?? '';
    return html`<label
      ><span>${label}</span>
      <select name=${name}>
        <option value="" .selected=${live(chosen === '')}>${texts().common.all}</option>
        ${codes.map(
          (code) =>
            html`<option value=${code} .selected=${live(chosen === code)}>
              ${headlineText(code)}
            </option>`,
        )}
      </select></label
    >`;
  }

  #filterView() {
    const { common, orders: words, words: codes } = texts();
    const now = filters();
    const { step } = now;
    const steps: Readonly<Record<string, string>> = words.steps;
    const input = (name: string, label: string, more: { type?: string; max?: number } = {}) =>
      html`<label
        ><span>${label}</span>
        <input
          name=${name}
          type=${more.type ?? 'text'}
          maxlength=${more.max ?? 64}
          autocomplete="off"
          .value=${now[name] ?? ''}
      /></label>`;
    const isFiltered = names.some((name) => (now[name] ?? '') !== '');
    return html`<form class="filters" @submit=${apply} @change=${apply}>
      ${this.#select('headline', common.state, [
        ...Object.keys(codes.headlines),
        ...exceptionCodes,
      ])}
      ${this.#select('exception', common.code, exceptionCodes)} ${input('lender', common.lender)}
      ${input('currency', common.currency, { max: 3 })}
      ${input('from', common.from, { type: 'date' })} ${input('to', common.to, { type: 'date' })}
      ${
        step === undefined
          ? nothing
          : html`<button
              type="button"
              class="plain chip"
              @click=${() => setFilters({ step: undefined })}
            >
              ${words.step(steps[step] ?? step)}
              <wa-icon name="x" label=${common.clear}></wa-icon>
            </button>`
      }
      ${
        isFiltered
          ? html`<button
              type="button"
              class="plain"
              @click=${() => setFilters(Object.fromEntries(names.map((name) => [name, undefined])))}
            >
              ${common.clear}
            </button>`
          : nothing
      }
    </form>`;
  }

  protected override render() {
    const { orders: words } = texts();
    const list = this.#list;
    const isFirst = list.isLoading && list.rows.length === 0;
    return html`<div class="row spread">
        <h1>${this.heading}</h1>
        ${exportLinks('orders', this.#filters(), { formats: allFormats })}
      </div>
      ${this.#filterView()}
      ${
        list.error === undefined
          ? nothing
          : errorView(list.error, () => void list.start({ ...this.#filters(), limit: PAGE_SIZE }))
      }
      ${
        isFirst
          ? loadingView(10)
          : html`<console-table
              .columns=${this.#columns()}
              .rows=${list.rows}
              label=${this.heading}
              .hasMore=${list.hasMore}
              .isLoading=${list.isLoading}
              emptyText=${words.none}
              @wanted=${() => void list.more()}
            ></console-table>`
      }`;
  }
}

/** Takes the filters of the form into the address. */
function apply(event: Event): void {
  event.preventDefault();
  const data = new FormData(event.currentTarget as HTMLFormElement);
  const text = (name: string) => {
    const value = data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  setFilters({
    ...Object.fromEntries(
      ['headline', 'exception', 'lender', 'from', 'to'].map((name) => [name, text(name)]),
    ),
    currency: text('currency').toUpperCase(),
  });
}

customElements.define('console-orders', OrdersPage);
