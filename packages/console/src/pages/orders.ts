import { html, nothing } from 'lit';
import type { ListedOrder, ShareSum } from '@financing-checkout/contract/reconciliation';
import { exceptionCodes } from '@financing-checkout/contract/plain';
import { formats, texts } from '../locale/locale.ts';
import { allFormats, exportLinks } from '../parts/export-links.ts';
import {
  dateField,
  filterPill,
  inputField,
  type InputHints,
  selectField,
  textOf,
} from '../parts/fields.ts';
import { lenderField, lendersTask } from '../parts/lender-field.ts';
import { PagedList } from '../parts/list.ts';
import { clearFilters, filters, setFilters } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import type { Column } from '../parts/table.ts';
import {
  amountView,
  headlineText,
  headlineView,
  amountColumn,
  orderColumn,
} from '../parts/values.ts';
import { maybe, plainButton, quiet } from '../parts/views.ts';

/** Totals over all pages, present when a step of the cash walk is selected. */
interface Sums {
  shares?: ShareSum[];
}

const names = [
  ...(['headline', 'exception', 'lender', 'currency', 'from', 'to', 'step'] as const),
  ...(['due', 'lenderUnknown', 'currencyAssumed', 'claim', 'verdict'] as const),
  ...(['discount', 'productType', 'promoCode', 'agreedFrom'] as const),
] as const;
const PAGE_SIZE = '200';

/** All orders, with filters in the URL. */
class OrdersPage extends Page {
  override readonly heading = texts().shell.orders;
  readonly #list = new PagedList<ListedOrder, Sums>(this, '/orders', 'orders');
  readonly #lenders = lendersTask(this);
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
    const { common, order, orders: words } = texts();
    const minor = { class: 'end minor' };
    const share: Column<ListedOrder> = {
      head: shareHead(filters()),
      class: 'end',
      cell: ({ share: own = 0, currency }) => amountView(own, currency),
      foot: (this.#list.first?.shares ?? []).map(
        ({ amount, currency, fundings }) =>
          html`<div>
            ${amountView(amount, currency)}
            ${maybe(fundings, (count) => html`<small>${words.fundings(count)}</small>`)}
          </div>`,
      ),
    };
    return [
      orderColumn(),
      { head: common.state, cell: ({ headline }) => headlineView(headline) },
      ...(shareHead(filters()) === undefined ? [] : [share]),
      amountColumn(order.expected, ({ expected }) => expected.settle - expected.refund, minor),
      amountColumn(
        words.funded,
        ({ funded }) => funded.settle - funded.refund - funded.chargeback + funded.reversal,
      ),
      amountColumn(words.net, ({ net }) => net, minor),
      {
        head: words.changed,
        class: 'minor',
        cell: ({ changedAt }) =>
          html`<time class="quiet" datetime=${changedAt}>${formats().day(changedAt)}</time>`,
      },
    ];
  }

  #filterView() {
    const { common, money, orders: words, words: codes } = texts();
    const now = filters();
    const { step } = now;
    const steps: Readonly<Record<string, string>> = words.steps;
    const select = (name: string, label: string, list: readonly string[]) =>
      selectField(
        label,
        [['', common.all], ...list.map((code) => [code, headlineText(code)] as const)],
        now[name] ?? '',
        undefined,
        { name },
      );
    const input = (name: string, label: string, hints: InputHints) =>
      inputField(label, now[name] ?? '', undefined, { name, ...hints });
    const isFiltered = names.some((name) => (now[name] ?? '') !== '');
    return html`<form class="filters" @submit=${apply} @change=${apply}>
        ${select('headline', common.state, [...Object.keys(codes.headlines), ...exceptionCodes])}
        ${select('exception', common.code, exceptionCodes)}
        ${lenderField(common.lender, now.lender ?? '', this.#lenders.value ?? [], (lender) =>
          setFilters({ lender }),
        )}
        ${input('currency', common.currency, { class: 'short', maxlength: 3 })}
        ${dateField(common.from, now.from ?? '', (from) => setFilters({ from }))}
        ${dateField(common.to, now.to ?? '', (to) => setFilters({ to }))}
        ${maybe(step, (name) => filterPill(words.step(steps[name] ?? name), { step: undefined }))}
        ${maybe(now.due, (due) => filterPill(dueText(due), { due: undefined, lenderUnknown: undefined }))}
        ${maybe(now.claim, (claim) => filterPill(claimText(claim, now.verdict), { claim: undefined, verdict: undefined }))}
        ${maybe(now.discount, () => filterPill(discountText(now), { discount: undefined, productType: undefined, promoCode: undefined, agreedFrom: undefined }))}
        ${maybe(now.lenderUnknown, () => filterPill(money.calendar.unknownLender, { lenderUnknown: undefined }))}
        ${maybe(now.currencyAssumed, () => filterPill(common.assumed, { currencyAssumed: undefined }))}
        ${isFiltered ? plainButton(common.clear, clearFilters) : nothing}
      </form>
      ${quiet(common.zone(formats().zone), true)}`;
  }

  protected override render() {
    return html`<div class="row spread">
        <h1>${this.heading}</h1>
        ${exportLinks('orders', this.#filters(), { formats: allFormats })}
      </div>
      ${this.#filterView()}
      ${this.#list.view({
        label: this.heading,
        columns: this.#columns(),
        empty: texts().orders.none,
      })}`;
  }
}

/** Returns the heading of the shares column; undefined if the filters select no total. */
function shareHead({ claim, discount, due, step }: ReturnType<typeof filters>): string | undefined {
  const { common, orders } = texts();
  if (discount !== undefined) return common.discount;
  if (claim !== undefined) return orders.claimed;
  if (due !== undefined) return orders.due;
  return step === undefined ? undefined : orders.share;
}

function claimText(status: string, verdict: string | undefined): string {
  const { common, money } = texts();
  const { radar } = money;
  const words: Readonly<Record<string, string>> = { right: radar.right, wrong: common.wrong_count };
  return [status, words[verdict ?? '']].filter(Boolean).join(' · ');
}

function discountText({ productType, promoCode, agreedFrom }: ReturnType<typeof filters>): string {
  const { common, money } = texts();
  const { discounts } = money;
  const from = agreedFrom === undefined ? undefined : discounts.from(formats().day(agreedFrom));
  const parts = [common.discount, productType, promoCode, from];
  return parts.filter((part) => part !== undefined).join(' · ');
}

function dueText(due: string): string {
  const { money, orders } = texts();
  if (due === 'late') return money.calendar.late;
  return orders.dueOn(
    due
      .split('..')
      .map((day) => formats().day(day))
      .join(' – '),
  );
}

/** Copies the form's filters into the URL. */
function apply(event: Event): void {
  event.preventDefault();
  const data = new FormData(event.currentTarget as HTMLFormElement);
  setFilters({
    ...Object.fromEntries(['headline', 'exception'].map((name) => [name, textOf(data, name)])),
    currency: textOf(data, 'currency').toUpperCase(),
  });
}

customElements.define('console-orders', OrdersPage);
