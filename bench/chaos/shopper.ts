import { randomUUID } from 'node:crypto';
import { Chance } from '../fuzz/chance.ts';
import { signTicket } from '../../tests/e2e/ticket.ts';
import type { Client } from './client.ts';
import { confirmOffer } from './hosted.ts';
import type { Visit } from './plan.ts';

export interface ShopperOptions {
  visit: Visit;
  client: Client;
  ticketSecret: string;
  /** Resolves when the shop has marked the order as paid. */
  paid: Promise<void>;
}

/** The final answer to the shopper. */
export type Farewell = 'approved' | 'paid in another tab' | 'left';

/** Pays one order as the widget does, in the planned number of tabs, until it is paid. */
export async function shop(options: ShopperOptions): Promise<Farewell[]> {
  const { visit } = options;
  return Promise.all(
    Array.from({ length: visit.tabs }, (_, tab) => payInTab(options, new Chance(visit.seed, tab))),
  );
}

async function payInTab(options: ShopperOptions, chance: Chance): Promise<Farewell> {
  const order = { paid: false };
  void options.paid.then(() => (order.paid = true));
  for (;;) {
    const ended = await payOnce(options, chance);
    if (ended !== undefined) return ended;
    if (order.paid) return 'paid in another tab';
    await options.client.rest();
  }
}

/** Runs one checkout up to its outcome. @returns undefined when it failed and the shopper starts again */
async function payOnce(
  { visit, client, ticketSecret, paid }: ShopperOptions,
  chance: Chance,
): Promise<Farewell | undefined> {
  const now = Math.floor(Date.now() / 1000);
  const order = signTicket(
    {
      aud: 'financing-companion',
      env: 'sandbox',
      iat: now,
      exp: now + 3_600,
      jti: randomUUID(),
      order: {
        merchantOrderId: visit.merchantOrderId,
        currency: 'USD',
        items: [{ name: 'Walnut desk', sku: 'D-1', price: visit.total, quantity: 1 }],
        taxAmount: 0,
        shippingAmount: 0,
        totalAmount: visit.total,
      },
    },
    ticketSecret,
  );
  const secret = randomUUID();
  const primed = await client.until(
    'POST',
    '/checkout/prime',
    { environment: 'sandbox', order },
    { 'idempotency-key': secret },
  );
  if (primed.body.code === 'checkout-not-open') {
    // Another tab has a charge, or the companion looks up an outcome; the order may become free again.
    await Promise.race([paid, client.rest()]);
    return undefined;
  }
  if (primed.status !== 201) return undefined;
  const { id, presentation } = primed.body as {
    id: string;
    presentation?: { hosted: { url: string } };
  };
  // An earlier answer was lost, and the checkout has ended since.
  if (presentation === undefined) return undefined;
  const confirmationToken = await confirmOffer(presentation.hosted.url);
  if (confirmationToken === undefined) return undefined;
  const headers = { 'financing-checkout-secret': secret };
  const path = `/checkout/${id}/confirmation`;
  if (visit.leaves) {
    const gone = AbortSignal.timeout(chance.whole(1, 60));
    await client.once('POST', path, { confirmationToken }, headers, gone);
    return 'left';
  }
  const confirm = () => client.until('POST', path, { confirmationToken }, headers);
  let { status, body } = await confirm();
  for (;;) {
    if (status !== 200) return undefined;
    if (body.status === 'approved') return 'approved';
    const waits = body.status === 'confirming' || body.status === 'pending';
    if (waits || (body.status === 'unavailable' && body.retrySafe === false)) {
      // A charge may exist, so the shopper waits.
      await client.rest();
      ({ status, body } = await client.until('GET', `/checkout/${id}`, undefined, headers));
    } else if (body.status === 'unavailable' && chance.yes(0.5)) {
      ({ status, body } = await confirm());
    } else {
      return undefined;
    }
  }
}
