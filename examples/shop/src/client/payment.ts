import type { FinancingCheckout } from '@financing-checkout/widget';
import { watchOrder } from './order-status.ts';

/**
 * Opens the order's page when the payment page has nothing left to do. The order's page shows the
 * status from the shop's backend; this event comes from the browser and does not make an order
 * paid.
 */
export function followFinancing(element: FinancingCheckout): void {
  const { orderPage = '', statusAddress = '', status = '' } = element.dataset;
  const leave = () => location.assign(orderPage);
  let watching = false;
  element.addEventListener('financing-outcome', (event) => {
    const { outcome, retrySafe, checkoutId, linkExpiresAt } = event;
    // A charge may exist, so the page must not offer another way to pay.
    const unknown = outcome === 'unavailable' && retrySafe === false;
    // Stays if this page has the checkout, because the element may hold a confirmation that it
    // sends once the network is back. For another tab's checkout, waits on the order's page. After
    // any other outcome, the shopper chooses on this page.
    const stays = unknown && checkoutId !== undefined;
    for (const other of document.querySelectorAll<HTMLElement>('[data-other-way]')) {
      other.hidden = stays;
    }
    if ((stays || linkExpiresAt !== undefined) && !watching) {
      watching = true;
      // The order can still be paid in another tab, or on the phone that has the link.
      watchOrder(statusAddress, status, leave);
    }
    if (!stays && (unknown || outcome === 'approved' || outcome === 'pending')) leave();
  });
}
