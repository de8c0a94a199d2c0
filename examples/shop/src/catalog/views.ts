import { html } from 'hono/html';
import { MAX_QUANTITY } from '../cart/cart.ts';
import { formatPrice } from '../money.ts';
import { financingMessage, type Page } from '../page/layout.ts';
import { priceOf } from '../cart/pricing.ts';
import { products } from './products.ts';
import type { Product } from './products.ts';

export const categories = [...new Set(products.map(({ category }) => category))];

/** Renders the home page with all products, or those of one category. */
export function catalogPage(category: Product['category'] | undefined, companionUrl: string): Page {
  const shown = products.filter((product) => !category || product.category === category);
  return {
    title: category ?? 'Furniture made to be kept',
    section: 'shop',
    main: html`${
        category
          ? ''
          : html`<section class="hero">
              <div>
                <h1>Furniture made to be kept</h1>
                <p class="lead">
                  Solid wood, wool and linen. Made in small batches, repaired for as long as you own
                  it.
                </p>
                <p class="muted">Pay at once, or over time: lenders make you offers at checkout.</p>
              </div>
              <img src="/pictures/room.svg" alt="" width="1040" height="560" />
            </section>`
      }
      <nav class="filters" aria-label="Categories">
        <a href="/" ${category ? '' : html`aria-current="true"`}>Everything</a>
        ${categories.map(
          (name) =>
            html`<a
              href="/?category=${encodeURIComponent(name)}"
              ${name === category ? html`aria-current="true"` : ''}
              >${name}</a
            >`,
        )}
      </nav>
      ${category ? html`<h1>${category}</h1>` : html`<h2 class="unseen">Products</h2>`}
      <ul class="products">
        ${shown.map(
          (product) =>
            html`<li>
              <a href="/products/${product.slug}">
                <img
                  src="/pictures/${product.slug}.svg"
                  alt="${product.alt}"
                  width="800"
                  height="640"
                />
                <span class="product-name">${product.name}</span>
                <span class="price">${formatPrice(product.price)}</span>
                <span class="muted">${product.summary}</span>
              </a>
              ${financingMessage({ companionUrl }, product.price, product.category)}
            </li>`,
        )}
      </ul>`,
  };
}

/**
 * Renders one product.
 * @param error message about the submitted quantity
 */
export function productPage(product: Product, companionUrl: string, error?: string): Page {
  const { setOffer } = product;
  return {
    title: error ? 'Please check the quantity' : product.name,
    section: 'shop',
    amount: product.price,
    back: {
      href: `/?category=${encodeURIComponent(product.category)}`,
      text: product.category,
    },
    main: html`<article class="product">
      <img src="/pictures/${product.slug}.svg" alt="${product.alt}" width="800" height="640" />
      <div>
        <h1>${product.name}</h1>
        <p class="price">${formatPrice(product.price)}</p>
        ${financingMessage({ companionUrl }, product.price, product.category)}
        <p class="lead">${product.summary}</p>
        <p>${product.description}</p>
        ${
          setOffer
            ? html`<p class="note">
                ${setOffer.quantity} or more: ${formatPrice(setOffer.off)} off each.
              </p>`
            : ''
        }
        <form method="post" action="/cart" class="buy">
          <input type="hidden" name="slug" value="${product.slug}" />
          <label>
            Quantity
            <select
              name="quantity"
              ${error ? html`aria-invalid="true" aria-describedby="quantity-error" autofocus` : ''}
            >
              ${Array.from(
                { length: MAX_QUANTITY },
                (_, index) =>
                  html`<option data-amount="${priceOf(product, index + 1)}">${index + 1}</option>`,
              )}
            </select>
          </label>
          <button class="primary" type="submit">Add to cart</button>
          ${error ? html`<span class="error" id="quantity-error">${error}</span>` : ''}
        </form>
        <dl class="facts">
          ${product.facts.map(
            ([label, value]) =>
              html`<div>
                <dt>${label}</dt>
                <dd>${value}</dd>
              </div>`,
          )}
        </dl>
      </div>
    </article>`,
  };
}
