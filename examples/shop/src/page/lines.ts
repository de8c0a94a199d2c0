import { html } from 'hono/html';
import { formatMoney } from '../money.ts';
import type { Html } from './layout.ts';

export interface Line {
  slug: string;
  name: string;
  price: number;
  quantity: number;
}

/** Renders the short list of items, next to a form and on an order. */
export function lineList(lines: readonly Line[]): Html {
  return html`<ul class="lines">
    ${lines.map(
      ({ slug, name, price, quantity }) =>
        html`<li>
          <img src="/pictures/${slug}.svg" alt="" width="80" height="64" />
          <span class="line-name">
            ${name} <span class="muted">${quantity} × ${formatMoney(price)}</span>
          </span>
          <span class="amount">${formatMoney(price * quantity)}</span>
        </li>`,
    )}
  </ul>`;
}
