/* Keyboard and small screens on pages outside of a purchase. */
import { expect, test } from 'vitest';
import { moveClock } from './harness.ts';
import { browser, useBrowser, stack } from './running.ts';
import { Shopper } from './shopper.ts';

useBrowser();

test('arrow keys choose a quantity in the cart, and only the submit button applies it', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(stack.shop);
  await page.locator('main a[href^="/products/"]').first().click();
  await page.getByRole('button', { name: /add to cart/i }).click();
  const quantity = page.getByLabel(/Quantity of/);
  await quantity.focus();
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('link', { name: /^Cart/ }).innerText()).toBe('Cart (4)');
  await context.close();
});

test('an order’s page announces a new status and keeps the focus', async () => {
  const context = await browser.newContext();
  const shopper = await Shopper.arrive(context, stack);
  const { page } = shopper;
  await shopper.goToPayment({ lastName: 'PendingConfirm' });
  await shopper.openFinancing();
  await shopper.apply();
  await shopper.takeOffer();
  await page.getByRole('heading', { name: /being looked at/ }).waitFor();
  const orders = page.getByRole('link', { name: 'Orders', exact: true });
  await orders.focus();
  await moveClock(stack, '2h');
  const announcement = page.locator('[aria-live=polite]');
  await expect.poll(() => announcement.innerText()).toContain('Your order is paid');
  expect(await orders.evaluate((link) => link === document.activeElement)).toBe(true);
  await context.close();
});
