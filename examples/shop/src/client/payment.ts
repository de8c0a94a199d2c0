import type { FinancingCheckout } from '@financing-checkout/widget';

/**
 * Goes on to the order's page once there is nothing left to do on this one. That page says what
 * the shop's backend knows: this event is the browser's word, and no order becomes paid by it.
 */
export function followFinancing(element: FinancingCheckout): void {
  element.addEventListener('financing-outcome', ({ outcome, retrySafe }) => {
    // Not known whether there is a charge: the order's page waits for it, and offers no other way
    // to pay meanwhile. After any other outcome the shopper chooses here, beside the widget's text.
    const unknown = outcome === 'unavailable' && retrySafe === false;
    const address = element.dataset.orderPage;
    if (address && (outcome === 'approved' || outcome === 'pending' || unknown)) {
      location.assign(address);
    }
  });
}
