import type { CheckoutRecord } from '@financing-checkout/contract/back-office';
import { expect, test } from 'vitest';
import { customer, record, testShop } from '../shop.fixture.ts';

test('creates an order from the server’s cart and empties the cart', async () => {
  const shop = testShop();
  const browser = shop.browser();
  const order = await browser.order();
  expect(order.id).toMatch(/^[\w-]{24}$/);
  expect(order.number).toBe('NB-2026-10042');
  expect(await browser.text('/cart')).toContain('Your cart is empty');
  const page = await browser.text(order.page);
  expect(page).toContain('$1,780.35');
  expect(page).toContain('Waiting for payment');
});

test('increases order numbers by one', async () => {
  const shop = testShop();
  await shop.browser().order();
  expect((await shop.browser().order()).number).toBe('NB-2026-10043');
});

test('ignores a price in the form', async () => {
  const browser = testShop().browser();
  const { page } = await browser.order({ 'fen-sofa': 1 }, { price: '1', total: '1', state: 'OR' });
  expect(await browser.text(page)).toContain('$2,490.00');
});

test('freezes an order: the database refuses changes', async () => {
  const shop = testShop();
  const { id } = await shop.browser().order();
  const change = shop.database.prepare('UPDATE orders SET contents = ? WHERE id = ?');
  expect(() => change.run('{}', id)).toThrow('frozen');
});

test('escapes a shopper’s text', async () => {
  const browser = testShop().browser();
  const { page, payment } = await browser.order(undefined, {
    lastName: '<script>alert(1)</script>',
    line1: '"><img src=x onerror=alert(1)>',
  });
  for (const html of [await browser.text(page), await browser.text(payment)]) {
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('<img src=x');
  }
  expect(await browser.text(page)).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('returns an invalid form with its values and creates no order', async () => {
  const browser = testShop().browser();
  await browser.post('/cart', { slug: 'marl-rug', quantity: '1' });
  const response = await browser.post('/checkout', { ...customer, zipCode: '12', email: 'nobody' });
  expect(response.status).toBe(422);
  const html = await response.text();
  expect(html).toContain('Enter a ZIP code of five digits.');
  expect(html).toContain('Enter an e-mail address');
  expect(html).toContain('value="12 Alder St"');
  expect(await browser.text('/orders')).toContain('No orders yet');
});

test('shows the order without the shopper to another browser', async () => {
  const shop = testShop();
  const order = await shop.browser().order();
  const other = shop.browser();
  const html = await other.text(order.page);
  expect(html).toContain(order.number);
  expect(html).not.toContain('ana.ruiz@example.com');
  expect(html).not.toContain('12 Alder St');
  expect((await other.get(order.payment)).status).toBe(404);
  expect((await other.post(`${order.page}/transfer`)).status).toBe(404);
  expect((await other.post(`${order.page}/cancellation`)).status).toBe(404);
  expect(await other.text('/orders')).toContain('No orders yet');
});

test('offers a bank transfer without financing', async () => {
  const shop = testShop();
  const browser = shop.browser();
  const order = await browser.order();
  await shop.deliver(record(order.number, { status: 'declined' }));
  await browser.post(`${order.page}/transfer`);
  expect(await shop.statusOf(order.id)).toMatchObject({ status: 'awaiting-transfer' });
  expect(await browser.text(order.page)).toContain('Please send us $1,780.35');
});

test('offers no other way to pay while a lender may still approve', async () => {
  const shop = testShop();
  const browser = shop.browser();
  const order = await browser.order();
  await shop.deliver(record(order.number, { status: 'unavailable' }));
  expect(await shop.statusOf(order.id)).toMatchObject({ status: 'in-review' });
  expect(await browser.text(order.payment)).not.toContain('by transfer');
  await browser.post(`${order.page}/transfer`);
  await browser.post(`${order.page}/cancellation`);
  expect(await shop.statusOf(order.id)).toMatchObject({ status: 'in-review' });
  // There is certainly no charge, so the shopper may pay another way.
  await shop.deliver(record(order.number, { revision: 2, status: 'unavailable', retrySafe: true }));
  await browser.post(`${order.page}/transfer`);
  expect(await shop.statusOf(order.id)).toMatchObject({ status: 'awaiting-transfer' });
});

test('cancels an order that is changed, and refills the cart', async () => {
  const shop = testShop();
  const browser = shop.browser();
  const order = await browser.order({ 'fen-sofa': 2 });
  await browser.post(`${order.page}/cancellation`);
  expect(await shop.statusOf(order.id)).toMatchObject({ status: 'cancelled' });
  expect(await browser.text('/cart')).toContain('$4,980.00');
  expect((await browser.get(order.payment)).headers.get('location')).toBe(order.page);
});

test.each(['transfer', 'cancellation'])(
  'asks the companion before a %s, because the webhook may be late',
  async (step) => {
    let says: CheckoutRecord[] = [];
    const shop = testShop(() => Response.json({ checkouts: says }));
    const browser = shop.browser();
    const order = await browser.order();
    says = [record(order.number, { status: 'pending' })];
    shop.pass(5_000);
    await browser.post(`${order.page}/${step}`);
    expect(await shop.statusOf(order.id)).toMatchObject({ status: 'in-review' });
    expect(
      shop.database.prepare('SELECT cancelled_at, transfer_chosen_at FROM orders').get(),
    ).toEqual({ cancelled_at: null, transfer_chosen_at: null });
  },
);

test('explains an empty cart to a browser without cookies', async () => {
  const { app } = testShop();
  const origin = 'http://localhost:3000';
  const added = await app.request(`${origin}/cart`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'slug=wren-chair&quantity=1',
  });
  expect(added.headers.get('location')).toBe('/cart');
  const cart = await (await app.request(`${origin}/cart`)).text();
  expect(cart).toContain('Your cart is empty');
  expect(cart).toMatch(/where cookies are blocked, it\s+stays empty/);
});

test('creates one order for a checkout form that is sent twice, until the order is paid', async () => {
  const browser = testShop().browser();
  const { payment, page } = await browser.order();
  const again = async () => (await browser.post('/checkout', customer)).headers.get('location');
  expect(await again()).toBe(payment);
  await browser.post(`${page}/transfer`);
  expect(await again()).toBe('/cart');
});
