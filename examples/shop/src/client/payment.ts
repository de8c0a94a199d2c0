import type { FinancingCheckout } from '@financing-checkout/widget';
import { watchOrder } from './order-status.ts';

/**
 * Goes on to the order's page once there is nothing left to do on this one. That page says what
 * the shop's backend knows: this event is the browser's word, and no order becomes paid by it.
 */
export function followFinancing(element: FinancingCheckout): void {
  const { orderPage = '', statusAddress = '', status = '' } = element.dataset;
  const leave = () => location.assign(orderPage);
  let watching = false;
  element.addEventListener('financing-outcome', ({ outcome, retrySafe, checkoutId }) => {
    // Not known whether there is a charge: nothing else may be paid with.
    const unknown = outcome === 'unavailable' && retrySafe === false;
    // Where this page has the checkout it stays: the element may hold a confirmation that has not
    // reached the companion yet, and sends it once the network is back. Another tab's is waited for
    // on the order's page. After any other outcome the shopper chooses here.
    const stays = unknown && checkoutId !== undefined;
    for (const other of document.querySelectorAll<HTMLElement>('[data-other-way]')) {
      other.hidden = stays;
    }
    if (stays && !watching) {
      watching = true;
      // The order may be paid by another tab's checkout, of which this element knows nothing.
      watchOrder(statusAddress, status, leave);
    }
    if (!stays && (unknown || outcome === 'approved' || outcome === 'pending')) leave();
  });
}
