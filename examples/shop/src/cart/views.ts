import { html } from 'hono/html';
import { formatMoney } from '../money.ts';
import { financingMessage, type Page } from '../page/layout.ts';
import { sums } from '../page/sums.ts';
import { MAX_QUANTITY } from './cart.ts';
import { priceCart } from './pricing.ts';
import type { CartLine } from './pricing.ts';

/** A submitted quantity that is invalid. */
export interface WrongQuantity {
  slug: string;
  error: string;
}

/** Renders the cart. */
export function cartPage(
  lines: readonly CartLine[],
  companionUrl: string,
  wrong?: WrongQuantity,
): Page {
  if (lines.length === 0) {
    return {
      title: 'Cart',
      section: 'cart',
      main: html`<div class="narrow">
        <h1>Your cart is empty</h1>
        <p>
          It keeps what you put there for this browser, by a cookie: where cookies are blocked, it
          stays empty.
        </p>
        <p><a class="button" href="/">See what there is</a></p>
      </div>`,
    };
  }
  const quote = priceCart(lines);
  const wrongField = (slug: string) =>
    wrong?.slug === slug
      ? html`aria-invalid="true" aria-describedby="${slug}-error" autofocus`
      : '';
  return {
    title: wrong ? 'Please check the quantity' : 'Cart',
    section: 'cart',
    amount: quote.total,
    main: html`<h1>Your cart</h1>
      <div class="columns">
        <ul class="cart">
          ${lines.map(
            ({ product, quantity }) =>
              html`<li>
                <a href="/products/${product.slug}" tabindex="-1" aria-hidden="true">
                  <img src="/pictures/${product.slug}.svg" alt="" width="160" height="128" />
                </a>
                <div>
                  <h2><a href="/products/${product.slug}">${product.name}</a></h2>
                  <p class="muted">${formatMoney(product.price)} each</p>
                  <div class="cart-actions">
                    <form method="post" action="/cart/${product.slug}">
                      <label>
                        <span class="unseen">Quantity of ${product.name}</span>
                        <select name="quantity" ${wrongField(product.slug)}>
                          ${Array.from({ length: MAX_QUANTITY }, (_, index) => index + 1).map(
                            (count) =>
                              html`<option ${count === quantity ? html`selected` : ''}>
                                ${count}
                              </option>`,
                          )}
                        </select>
                      </label>
                      <button type="submit" class="quiet">
                        Update<span class="unseen"> the quantity of ${product.name}</span>
                      </button>
                      ${
                        wrong?.slug === product.slug
                          ? html`<span class="error" id="${product.slug}-error"
                              >${wrong.error}</span
                            >`
                          : ''
                      }
                    </form>
                    <form method="post" action="/cart/${product.slug}">
                      <input type="hidden" name="quantity" value="0" />
                      <button type="submit" class="quiet">
                        Remove<span class="unseen"> ${product.name}</span>
                      </button>
                    </form>
                  </div>
                </div>
                <p class="amount">${formatMoney(product.price * quantity)}</p>
              </li>`,
          )}
        </ul>
        <aside class="panel" aria-labelledby="cart-sums">
          <h2 id="cart-sums">Summary</h2>
          ${sums(quote)} ${financingMessage({ companionUrl }, quote.total)}
          <a class="button wide" href="/checkout">Go to checkout</a>
        </aside>
      </div>`,
  };
}
