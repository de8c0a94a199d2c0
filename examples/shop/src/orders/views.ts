import { html } from 'hono/html';
import { formatMoney } from '../money.ts';
import type { Html, Page } from '../page/layout.ts';
import { lineList } from '../page/lines.ts';
import { sums } from '../page/sums.ts';
import { orderStatus } from './order.ts';
import type { Order, OrderStatus } from './order.ts';

const statusText: Record<OrderStatus, string> = {
  'pending-payment': 'Waiting for payment',
  'in-review': 'Financing in review',
  'awaiting-transfer': 'Waiting for your transfer',
  paid: 'Paid with financing',
  cancelled: 'Cancelled',
};

export function statusBadge(status: OrderStatus): Html {
  return html`<span class="badge ${status}">${statusText[status]}</span>`;
}

/** Formats a date as "November 20, 2026". */
function formatDay(iso: string): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(iso),
  );
}

/** Renders an order's frozen items and sums. */
export function orderSummary({ contents }: Order): Html {
  return html`${lineList(contents.items)}
  ${sums({
    items: contents.items.reduce((sum, { price, quantity }) => sum + price * quantity, 0),
    discounts: contents.discounts,
    shipping: contents.shippingAmount,
    tax: contents.taxAmount,
    total: contents.totalAmount,
  })}`;
}

export interface OrderView {
  order: Order;
  /** Whether this browser placed the order. Only then does the page show name and address. */
  own: boolean;
  /** Whether the element reported an approval. It affects only the wording. */
  returning: boolean;
}

/** Renders one order and its status. */
export function orderPage({ order, own, returning }: OrderView): Page {
  const status = orderStatus(order);
  const latest = order.financings.at(-1);
  // A financing that returned from pending to open is waiting for the shopper, not for the companion.
  const untold = latest === undefined || (latest.status === 'open' && latest.revision === 1);
  const confirming = status === 'pending-payment' && returning && untold;
  const waiting = status === 'in-review' || confirming;
  const address = `/orders/${order.id}${returning ? '?from=financing' : ''}`;
  const { customer } = order.contents;
  return {
    title: `Order ${order.number}`,
    section: 'orders',
    ...(waiting && { refresh: { seconds: 5, address } }),
    main: html`<div class="columns">
      <section ${waiting ? html`data-under-way` : ''}>
        <p class="eyebrow">Order ${order.number} · ${formatDay(order.createdAt)}</p>
        <div aria-live="polite" data-live="standing">${standing(order, status, confirming)}</div>
        ${
          own
            ? html`<h2>Delivery to</h2>
                <address>
                  ${customer.firstName} ${customer.lastName}<br />
                  ${customer.line1}<br />
                  ${customer.line2 ? html`${customer.line2}<br />` : ''}${customer.city},
                  ${customer.state} ${customer.zipCode}<br />
                  ${customer.email}
                </address>`
            : ''
        }
      </section>
      <aside class="panel" aria-labelledby="order-sums">
        <h2 id="order-sums">What you ordered</h2>
        ${orderSummary(order)}
      </aside>
    </div>`,
  };
}

function standing(order: Order, status: OrderStatus, confirming: boolean): Html {
  const pay = `/orders/${order.id}/payment`;
  if (confirming) {
    return html`<h1>Confirming your financing</h1>
      <p class="lead waiting">We are waiting for the lender’s confirmation to reach us.</p>
      <p>
        This usually takes a few seconds and the page moves on by itself. You can close it: the
        order is under <a href="/orders">Orders</a>. Please do not pay another way meanwhile.
      </p>`;
  }
  switch (status) {
    case 'paid':
      return html`<h1>Thank you. Your order is paid.</h1>
        <p class="lead">${statusBadge(status)}</p>
        <p>
          We start on it today. When it is ready, we write to you to agree on a day for the
          delivery. You repay the lender as you agreed with them.
        </p>`;
    case 'in-review':
      return html`<h1>Your financing is being looked at</h1>
        <p class="lead waiting">${statusBadge(status)}</p>
        <p>
          The lender has not given its last word. We hold your order until then, and this page shows
          what comes of it. Please do not pay another way meanwhile.
        </p>
        <p>
          Is something still to be done on your side? <a href="${pay}">Open the financing</a>.
        </p>`;
    case 'awaiting-transfer':
      return html`<h1>Please send us ${formatMoney(order.contents.totalAmount)}</h1>
        <p class="lead">${statusBadge(status)}</p>
        <dl class="facts">
          <div>
            <dt>To</dt>
            <dd>Nook &amp; Bough LLC</dd>
          </div>
          <div>
            <dt>Bank</dt>
            <dd>Willamette Example Bank</dd>
          </div>
          <div>
            <dt>Account</dt>
            <dd>0000 4417 2093 (example)</dd>
          </div>
          <div>
            <dt>Reference</dt>
            <dd>${order.number}</dd>
          </div>
        </dl>
        <p>We hold your order for seven days, and start on it when the money has arrived.</p>
        <p><a href="${pay}">Pay with financing instead</a></p>`;
    case 'cancelled':
      return html`<h1>This order was cancelled</h1>
        <p class="lead">${statusBadge(status)}</p>
        <p>Nothing is owed for it.</p>`;
    case 'pending-payment':
      return html`<h1>Your order is waiting for payment</h1>
        <p class="lead">${statusBadge(status)}</p>
        <p><a class="button" href="${pay}">Choose how to pay</a></p>`;
  }
}

/** Renders the list of this browser's orders. */
export function historyPage(orders: readonly Order[]): Page {
  return {
    title: 'Your orders',
    section: 'orders',
    main:
      orders.length === 0
        ? html`<div class="narrow">
            <h1>No orders yet</h1>
            <p>Orders made in this browser are listed here.</p>
            <p><a class="button" href="/">See what there is</a></p>
          </div>`
        : html`<h1>Your orders</h1>
            <p class="muted">Made in this browser.</p>
            <ul class="history">
              ${orders.map(
                (order) =>
                  html`<li>
                    <a href="/orders/${order.id}">
                      <span class="thumbnails" aria-hidden="true">
                        ${order.contents.items
                          .slice(0, 3)
                          .map(
                            ({ slug }) =>
                              html`<img
                                src="/pictures/${slug}.svg"
                                alt=""
                                width="80"
                                height="64"
                              />`,
                          )}
                      </span>
                      <span class="history-text">
                        <strong>${order.number}</strong>
                        <span class="muted">
                          ${formatDay(order.createdAt)} ·
                          ${order.contents.items.map(({ name }) => name).join(', ')}
                        </span>
                      </span>
                      ${statusBadge(orderStatus(order))}
                      <span class="amount">${formatMoney(order.contents.totalAmount)}</span>
                    </a>
                  </li>`,
              )}
            </ul>`,
  };
}
