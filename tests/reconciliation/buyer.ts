import { randomUUID } from 'node:crypto';
import { confirmOffer } from '../../bench/chaos/hosted.ts';
import { signTicket } from '../e2e/ticket.ts';
import { type Companion, type Service, SHOP_ORIGIN } from './companion.ts';

export interface Purchase {
  companion: Companion;
  service: Service;
  /** Time of the companion's clock, in milliseconds since 1970. */
  now: number;
  merchantOrderId: string;
  /** In minor units of USD. */
  total: number;
}

/**
 * Buys one order as the widget does: primes a checkout through the storefront API, confirms an offer
 * on the hosted page, and sends the confirmation token, for which the companion creates and settles
 * the charge.
 * @returns the status of the checkout
 */
export async function buy(purchase: Purchase): Promise<unknown> {
  const { companion, service, now, merchantOrderId, total } = purchase;
  const secret = randomUUID();
  async function post(path: string, body: object, headers: Record<string, string>) {
    const response = await fetch(companion.storefrontUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.publicKey}`,
        'financing-checkout-version': '1',
        origin: SHOP_ORIGIN,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }
  const order = signTicket(
    {
      aud: 'financing-companion',
      env: 'sandbox',
      iat: Math.floor(now / 1_000),
      exp: Math.floor(now / 1_000) + 3_600,
      jti: randomUUID(),
      order: {
        merchantOrderId,
        currency: 'USD',
        items: [{ name: 'Walnut desk', sku: 'D-1', price: total, quantity: 1 }],
        taxAmount: 0,
        shippingAmount: 0,
        totalAmount: total,
      },
    },
    companion.ticketSecret,
  );
  const idempotency = { 'idempotency-key': secret };
  const primed = await post('/checkout/prime', { environment: 'sandbox', order }, idempotency);
  const { id, presentation } = primed as { id: string; presentation: { hosted: { url: string } } };
  const confirmationToken = await confirmOffer(presentation.hosted.url);
  const confirmation = { confirmationToken };
  const own = { 'financing-checkout-secret': secret };
  return (await post(`/checkout/${id}/confirmation`, confirmation, own)).status;
}
