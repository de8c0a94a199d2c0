import { orderTicketClaimsSchema, orderTotal } from '@financing-checkout/contract/storefront';
import type { CheckoutRecord } from '@financing-checkout/contract/back-office';
import { createTicketVerifier } from '@financing-checkout/ticket';
import { describe, expect, test } from 'vitest';
import { record, secrets, testShop } from '../shop.fixture.ts';

function attribute(html: string, name: string): string {
  return new RegExp(`${name}="([^"]*)"`).exec(html)?.[1] ?? '';
}

function ticketIn(html: string) {
  const payload = attribute(html, 'order').split('.')[1] ?? '';
  return orderTicketClaimsSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}

test('uses the presentation that the address names', async () => {
  const browser = testShop().browser();
  const { payment } = await browser.order();
  const shown = async (query: string) =>
    attribute(await browser.text(payment + query), ' presentation');
  expect(await shown('')).toBe('embedded popup redirect sdk');
  expect(await shown('?presentation=sdk')).toBe('sdk');
  expect(await browser.text(`${payment}?presentation=%22%3E%3Cscript%3E`)).not.toContain(
    '"><script>',
  );
});

describe('the order ticket', () => {
  test('contains the frozen order, the environment, the companion and the origin', async () => {
    const browser = testShop().browser();
    const { payment, number } = await browser.order();
    const html = await browser.text(payment);
    const verify = createTicketVerifier({ secrets: [secrets.ticket] });
    const claims = await verify(attribute(html, 'order'), Date.now());
    const { order } = claims;
    expect(order.merchantOrderId).toBe(number);
    expect(order.totalAmount).toBe(178_035);
    expect(orderTotal(order)).toBe(order.totalAmount);
    expect(order.items).toEqual([
      {
        name: 'Wren chair',
        sku: 'NB-WRE-01',
        price: 34_000,
        quantity: 4,
        productCategory: 'Seating',
      },
      {
        name: 'Ember floor lamp',
        sku: 'NB-EMB-01',
        price: 42_000,
        quantity: 1,
        productCategory: 'Light & textiles',
      },
    ]);
    expect(order.consumer).toMatchObject({
      firstName: 'Ana',
      email: 'ana.ruiz@example.com',
      mobilePhoneNumber: '5035550142',
      shippingAddress: { state: 'CA', country: 'US' },
    });
    expect(claims.env).toBe('sandbox');
    expect(claims.origin).toBe('http://localhost:3000');
    expect(claims.exp - claims.iat).toBe(900);
  });

  test('is new on every view', async () => {
    const browser = testShop().browser();
    const { payment } = await browser.order();
    const first = ticketIn(await browser.text(payment));
    const second = ticketIn(await browser.text(payment));
    expect(second.jti).not.toBe(first.jti);
    expect(second.order).toEqual(first.order);
  });

  test('is not signed for a paid order', async () => {
    const shop = testShop();
    const browser = shop.browser();
    const order = await browser.order();
    await shop.deliver(record(order.number));
    expect((await browser.get(order.payment)).headers.get('location')).toBe(order.page);
  });
});

