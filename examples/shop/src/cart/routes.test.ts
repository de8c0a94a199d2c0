import { describe, expect, test } from 'vitest';
import { testShop } from '../shop.fixture.ts';

const MESSAGE = 'Choose a whole number from 1 to 10.';

describe('an invalid quantity', () => {
  test.each(['1.5', '999999999', '-1', 'two', '1e1', '', ' '])(
    'shows a message in the cart and changes nothing: "%s"',
    async (quantity) => {
      const browser = testShop().browser();
      await browser.post('/cart', { slug: 'fen-sofa', quantity: '2' });
      const answer = await browser.post('/cart/fen-sofa', { quantity });
      const page = await answer.text();
      expect(answer.status).toBe(422);
      expect(page).toContain('<h1>Your cart</h1>');
      expect(page).toMatch(/<select[^>]* aria-invalid="true"\s+aria-describedby="fen-sofa-error"/);
      expect(page).toMatch(new RegExp(`id="fen-sofa-error"[^>]*>${MESSAGE}<`));
      expect(page).toMatch(/<option selected>\s*2\s*</);
      expect(await browser.text('/cart')).not.toContain(MESSAGE);
    },
  );

  test.each(['1.5', '999999999', '0', ''])(
    'shows a message on the product page and adds nothing: "%s"',
    async (quantity) => {
      const browser = testShop().browser();
      const answer = await browser.post('/cart', { slug: 'fen-sofa', quantity });
      const page = await answer.text();
      expect(answer.status).toBe(422);
      expect(page).toContain('action="/cart"');
      expect(page).toMatch(/<select[^>]* aria-invalid="true"\s+aria-describedby="quantity-error"/);
      expect(page).toMatch(new RegExp(`id="quantity-error"[^>]*>${MESSAGE}<`));
      expect(await browser.text('/cart')).toContain('Your cart is empty');
    },
  );

  test('shows the message on the product page when the cart no longer has the product', async () => {
    const browser = testShop().browser();
    const answer = await browser.post('/cart/fen-sofa', { quantity: '1.5' });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('id="quantity-error"');
  });
});

test('answers 404 for an unknown product', async () => {
  const browser = testShop().browser();
  expect((await browser.post('/cart/no-such', { quantity: '1.5' })).status).toBe(404);
  expect((await browser.post('/cart', { slug: 'no-such', quantity: '1' })).status).toBe(404);
});

test('removes a product at quantity zero', async () => {
  const browser = testShop().browser();
  await browser.post('/cart', { slug: 'fen-sofa', quantity: '2' });
  const answer = await browser.post('/cart/fen-sofa', { quantity: '0' });
  expect(answer.headers.get('location')).toBe('/cart');
  expect(await browser.text('/cart')).toContain('Your cart is empty');
});

test('gives the application in the header the price of the product, or the total of the cart', async () => {
  const browser = testShop().browser();
  const amountOn = async (path: string) =>
    /<financing-prequalify[^>]*? amount="(\d+)"/.exec(await browser.text(path))?.[1];
  expect(await amountOn('/products/alder-lounge-chair')).toBe('89000');
  expect(await amountOn('/')).toBeUndefined();
  await browser.post('/cart', { slug: 'alder-lounge-chair', quantity: '2' });
  const shown = /<financing-message\s+amount="(\d+)"/.exec(await browser.text('/cart'))?.[1];
  expect(await amountOn('/cart')).toBe(shown);
});
