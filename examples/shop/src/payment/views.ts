import type { Environment } from '@financing-checkout/contract/storefront';
import { html } from 'hono/html';
import { formatMoney } from '../money.ts';
import { isPayable, orderStatus } from '../orders/order.ts';
import type { Order } from '../orders/order.ts';
import { orderSummary } from '../orders/views.ts';
import type { Page } from '../page/layout.ts';

export interface PaymentView {
  order: Order;
  /** The signed order ticket. */
  ticket: string;
  publicApiKey: string;
  environment: Environment;
  companionUrl: string;
  /** Presentations of the lender's page, preferred one first. */
  presentation: string;
  /** Return address of a redirect: this page, whose element completes the checkout. */
  returnUrl: string;
  /** Return address of the form: a page that waits until the service notifies the companion. */
  formReturnUrl: string;
}

/**
 * Renders the payment step: financing, and another way to pay without a lender. Both work without a
 * script: the form inside the element stays usable until the element is defined.
 */
export function paymentPage(view: PaymentView): Page {
  const { order } = view;
  const payable = isPayable(order);
  const total = formatMoney(order.contents.totalAmount);
  return {
    title: `Payment of order ${order.number}`,
    section: 'cart',
    main: html`<p class="eyebrow">Order ${order.number}</p>
      <h1>${payable ? 'How would you like to pay?' : 'Your financing'}</h1>
      <div class="columns">
        <div class="methods">
          <section class="method" aria-labelledby="pay-over-time">
            <h2 id="pay-over-time">Pay over time</h2>
            <p>
              Lenders make you offers for ${total}. You see the monthly payment and what it costs in
              all before you agree to anything.
            </p>
            <financing-checkout
              public-key="${view.publicApiKey}"
              environment="${view.environment}"
              companion="${view.companionUrl}"
              order="${view.ticket}"
              presentation="${view.presentation}"
              return-url="${view.returnUrl}"
              locale="en-US"
              data-order-page="/orders/${order.id}?from=financing"
              data-status-address="/orders/${order.id}/status"
              data-status="${orderStatus(order)}"
            >
              <form method="post" action="${view.companionUrl}/checkout/start">
                <input type="hidden" name="order" value="${view.ticket}" />
                <input type="hidden" name="environment" value="${view.environment}" />
                <input type="hidden" name="publicKey" value="${view.publicApiKey}" />
                <input type="hidden" name="returnUrl" value="${view.formReturnUrl}" />
                <button type="submit" class="primary wide">Pay over time</button>
              </form>
            </financing-checkout>
          </section>
          <section class="method" aria-labelledby="bank-transfer" data-other-way>
            <h2 id="bank-transfer">Bank transfer</h2>
            ${
              payable
                ? html`<p>
                      You get our account and a reference. We start on your order when the money has
                      arrived.
                    </p>
                    <form method="post" action="/orders/${order.id}/transfer">
                      <button type="submit">Pay ${total} by transfer</button>
                    </form>`
                : html`<p>
                    A lender is still deciding about this order. A transfer is possible again as
                    soon as it has said no, so that you never pay twice.
                  </p>`
            }
          </section>
          ${
            payable
              ? html`<form method="post" action="/orders/${order.id}/cancellation" data-other-way>
                  <button type="submit" class="quiet">Change the order</button>
                </form>`
              : ''
          }
        </div>
        <aside class="panel" aria-labelledby="payment-sums">
          <h2 id="payment-sums">Your order</h2>
          ${orderSummary(order)}
        </aside>
      </div>`,
  };
}