describe('the webhook', () => {
  test('marks an order as paid; a repeated message does nothing', async () => {
    const shop = testShop();
    const browser = shop.browser();
    const order = await browser.order();
    expect((await shop.deliver(record(order.number))).status).toBe(204);
    expect((await shop.deliver(record(order.number))).status).toBe(204);
    expect(await shop.statusOf(order.id)).toMatchObject({ status: 'paid' });
    expect(await browser.text(order.page)).toContain('Your order is paid');
    expect(shop.log.filter((line) => line.startsWith('info financing '))).toHaveLength(1);
  });

  test('marks an order as paid when its charge is lower for an accepted reason', async () => {
    const shop = testShop();
    const order = await shop.browser().order();
    const amount = { value: 168_000, currency: 'USD' };
    const charged = { amount, reason: 'lease-to-own-sales-tax' as const };
    expect((await shop.deliver(record(order.number, { charged }))).status).toBe(204);
    expect(await shop.statusOf(order.id)).toMatchObject({ status: 'paid' });
  });

  test('rejects an amount other than the order’s', async () => {
    const shop = testShop();
    const order = await shop.browser().order();
    const amount = { value: 168_000, currency: 'USD' };
    expect((await shop.deliver(record(order.number, { amount }))).status).toBe(422);
    expect(await shop.statusOf(order.id)).toMatchObject({ status: 'pending-payment' });
  });

  test.each([
    [
      'signed with another secret',
      { secret: 'whsec_YW5vdGhlci1zZWNyZXQtb2Ytc29tZWJvZHktZWxzZQ==' },
    ],
    ['changed on the way', { tamper: (body: string) => body.replace('178035', '178036') }],
    ['older than the tolerance', { at: new Date(Date.now() - 6 * 60_000) }],
    ['from the future', { at: new Date(Date.now() + 6 * 60_000) }],
  ])('that is %s is refused', async (_, options) => {
    const shop = testShop();
    const order = await shop.browser().order();
    expect((await shop.deliver(record(order.number), options)).status).toBe(401);
    expect(await shop.statusOf(order.id)).toMatchObject({ status: 'pending-payment' });
  });

  test('rejects a message without a signature', async () => {
    const shop = testShop();
    const { number, id } = await shop.browser().order();
    const response = await shop.app.request('http://localhost:3000/webhooks/financing', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'checkout.updated', data: record(number) }),
    });
    expect(response.status).toBe(401);
    expect(await shop.statusOf(id)).toMatchObject({ status: 'pending-payment' });
    expect(shop.log.join()).toContain('"reason":"signature"');
  });

  test('rejects a signed message with invalid content', async () => {
    const shop = testShop();
    const { number, id } = await shop.browser().order();
    const amount = { value: 178_035.5, currency: 'USD' };
    expect((await shop.deliver(record(number, { amount }))).status).toBe(400);
    expect(await shop.statusOf(id)).toMatchObject({ status: 'pending-payment' });
    expect(shop.log.join()).toContain('"reason":"content"');
  });

  test('ignores a message that is older than the stored one', async () => {
    const shop = testShop();
    const order = await shop.browser().order();
    await shop.deliver(record(order.number, { revision: 5, status: 'approved' }));
    await shop.deliver(record(order.number, { revision: 4, status: 'declined' }), { id: 'msg_2' });
    expect(await shop.statusOf(order.id)).toMatchObject({ status: 'paid' });
  });

  test.each([
    ['another amount', { amount: { value: 178_034, currency: 'USD' } }],
    ['another currency', { amount: { value: 178_035, currency: 'EUR' } }],
    ['another environment', { environment: 'uat' as const }],
    ['a charge that is refunded', { chargeState: 'Refunded' }],
    ['a charge that is voided', { chargeState: 'Voided' }],
    ['a charge that the lender took back', { chargeState: 'ChargedBack' }],
  ])('rejects %s and reports it to the staff', async (_, more) => {
    const shop = testShop();
    const order = await shop.browser().order();
    expect((await shop.deliver(record(order.number, more))).status).toBe(422);
    expect(await shop.statusOf(order.id)).toMatchObject({ status: 'pending-payment' });
    const admin = await shop.browser().get('/admin', { authorization: `Bearer ${secrets.admin}` });
    expect(await admin.text()).toMatch(/Financed[, ]/);
  });

  test('reports a refund after the payment, and keeps the order paid', async () => {
    const shop = testShop();
    const order = await shop.browser().order();
    await shop.deliver(record(order.number, { chargeState: 'Settled' }));
    const refunded = record(order.number, { revision: 2, chargeState: 'Refunded' });
    expect((await shop.deliver(refunded, { id: 'msg_2' })).status).toBe(422);
    expect(await shop.statusOf(order.id)).toMatchObject({ status: 'paid' });
    const admin = await shop.browser().get('/admin', { authorization: `Bearer ${secrets.admin}` });
    expect(await admin.text()).toContain('the state of the charge is Refunded');
  });

  test('answers 404 for an unknown order and logs it', async () => {
    const shop = testShop();
    expect((await shop.deliver(record('NB-2026-99999'))).status).toBe(404);
    expect(shop.log.join()).toContain('financing of an unknown order');
  });

  test('reports a second financing of a paid order', async () => {
    const shop = testShop();
    const order = await shop.browser().order();
    await shop.deliver(record(order.number));
    await shop.deliver(record(order.number, { checkoutId: 'chk_2' }));
    const admin = await shop.browser().get('/admin', { authorization: `Bearer ${secrets.admin}` });
    expect(await admin.text()).toContain('Financed 2 times');
  });
});

