import { html, nothing } from 'lit';
import type { PeriodOrders } from '@financing-checkout/contract/reconciliation';
import { tables } from '@financing-checkout/contract/plain';
import { formats, texts } from '../../locale/locale.ts';
import { declaredColumns } from '../../parts/declared.ts';
import { elementWith } from '../../parts/element.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { loadCall } from '../../parts/loader.ts';
import { emptyView, loadedView } from '../../parts/states.ts';
import { tableView } from '../../parts/table.ts';
import { amountView } from '../../parts/values.ts';
import { cardView, quiet } from '../../parts/views.ts';
import { addressOfPeriod, type ListedAmount } from './periods.ts';

type Listed = PeriodOrders['orders'][number];

const pathOf = (id: string) => `/periods/${encodeURIComponent(id)}/orders`;

/** The orders that make up an amount in a period's statements, with their total. */
class CloseOrders extends elementWith({
  period: '',
  listed: {} as ListedAmount,
}) {
  readonly #orders = loadCall(this, 'get /periods/:period/orders', () => ({
    period: this.period,
    query: { ...this.listed },
  }));

  /** The amount to whose orders the page has been scrolled. */
  #shown: string | undefined;

  protected override updated(): void {
    const shown = JSON.stringify([this.period, this.listed]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    // The link that opens the list is in a table above it.
    this.scrollIntoView({ block: 'start' });
  }

  protected override render() {
    const { listed, period } = this;
    const { close, money } = texts();
    const { step, currency, lender } = listed;
    const title = close.ordersOf(money.walk.steps[step], currency);
    return cardView(
      lender === undefined ? title : `${title}, ${lender}`,
      loadedView(this.#orders, (answer) => ordersView(answer, title)),
      html`<span class="row">
        ${exportLinks('periods-orders', { ...listed }, { path: pathOf(period) })}
        <a href=${addressOfPeriod(period)}>${close.allAmounts}</a>
      </span>`,
    );
  }
}

function ordersView({ orders, sums, count, isSealed }: PeriodOrders, label: string) {
  const { close } = texts();
  if (count === 0) return emptyView(close.noOrders, close.noOrdersHint, 'wallet');
  const foot = sums.map(({ amount, currency }) => html`<div>${amountView(amount, currency)}</div>`);
  const columns = declaredColumns<Listed>(tables.periodOrders, {
    own: { amount: { foot } },
    narrow: ['order', 'amount'],
  });
  return html`${quiet(isSealed ? close.statementsSealed : close.statementsOpen)}
  ${quiet(close.orderCount(formats().number(count)))}
  ${count > orders.length ? quiet(close.largest(orders.length)) : nothing}
  ${tableView({ label, columns, rows: orders, area: 'scroll' })}`;
}

customElements.define('close-orders', CloseOrders);
