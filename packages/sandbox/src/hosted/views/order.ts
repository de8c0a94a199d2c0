import { html } from 'hono/html';
import type { Cart } from '../../checkout/body.ts';
import { checkedAmounts, linesOf, sumsOf } from '../../checkout/cart.ts';
import type { Session } from '../../checkout/session.ts';
import type { Text } from '../text/index.ts';
import { formatFor } from './format.ts';
import type { Html } from './page.ts';

/**
 * Renders the order: its total, and its lines, which are collapsed on small screens. An application
 * without an order has only the amount that lenders make offers for, as an example if the shop stated
 * none.
 */
export function orderView(text: Text, session: Session): Html {
  const { money } = formatFor(text.locale, session.currency);
  const row = (name: string, value: string) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  const reference = session.merchantOrderId;
  const isApplication = session.flowType === 'Apply';
  const { title, total } = isApplication ? text.noOrder : text.order;
  const isExample = isApplication && session.requestedLoanAmount === undefined;
  return html`<aside class="order" aria-labelledby="order-title">
    <div class="order-head">
      <h2 id="order-title">${title}</h2>
      ${reference === '' ? '' : html`<p class="reference">${text.order.reference(reference)}</p>`}
    </div>
    ${session.cart ? linesView(text, session, session.cart, row) : ''}
    <dl class="figures total">
      ${row(isExample ? text.noOrder.example : total, money(session.total))}
    </dl>
  </aside>`;
}

function linesView(
  text: Text,
  { currency }: Session,
  cart: Cart,
  row: (name: string, value: string) => Html,
): Html {
  const { money } = formatFor(text.locale, currency);
  const minor = checkedAmounts(currency);
  const { discount, tax, shipping, shippingTax } = sumsOf(cart, minor);
  return html`<details class="order-lines" data-open-when-wide>
    <summary>${text.order.show}</summary>
    <ul>
      ${linesOf(cart, minor).map(
        (line) =>
          html`<li>
            <span
              ><span class="count">${text.order.quantity(line.quantity)}</span> ${
                line.name ?? text.order.unnamed
              }</span
            >
            <span class="figure">${money(line.amount)}</span>
          </li>`,
      )}
    </ul>
    <dl class="figures">
      ${discount === 0 ? '' : row(text.order.discount, money(-discount))}
      ${row(text.order.shipping, shipping === 0 ? text.order.free : money(shipping))}
      ${shippingTax === 0 ? '' : row(text.order.shippingTax, money(shippingTax))}
      ${row(text.order.tax, money(tax))}
    </dl>
  </details>`;
}
