/* A browser that runs no script: a form goes to the lender's pages, and the order's page waits. */
import { expect, test } from 'vitest';
import { browser, runStackAndBrowser, stack } from './running.ts';
import { Shopper } from './shopper.ts';

runStackAndBrowser();

/** A shopper on the lender's first page. */
async function atLender(lastName = 'Rivera') {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const shopper = await Shopper.arrive(context, stack);
  await shopper.goToPayment({ lastName });
  await shopper.page.getByRole('button', { name: 'Pay over time' }).click();
  await shopper.page.getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
  const { page } = shopper;
  return { shopper, page, heading: () => page.getByRole('heading', { level: 1 }).innerText() };
}

test('who confirmed an offer is asked for no payment, and sees by itself that it is paid', async () => {
  const { shopper, page, heading } = await atLender();
  await shopper.apply(page);
  await shopper.takeOffer(0, page);
  await page.getByRole('link', { name: 'Continue to the shop' }).click();
  await page.waitForURL(`${stack.shop}/**`);
  // The companion hears of it from the service, a while later.
  const seen = new Set([await heading()]);
  await expect
    .poll(async () => seen.add(await heading()).has('Thank you. Your order is paid.'), {
      timeout: 30_000,
      interval: 300,
    })
    .toBe(true);
  expect([...seen]).toContain('Confirming your financing');
  expect([...seen].join()).not.toContain('pay?');
  await page.context().close();
});

test.each(['Decline', 'Rivera'])('who has no financing can pay another way: %s', async (name) => {
  const { shopper, page, heading } = await atLender(name);
  if (name === 'Decline') await shopper.apply(page);
  else await page.getByRole('button', { name: /Cancel/ }).click();
  await page.getByRole('link', { name: /shop/ }).click();
  await page.waitForURL(`${stack.shop}/**`);
  await expect
    .poll(heading, { timeout: 30_000, interval: 300 })
    .toBe('Your order is waiting for payment');
  await page.getByRole('link', { name: 'Choose how to pay' }).click();
  expect(await heading()).toBe('How would you like to pay?');
  await page.context().close();
});
