import type { LinkRecord } from '@financing-checkout/contract/back-office';
import { html } from 'hono/html';
import { formatMoney } from '../money.ts';
import { isPayable, orderStatus } from '../orders/order.ts';
import type { Order } from '../orders/order.ts';
import { statusBadge } from '../orders/views.ts';
import type { Html, Page } from '../page/layout.ts';

/** An order's latest link, if it has one, or why that is unknown. */
export type LinkAnswer = { latest: LinkRecord | undefined } | { unavailable: string };

const words: Record<LinkRecord['state'], string> = {
  waiting: 'Waiting: not opened yet',
  opened: 'Opened on the shopper’s device',
  expired: 'Expired',
};

/**
 * Renders the page on which staff give the shopper a link for paying over time on their own device.
 * It shows state and amount, but never the application.
 */
export function linkPage(order: Order, answer: LinkAnswer): Page {
  const link = 'latest' in answer ? answer.latest : undefined;
  const isOpen = link !== undefined && link.state !== 'expired' && isPayable(order);
  // The link has served its purpose, and the order is paid or will be payable again in a moment.
  const isInReview = orderStatus(order) === 'in-review';
  const isUnderWay = isOpen || isInReview;
  return {
    title: `Link for ${order.number}`,
    section: 'back-office',
    back: { href: '/admin', text: 'Back office' },
    ...(isUnderWay && { refresh: { seconds: 5, address: `/admin/orders/${order.id}/link` } }),
    main: html`<p class="eyebrow">Order ${order.number}</p>
      <h1>Pay over time by link</h1>
      <p data-live="status" ${isUnderWay ? html`data-under-way` : ''}>
        ${statusBadge(orderStatus(order))}
        ${formatMoney(order.contents.totalAmount, order.contents.currency)}
      </p>
      ${
        'unavailable' in answer
          ? html`<p class="note warning" role="status">${answer.unavailable}</p>`
          : ''
      }
      <div data-live="link">${link && isPayable(order) ? linkOf(link) : ''}</div>
      ${isPayable(order) && !isOpen ? form(order) : ''}`,
  };
}

function linkOf({ addressLost, expiresAt, qrCode, state, url }: LinkRecord): Html {
  return html`<section class="panel" aria-labelledby="link-state">
    <h2 id="link-state">${words[state]}</h2>
    ${
      state === 'expired'
        ? html`<p>Create a new link if the shopper still wants to pay over time.</p>`
        : html`${
              qrCode
                ? html`<img
                    class="qr"
                    src="data:image/png;base64,${qrCode}"
                    alt="QR code of the link"
                    width="220"
                    height="220"
                  />`
                : ''
            }
            ${url ? html`<p><a href="${url}">${url}</a></p>` : ''}
            ${
              url && new URL(url).hostname === 'localhost'
                ? html`<p class="note">
                    A phone cannot open an address of localhost: open it in another browser of this
                    machine.
                  </p>`
                : ''
            }
            ${
              addressLost
                ? html`<p class="note warning">
                    The answer of the service was lost. It may have sent the link to the shopper.
                  </p>`
                : ''
            }
            <p class="muted">It ends ${expiresAt.slice(0, 16).replace('T', ' ')} UTC.</p>`
    }
  </section>`;
}

function form({ id, contents }: Order): Html {
  const { phone } = contents.customer;
  return html`<form method="post" action="/admin/orders/${id}/link" class="panel">
    <label>
      Where the shopper is
      <select name="channel">
        <option value="E_COMMERCE">At home</option>
        <option value="IN_STORE">In the store</option>
        <option value="CALL_CENTER">On the phone</option>
      </select>
    </label>
    <label>
      Send it
      <select name="deliver">
        <option value="">Only show it here</option>
        <option value="email">By e-mail</option>
        ${phone ? html`<option value="sms">By text message</option>` : ''}
      </select>
    </label>
    <button class="primary" type="submit">Create the link</button>
  </form>`;
}