describe('a browser cannot mark an order as paid', () => {
  test('with any request to the shop', async () => {
    const shop = testShop();
    const browser = shop.browser();
    const order = await browser.order();
    await browser.get(`${order.page}?from=financing&status=paid&outcome=approved`);
    await browser.post(`${order.page}/status`, { status: 'paid' });
    await browser.post(order.page, { status: 'paid' });
    await browser.post(order.payment, { outcome: 'approved' });
    await browser.post('/webhooks/financing', { data: JSON.stringify(record(order.number)) });
    expect(await shop.statusOf(order.id)).toMatchObject({ status: 'pending-payment' });
  });

  test('shows a confirmation in progress after the widget, with and without script', async () => {
    const browser = testShop().browser();
    const order = await browser.order();
    const html = await browser.text(`${order.page}?from=financing`);
    expect(html).toContain('Confirming your financing');
    expect(html).toContain('data-under-way');
    expect(html).toMatch(/<noscript>\s*<meta\s+http-equiv="refresh"\s+content="5; url=\/orders/);
    expect(html).not.toContain('is paid');
  });

  test('sends the shopper on when a pending financing is open again', async () => {
    const shop = testShop();
    const browser = shop.browser();
    const order = await browser.order();
    await shop.deliver(record(order.number, { revision: 2, status: 'pending' }));
    await shop.deliver(record(order.number, { revision: 3, status: 'open' }));
    const html = await browser.text(`${order.page}?from=financing`);
    expect(html).toContain('Your order is waiting for payment');
    expect(html).toContain(order.payment);
  });
});

describe('a request to the companion', () => {
  test('sends the token and makes up for a lost webhook', async () => {
    let number = '';
    const shop = testShop(() => Response.json({ checkouts: [record(number)] }));
    const browser = shop.browser();
    const order = await browser.order();
    number = order.number;
    shop.pass(5_000);
    expect(await browser.text(order.page)).toContain('Your order is paid');
    const request = shop.asked.at(-1);
    expect(request?.url).toBe(`http://127.0.0.1:4001/checkouts?merchantOrderId=${number}`);
    expect(request?.headers.get('authorization')).toBe(`Bearer ${secrets.backOffice}`);
    expect(request?.redirect).toBe('error');
  });

  test('is sent at most every few seconds, and never for a paid order', async () => {
    const shop = testShop(() => Response.json({ checkouts: [] }));
    const browser = shop.browser();
    const order = await browser.order();
    await browser.get(order.page);
    await browser.get(order.page);
    const before = shop.asked.length;
    shop.pass(5_000);
    await browser.get(order.page);
    expect([before, shop.asked.length]).toEqual([1, 2]);
    await shop.deliver(record(order.number));
    shop.pass(5_000);
    await browser.get(order.page);
    expect(shop.asked.length).toBe(2);
  });

  test.each([
    ['refuses the connection', () => Promise.reject(new TypeError('fetch failed')), 'unreachable'],
    ['refuses the token', () => new Response('', { status: 401 }), 'token-refused'],
    ['fails', () => new Response('oops', { status: 500 }), 'request-refused'],
    ['is cut off', () => new Response('{"checkouts":[{"che'), 'answer-invalid'],
    [
      'says something else',
      () => Response.json({ checkouts: [{ status: 'yes' }] }),
      'answer-invalid',
    ],
  ])('leaves the order as it was when the companion %s', async (_, companion, reason) => {
    const shop = testShop(companion);
    const browser = shop.browser();
    const order = await browser.order();
    const response = await browser.get(order.page);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Waiting for payment');
    expect(shop.log.join()).toContain(reason);
    expect(shop.log.join()).not.toContain(secrets.backOffice);
  });

  test('ignores a record of another order', async () => {
    let answer: CheckoutRecord[] = [];
    const shop = testShop(() => Response.json({ checkouts: answer }));
    const browser = shop.browser();
    const first = await browser.order();
    const second = await browser.order();
    shop.pass(10_000);
    answer = [record(second.number)];
    await browser.get(first.page);
    answer = [];
    expect(await shop.statusOf(second.id)).toMatchObject({ status: 'pending-payment' });
  });
});
