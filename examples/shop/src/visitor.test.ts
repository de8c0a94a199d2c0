import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { customer, testShop } from './shop.fixture.ts';
import { randomId, visitor, type ShopEnv } from './visitor.ts';

const origin = 'http://localhost:3000';
const form = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/** Sends a request with only a cookie. */
function asker(shop: ReturnType<typeof testShop>) {
  return async (path: string, cookie: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('host', 'localhost:3000');
    headers.set('cookie', cookie);
    return shop.app.request(origin + path, { ...init, headers });
  };
}
const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? '';

test.each([
  ['24 characters that the shop has not signed', () => `nook_visitor=${randomId()}`],
  ['a signature of another value', (own: string) => own.replace(/=[^.]+/, `=${randomId()}`)],
  ['a signature that is cut off', (own: string) => own.slice(0, -8)],
  ['nothing', () => 'nook_visitor='],
])('a cookie with %s is replaced and gets no cart', async (_, planted) => {
  const ask = asker(testShop());
  const own = cookieOf(await ask('/', ''));
  expect(own).toMatch(/^nook_visitor=[\w-]{24}\./);
  const cookie = planted(own);
  const added = await ask('/cart', cookie, form({ slug: 'fen-sofa', quantity: '1' }));
  expect(cookieOf(added)).toMatch(/^nook_visitor=[\w-]{24}\./);
  expect(cookieOf(added)).not.toBe(cookie);
  expect(await (await ask('/cart', cookie)).text()).toContain('Your cart is empty');
  expect(await (await ask('/cart', cookieOf(added))).text()).not.toContain('Your cart is empty');
});

describe('each order gives the browser a new id', () => {
  /** Places an order with a cookie that another person knows, and opens the payment page. */
  async function bought() {
    const shop = testShop();
    const ask = asker(shop);
    const planted = cookieOf(await ask('/', ''));
    await ask('/cart', planted, form({ slug: 'fen-sofa', quantity: '1' }));
    const page = await (await ask('/checkout', planted)).text();
    const [, word = ''] = /name="form" value="([\w-]{24})"/.exec(page) ?? [];
    const fields = { ...customer, form: word };
    const answer = await ask('/checkout', planted, form(fields));
    const path = (answer.headers.get('location') ?? '').replace('/payment', '');
    return { ask, planted, fields, own: cookieOf(answer), path };
  }

  test('hides name, address and order from someone who planted the cookie', async () => {
    const { ask, planted, own, path } = await bought();
    expect(await (await ask(path, own)).text()).toContain('Alder St');
    expect(await (await ask('/orders', own)).text()).toContain('NB-2026-');
    expect(await (await ask(path, planted)).text()).not.toContain('Alder St');
    expect(await (await ask('/orders', planted)).text()).toContain('No orders yet');
    expect((await ask(`${path}/payment`, planted)).status).not.toBe(200);
  });

  test('returns the same order and id for a second click on the same form', async () => {
    const { ask, planted, fields, own, path } = await bought();
    for (const cookie of [planted, own]) {
      const second = await ask('/checkout', cookie, form(fields));
      expect(second.headers.get('location')).toBe(`${path}/payment`);
      const kept = cookieOf(second) === '' ? cookie : cookieOf(second);
      expect(await (await ask(path, kept)).text()).toContain('Alder St');
    }
    const other = await ask('/checkout', planted, form({ ...fields, form: randomId() }));
    expect([other.headers.get('location'), cookieOf(other)]).toEqual(['/cart', '']);
  });

  test('keeps the earlier orders of the browser', async () => {
    const { ask, own, path } = await bought();
    await ask('/cart', own, form({ slug: 'ember-lamp', quantity: '1' }));
    const next = cookieOf(await ask('/checkout', own, form(customer)));
    expect(next).not.toBe(own);
    expect(await (await ask(path, next)).text()).toContain('Alder St');
  });
});

test('restricts the cookie to this host under HTTPS', async () => {
  const app = new Hono<ShopEnv>();
  app.use(visitor(true, 'secret')).get('/', (c) => c.text(c.get('visitor')));
  const response = await app.request('https://shop.example/');
  const cookie = response.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^__Host-nook_visitor=/);
  expect(cookie).toContain('Secure');
  expect(cookie).toContain('Path=/');
  expect(cookie).not.toContain('Domain');
  const id = await response.text();
  const own = cookieOf(response);
  const again = await app.request('https://shop.example/', { headers: { cookie: own } });
  expect(await again.text()).toBe(id);
  // Another host of the domain could set a cookie of this name.
  const plain = own.replace('__Host-', '');
  const set = await app.request('https://shop.example/', { headers: { cookie: plain } });
  expect(await set.text()).not.toBe(id);
});
