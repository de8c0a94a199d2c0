import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { confirmOffer } from '../../bench/chaos/hosted.ts';
import type { Stack } from '../stack.ts';
import { ask } from './ask.ts';

/** An order at the example shop, and what the back office does with its charge. Amounts in minor units. */
export interface Purchase {
  slugs: string[];
  /** Code of the lender's offer. */
  offer: string;
  settle?: number | 'all';
  refund?: number;
}

/**
 * Today's orders, whose charges the companion holds: authorized, settled in part, settled, refunded
 * in part.
 */
export const purchases: readonly Purchase[] = [
  { slugs: ['fen-sofa', 'marl-rug'], offer: 'HAL-1499-24' },
  { slugs: ['wren-chair', 'tarn-table'], offer: 'QUI-999-12' },
  { slugs: ['quill-bed'], offer: 'TAM-0-6' },
  { slugs: ['ridge-desk', 'ember-lamp'], offer: 'QUI-999-12', settle: 129_000 },
  { slugs: ['lark-wardrobe', 'pebble-ottoman'], offer: 'HAL-1499-24', settle: 29_000 },
  { slugs: ['alder-lounge-chair'], offer: 'TAM-0-6', settle: 'all' },
  { slugs: ['cove-sideboard'], offer: 'QUI-999-12', settle: 'all' },
  { slugs: ['hollow-bookcase', 'ember-lamp'], offer: 'TAM-0-6', settle: 'all', refund: 42_000 },
];

const WAIT_MS = 60_000;

/**
 * Places and pays an order as a shopper without a browser, then settles and refunds as the back
 * office.
 */
export async function buy(stack: Stack, purchase: Purchase): Promise<void> {
  const ticket = await order(stack, purchase.slugs);
  const secret = randomUUID() + randomUUID();
  const storefront = <Body>(path: string, body: object, headers: Record<string, string>) =>
    ask<Body>(stack.companion + path, {
      token: stack.secrets.publicKey,
      body,
      headers: { 'financing-checkout-version': '1', origin: stack.shop, ...headers },
    });
  const { id, presentation } = await storefront<{
    id: string;
    presentation: { hosted: { url: string } };
  }>('/checkout/prime', { environment: 'sandbox', order: ticket }, { 'idempotency-key': secret });
  const confirmationToken = await confirmOffer(presentation.hosted.url, purchase);
  await storefront(
    `/checkout/${id}/confirmation`,
    { confirmationToken },
    { 'financing-checkout-secret': secret },
  );

  const charge = await chargeOf(stack, orderNumber(ticket));
  const operate = (verb: string, body: object) =>
    ask(`${stack.backOffice}/charges/${charge}/${verb}`, {
      token: stack.secrets.backOfficeToken,
      body,
      headers: { 'idempotency-key': randomUUID() },
    });
  const { settle, refund } = purchase;
  if (settle !== undefined) await operate('settles', settle === 'all' ? {} : { amount: settle });
  if (refund !== undefined) await operate('refunds', { amount: refund });
}

/** Orders products through the shop's forms. @returns the order ticket of the payment page */
async function order(stack: Stack, slugs: readonly string[]): Promise<string> {
  let cookie = cookieOf(await read(await fetch(stack.shop)));
  const post = async (path: string, fields: Record<string, string>) => {
    const answer = await fetch(stack.shop + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: stack.shop },
      body: new URLSearchParams(fields),
    });
    cookie = cookieOf(answer) || cookie;
    await answer.body?.cancel();
    return answer.headers.get('location') ?? '';
  };
  for (const slug of slugs) await post('/cart', { slug, quantity: '1' });
  const payment = await post('/checkout', {
    firstName: 'Ada',
    lastName: 'Quayle',
    email: 'ada@example.com',
    phone: '',
    line1: '1 Main Street',
    line2: '',
    city: 'Springfield',
    state: 'IL',
    zipCode: '62701',
  });
  const page = await fetch(stack.shop + payment, { headers: { cookie } });
  const ticket = /\border="([^"]+)"/.exec(await page.text())?.[1];
  if (ticket === undefined) throw new Error('the shop shows no payment page');
  return ticket;
}

async function chargeOf(stack: Stack, merchantOrderId: string): Promise<string> {
  const deadline = Date.now() + WAIT_MS;
  while (Date.now() < deadline) {
    const { charges } = await ask<{ charges: { id: string }[] }>(
      `${stack.backOffice}/charges?merchantOrderId=${merchantOrderId}`,
      { token: stack.secrets.backOfficeToken },
    );
    if (charges[0]) return charges[0].id;
    await pause(50);
  }
  throw new Error(`order ${merchantOrderId} has no charge`);
}

function orderNumber(ticket: string): string {
  const payload = Buffer.from(ticket.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(payload) as { order: { merchantOrderId: string } }).order.merchantOrderId;
}

function cookieOf(answer: Response): string {
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

async function read(answer: Response): Promise<Response> {
  await answer.text();
  return answer;
}
