import { html } from 'hono/html';
import { formatMoney } from '../money.ts';
import type { Html } from './layout.ts';

export interface Sums {
  items: number;
  discounts: readonly { name: string; amount: number }[];
  shipping: number;
  tax: number | undefined;
  total: number;
}

/** Renders a cart's or order's sums as a description list. Amounts are in US cents. */
export function sums({ items, discounts, shipping, tax, total }: Sums): Html {
  return html`<dl class="sums">
    <div>
      <dt>Items</dt>
      <dd>${formatMoney(items)}</dd>
    </div>
    ${discounts.map(
      ({ name, amount }) =>
        html`<div>
          <dt>${name}</dt>
          <dd>−${formatMoney(amount)}</dd>
        </div>`,
    )}
    <div>
      <dt>Delivery</dt>
      <dd>${shipping === 0 ? 'Free' : formatMoney(shipping)}</dd>
    </div>
    <div>
      <dt>Sales tax</dt>
      <dd data-tax>${tax === undefined ? 'By your address' : formatMoney(tax)}</dd>
    </div>
    <div class="total">
      <dt data-total-label>${tax === undefined ? 'Total before tax' : 'Total'}</dt>
      <dd data-total data-before-tax="${formatMoney(total - (tax ?? 0))}">${formatMoney(total)}</dd>
    </div>
  </dl>`;
}
