import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { headers } from './security.ts';
import { customer, testShop } from './shop.fixture.ts';

test('creates the database so that only its owner can read it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'));
  const database = openDatabase(join(folder, 'shop.db'));
  const files = readdirSync(folder);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  database.close();
  rmSync(folder, { recursive: true });
});

test('rejects a form that another site submits', async () => {
  const browser = testShop().browser();
  await browser.post('/cart', { slug: 'fen-sofa', quantity: '1' });
  for (const from of ['https://evil.example', 'null', 'http://localhost:3001']) {
    const response = await browser.post('/checkout', customer, from);
    expect(response.status).toBe(403);
  }
  expect(await browser.text('/orders')).toContain('No orders yet');
});

test('keeps the cookie from scripts and from other sites', async () => {
  const response = await testShop().browser().get('/');
  const cookie = response.headers.get('set-cookie');
  expect(cookie).toContain('HttpOnly');
  expect(cookie).toContain('SameSite=Lax');
});

test('allows the shop, the companion and the hosted page in the policy', async () => {
  const response = await testShop().browser().get('/');
  const policy = (response.headers.get('content-security-policy') ?? '').split('; ');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("style-src 'self'");
  expect(policy).toContain("connect-src 'self' http://localhost:4000");
  expect(policy).toContain('frame-src http://localhost:4444');
  expect(policy).toContain("form-action 'self' http://localhost:4000 http://localhost:4444");
  expect(policy.join()).toContain("require-trusted-types-for 'script'");
  expect(policy.join()).not.toContain('unsafe');
});

test('allows the service’s script in the policy when the companion offers it', async () => {
  const origin = 'https://shop.example';
  const sdkOrigin = 'https://cdn.example';
  const app = new Hono().use(
    headers({ origin, companionOrigin: origin, hostedOrigin: origin, sdkOrigin }),
  );
  const response = await app.request(origin);
  const policy = (response.headers.get('content-security-policy') ?? '').split('; ');
  expect(policy).toContain("script-src 'self' https://cdn.example");
  expect(policy).toContain("connect-src 'self' https://shop.example https://cdn.example");
  expect(policy).toContain('frame-src https://shop.example https://cdn.example');
  expect(policy).toContain('trusted-types lit-html financing-checkout');
});

test.each([
  ['https://shop.example', 'max-age=31536000'],
  ['http://localhost:3000', null],
])('%s sends Strict-Transport-Security only over HTTPS', async (origin, promised) => {
  const app = new Hono().use(headers({ origin, companionOrigin: origin, hostedOrigin: origin }));
  const response = await app.request(origin);
  expect(response.headers.get('strict-transport-security')).toBe(promised);
});

test('writes no inline script or style', async () => {
  const browser = testShop().browser();
  const order = await browser.order();
  await browser.post('/cart', { slug: 'marl-rug', quantity: '1' });
  const pages = [
    '/',
    '/products/fen-sofa',
    '/cart',
    '/checkout',
    '/orders',
    order.page,
    order.payment,
  ];
  for (const path of pages) {
    const html = await browser.text(path);
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    expect(html).not.toMatch(/<script[^>]*>[^<]/);
  }
});

test('redirects a page under another name to the shop’s origin', async () => {
  const response = await testShop().app.request('http://127.0.0.1:3000/cart?x=1', {
    headers: { host: '127.0.0.1:3000' },
  });
  expect(response.status).toBe(307);
  expect(response.headers.get('location')).toBe('http://localhost:3000/cart?x=1');
});

test('logs one line for each request, without name, e-mail address or order id', async () => {
  const shop = testShop();
  const browser = shop.browser();
  const order = await browser.order();
  await browser.get(order.page);
  const log = shop.log.join('\n');
  expect(log).toContain('"route":"/orders/:id"');
  for (const secret of [order.id, 'Ruiz', 'ana.ruiz', 'Alder St', '5550142']) {
    expect(log).not.toContain(secret);
  }
});

test('answers 400 to a body that is not a form', async () => {
  const response = await testShop().app.request('http://localhost:3000/cart', {
    method: 'POST',
    headers: { origin: 'http://localhost:3000', 'content-type': 'multipart/form-data; boundary=x' },
    body: 'garbage',
  });
  expect(response.status).toBe(400);
});

test('hides an unexpected error from the shopper, and its message from the log', async () => {
  const shop = testShop();
  shop.database.close();
  const response = await shop.browser().get('/cart');
  expect(response.status).toBe(500);
  expect(await response.text()).toBe('Something went wrong here. Please try again.');
  expect(shop.log.join()).toContain('unexpected');
});
