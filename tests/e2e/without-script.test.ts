/* A browser without script: a form leads to the lender's pages, and the order's page waits. */
import { expect, test } from 'vitest';
import { browser, useBrowser, stack } from './running.ts';
import { Shopper } from './shopper.ts';

useBrowser();

/** Brings a shopper to the lender's first page. */
async function atLender(lastName = 'Rivera') {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const shopper = await Shopper.arrive(context, stack);
  await shopper.shopForPayment({ lastName });
  await shopper.page.getByRole('button', { name: 'Pay over time' }).click();
  await shopper.page.getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
  const { page } = shopper;
  return { shopper, page, heading: () => page.getByRole('heading', { level: 1 }).innerText() };
}

test('the order’s page shows the payment after a confirmed offer, and asks for no second payment', async () => {
  const { shopper, page, heading } = await atLender();
  await shopper.apply(page);
  await shopper.takeOffer(0, page);
  await page.getByRole('link', { name: 'Continue to the shop' }).click();
  await page.waitForURL(`${stack.shop}/**`);
  // The service notifies the companion a moment later.
  const seen = new Set([await heading()]);
  await expect
    .poll(async () => seen.add(await heading()).has('Thank you. Your order is paid.'), {
      interval: 300,
    })
    .toBe(true);
  expect([...seen]).toContain('Confirming your financing');
  expect([...seen].join()).not.toContain('pay?');
  await page.context().close();
});

test.each(['Decline', 'Rivera'])(
  'a shopper without financing can pay another way: %s',
  async (name) => {
    const { shopper, page, heading } = await atLender(name);
    if (name === 'Decline') await shopper.apply(page);
    else await page.getByRole('button', { name: /Cancel/ }).click();
    await page.getByRole('link', { name: /shop/ }).click();
    await page.waitForURL(`${stack.shop}/**`);
    await expect.poll(heading, { interval: 300 }).toBe('Your order is waiting for payment');
    await page.getByRole('link', { name: 'Choose how to pay' }).click();
    expect(await heading()).toBe('How would you like to pay?');
    await page.context().close();
  },
);
