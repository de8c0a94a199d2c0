import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { CheckoutRecord } from '../../packages/contract/dist/index.js';
import { confirmOffer, type Choice } from '../../bench/chaos/hosted.ts';
import { stack, told } from './merchant.ts';
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
  /** Undefined while the lender takes its time. */
  /** Idempotency-Key of the prime, which the page needs for its checkout. */
  secret: string;
  confirmationToken: string | undefined;
}

export interface StorefrontAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Returns the cookie that an answer sets, or nothing. */
function cookieOf(answer: Response): string {
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** A shopper with one order at the example shop, by the requests that a browser sends. */
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

  /** Puts one product into the cart and orders it. @param state of the delivery: its tax */
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
    const ordered = await post('/checkout', {
      firstName: 'Alex',
      lastName: 'Rivera',
      email: 'alex@example.com',
      phone: '',
      line1: '1 Main Street',
      line2: '',
      city: 'Springfield',
      state,
      zipCode: '62701',
    });
    const location = ordered.headers.get('location') ?? '';
    const orderId = /^\/orders\/([^/]+)\/payment$/.exec(location)?.[1];
    // The order gives the browser a new name.
    const headers = { cookie: cookieOf(ordered) || cookie };
    const page = await (await fetch(stack.shop + location, { headers })).text();
    const ticket = /\border="([^"]+)"/.exec(page)?.[1];
    if (orderId === undefined || ticket === undefined) throw new Error('There is no payment page.');
    return new Buyer(claimsOf(ticket).order.merchantOrderId, orderId, ticket);
  }

  /** The order as its ticket states it. */
  get stated(): TicketClaims['order'] {
    return claimsOf(this.#ticket).order;
  }

  /** Has the shop state that so much of its sales tax is tax on the shipping. */
  splitTax(shippingTaxAmount: number): void {
    const claims = claimsOf(this.#ticket);
    const taxAmount = claims.order.taxAmount - shippingTaxAmount;
    const order = { ...claims.order, taxAmount, shippingTaxAmount };
    this.#ticket = signTicket({ ...claims, order }, stack.secrets.orderTicket);
  }

  /** Asks for a checkout of the order, as a page does that remembers none. */
  begin(secret = randomUUID() + randomUUID()): Promise<StorefrontAnswer> {
    return this.#send(
      '/checkout/prime',
      { environment: 'sandbox', order: this.#ticket },
      { 'idempotency-key': secret },
    );
  }

  /** Opens a checkout and confirms an offer on the hosted page. The shop's page hears nothing yet. */
  async approve(choice: Choice = {}): Promise<Approved> {
    const secret = randomUUID() + randomUUID();
    const { status, body } = await this.begin(secret);
    expect([status, body.code]).toEqual([201, undefined]);
    const { id, presentation } = body as { id: string; presentation: { hosted: { url: string } } };
    const confirmationToken = await confirmOffer(presentation.hosted.url, choice);
    return { checkoutId: id, secret, confirmationToken };
  }

  /** Sends the confirmation token, as the shop's page does once it hears it. */
  confirm({ checkoutId, secret, confirmationToken }: Approved): Promise<StorefrontAnswer> {
    return this.#send(
      `/checkout/${checkoutId}/confirmation`,
      { confirmationToken },
      { 'financing-checkout-secret': secret },
    );
  }

  /** Leaves the shop's page, as a page that is closed says. */
  leave({ checkoutId, secret }: Approved): Promise<StorefrontAnswer> {
    return this.#send(
      `/checkout/${checkoutId}/cancellation`,
      {},
      { 'financing-checkout-secret': secret },
    );
  }

  /** Pays the order from the button to the confirmation. @returns the companion's last word */
  async pay(choice: Choice = {}): Promise<StorefrontAnswer> {
    return this.confirm(await this.approve(choice));
  }

  /** Where the order stands in the shop. */
  async status(): Promise<string> {
    const answer = await fetch(`${stack.shop}/orders/${this.#orderId}/status`);
    return ((await answer.json()) as { status: string }).status;
  }

  /** Waits for the shop to have the order as paid. @returns what the webhook stated of it */
  async untilPaid(): Promise<CheckoutRecord & { chargeId: string }> {
    await expect.poll(() => this.status(), { interval: 100 }).toBe('paid');
    // The shop asks the companion as well, and may hear of it before the webhook arrives.
    const approved = () => told(this.number).findLast(({ status }) => status === 'approved');
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
