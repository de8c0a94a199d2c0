import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { CheckoutRecord } from '../../packages/contract/dist/back-office/index.js';
import { confirmOffer, type Choice } from '../../bench/chaos/hosted.ts';
import { stack, webhookRecords } from './merchant.ts';
import { orderForm } from './order-form.ts';
import { signTicket } from './ticket.ts';

interface TicketClaims {
  order: {
    merchantOrderId: string;
    taxAmount: number;
    shippingAmount: number;
    shippingTaxAmount?: number;
    totalAmount: number;
  };
}

/** A checkout whose offer the shopper has confirmed on the hosted page. */
export interface Approved {
  checkoutId: string;
  /** Idempotency-Key of the prime, which the page needs for its checkout. */
  secret: string;
  /** Undefined while the lender has not decided. */
  confirmationToken: string | undefined;
}

export interface StorefrontAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Returns the cookie that an answer sets, or an empty text. */
function cookieOf(answer: Response): string {
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** A shopper with one order at the example shop, who sends a browser's requests without a browser. */
export class Buyer {
  /** The order number. */
  readonly number: string;
  #ticket: string;
  readonly #orderId: string;

  private constructor(number: string, orderId: string, ticket: string) {
    this.number = number;
    this.#orderId = orderId;
    this.#ticket = ticket;
  }

  /** Puts one product into the cart and orders it. @param state state of the delivery, which sets the tax */
  static async order({ slug = 'wren-chair', state = 'IL' } = {}): Promise<Buyer> {
    const start = await fetch(stack.shop);
    await start.text();
    const cookie = cookieOf(start);
    const post = (path: string, fields: Record<string, string>) =>
      fetch(stack.shop + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: stack.shop },
        body: new URLSearchParams(fields),
      });
    expect((await post('/cart', { slug, quantity: '1' })).status).toBe(303);
    const ordered = await post('/checkout', orderForm({ state }));
    const location = ordered.headers.get('location') ?? '';
    const orderId = /^\/orders\/([^/]+)\/payment$/.exec(location)?.[1];
    // The order gives the browser a new id.
    const headers = { cookie: cookieOf(ordered) || cookie };
    const page = await (await fetch(stack.shop + location, { headers })).text();
    const ticket = /\border="([^"]+)"/.exec(page)?.[1];
    if (orderId === undefined || ticket === undefined) throw new Error('There is no payment page.');
    return new Buyer(claimsOf(ticket).order.merchantOrderId, orderId, ticket);
  }

  /** The order in the ticket. */
  get stated(): TicketClaims['order'] {
    return claimsOf(this.#ticket).order;
  }

  /** Signs a new ticket in which this part of the sales tax is tax on shipping. */
  splitTax(shippingTaxAmount: number): void {
    const claims = claimsOf(this.#ticket);
    const taxAmount = claims.order.taxAmount - shippingTaxAmount;
    const order = { ...claims.order, taxAmount, shippingTaxAmount };
    this.#ticket = signTicket({ ...claims, order }, stack.secrets.orderTicket);
  }

  /** Primes a checkout of the order, as a page without a stored checkout does. */
  begin(secret = randomUUID() + randomUUID()): Promise<StorefrontAnswer> {
    return this.#send(
      '/checkout/prime',
      { environment: 'sandbox', order: this.#ticket },
      { 'idempotency-key': secret },
    );
  }

  /** Opens a checkout and confirms an offer on the hosted page, without informing the shop's page. */
  async approve(choice: Choice = {}): Promise<Approved> {
    const secret = randomUUID() + randomUUID();
    const { status, body } = await this.begin(secret);
    expect([status, body.code]).toEqual([201, undefined]);
    const { id, presentation } = body as { id: string; presentation: { hosted: { url: string } } };
    const confirmationToken = await confirmOffer(presentation.hosted.url, choice);
    return { checkoutId: id, secret, confirmationToken };
  }

  /** Sends the confirmation token, as the shop's page does when it receives it. */
  confirm({ checkoutId, secret, confirmationToken }: Approved): Promise<StorefrontAnswer> {
    return this.#send(
      `/checkout/${checkoutId}/confirmation`,
      { confirmationToken },
      { 'financing-checkout-secret': secret },
    );
  }

  /** Cancels the checkout, as closing the page would. */
  leave({ checkoutId, secret }: Approved): Promise<StorefrontAnswer> {
    return this.#send(
      `/checkout/${checkoutId}/cancellation`,
      {},
      { 'financing-checkout-secret': secret },
    );
  }

  /** Pays the order from the button to the confirmation. @returns the companion's last answer */
  async pay(choice: Choice = {}): Promise<StorefrontAnswer> {
    return this.confirm(await this.approve(choice));
  }

  /** Returns the order's status in the shop. */
  async status(): Promise<string> {
    const answer = await fetch(`${stack.shop}/orders/${this.#orderId}/status`);
    return ((await answer.json()) as { status: string }).status;
  }

  /** Waits until the shop has marked the order as paid. @returns the webhook's record of the approval */
  async untilPaid(): Promise<CheckoutRecord & { chargeId: string }> {
    await expect.poll(() => this.status(), { interval: 100 }).toBe('paid');
    // The shop also polls the companion, and may learn of the approval before the webhook arrives.
    const approved = () =>
      webhookRecords(this.number).findLast(({ status }) => status === 'approved');
    await expect.poll(() => approved()?.chargeId).toBeDefined();
    const record = approved();
    if (record?.chargeId === undefined) throw new Error('The webhook states no charge.');
    return { ...record, chargeId: record.chargeId };
  }

  async #send(
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<StorefrontAnswer> {
    const answer = await fetch(stack.companion + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack.secrets.publicKey}`,
        'financing-checkout-version': '1',
        origin: stack.shop,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
}

function claimsOf(ticket: string): TicketClaims {
  const payload = Buffer.from(ticket.split('.')[1] ?? '', 'base64url').toString();
  return JSON.parse(payload) as TicketClaims;
}
