import type { Environment } from '@financing-checkout/contract/storefront';
import { html } from 'hono/html';
import { CURRENCY } from '../money.ts';
import type { Assets } from '../assets.ts';

/** A part of a page; `html` escapes the text in it. */
export type Html = ReturnType<typeof html>;

/** Content of a page, from its route. */
export interface Page {
  title: string;
  main: Html;
  /**
   * Address for reloading the page without a script. It is explicit, because reloading a URL that
   * has the lender's fragment would only scroll.
   */
  refresh?: { seconds: number; address: string };
  /** Current entry of the navigation. */
  section?: 'shop' | 'orders' | 'cart' | 'back-office';
  /** Price of what the shopper is looking at, in minor units, for the application in the header. */
  amount?: number;
  /** Link back, shown above the content. */
  back?: { href: string; text: string };
}

/** Settings that the financing elements need on every page. */
export interface Financing {
  publicApiKey: string;
  environment: Environment;
  companionUrl: string;
}

export interface LayoutOptions {
  assets: Assets;
  financing: Financing;
  /** Number of units in this browser's cart. */
  cartCount: number;
}

/** Renders the frame around every page. */
export function layout(page: Page, { assets, cartCount, financing }: LayoutOptions): Html {
  const current = (section: Page['section']) =>
    page.section === section ? html`aria-current="page"` : '';
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title} · Nook &amp; Bough</title>
        <link rel="icon" href="/pictures/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${assets.style}" />
        <script
          data-cfasync="false"
          data-no-optimize="1"
          data-no-defer="1"
          data-no-minify="1"
          data-cookieconsent="ignore"
          nowprocket
          type="module"
          src="${assets.script}"
        ></script>
        ${
          page.refresh
            ? html`<noscript>
                <meta
                  http-equiv="refresh"
                  content="${page.refresh.seconds}; url=${page.refresh.address}"
                />
              </noscript>`
            : ''
        }
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
          <a class="wordmark" href="/">
            <img src="/pictures/mark.svg" alt="" width="28" height="28" />
            <span>Nook &amp; Bough</span>
          </a>
          <nav aria-label="Main">
            <a href="/" ${current('shop')}>Shop</a>
            <a href="/orders" ${current('orders')}>Orders</a>
            <a href="/cart" ${current('cart')}>
              Cart<span class="count">${cartCount > 0 ? html` (${cartCount})` : ''}</span>
            </a>
          </nav>
          ${page.section === 'back-office' ? '' : prequalification(financing, page.amount)}
        </header>
        <main id="main" tabindex="-1">
          ${
            page.back
              ? html`<p class="back"><a href="${page.back.href}">← ${page.back.text}</a></p>`
              : ''
          }
          ${page.main}
        </main>
        <footer class="foot">
          <p>
            <strong>Nook &amp; Bough</strong> · Furniture made to be kept. Portland, Oregon, since
            2009.
          </p>
          <p>An example shop: nothing here is really sold. <a href="/admin">Back office</a></p>
        </footer>
      </body>
    </html>`;
}

/** Renders the application without a cart. It has a button only where scripts run. */
function prequalification(
  { publicApiKey, environment, companionUrl }: Financing,
  amount: number | undefined,
): Html {
  return html`<financing-prequalify
    id="prequalify"
    public-key="${publicApiKey}"
    environment="${environment}"
    companion="${companionUrl}"
    currency="${CURRENCY}"
    ${amount === undefined ? '' : html`amount="${amount}"`}
    locale="en-US"
  ></financing-prequalify>`;
}

/**
 * Renders what an amount costs over time. The shop's prices, and so this amount, exclude sales tax,
 * which depends on the address.
 * @param amount minor units
 * @param category of the product; without one, shows programmes for all products
 */
export function financingMessage(
  { companionUrl }: Pick<Financing, 'companionUrl'>,
  amount: number,
  category?: string,
): Html {
  return html`<financing-message
    amount="${amount}"
    currency="${CURRENCY}"
    companion="${companionUrl}"
    locale="en-US"
    ${category === undefined ? '' : html`category="${category}"`}
  ></financing-message>`;
}

/** Renders a page with a message and a link. */
export function messagePage(title: string, text: string): Page {
  return {
    title,
    main: html`<div class="narrow">
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a class="button" href="/">Back to the shop</a></p>
    </div>`,
  };
}
