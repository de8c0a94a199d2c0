/* What a keyboard and a narrow screen make of pages that are no part of a purchase. */
import { expect, test } from 'vitest';
import { browser, runStackAndBrowser, stack } from './running.ts';

runStackAndBrowser();

test('a quantity in the cart is chosen by keys, and changes nothing until it is meant', async () => {
  const page = await browser.newPage();
  await page.goto(stack.shop);
  await page.locator('main a[href^="/products/"]').first().click();
  await page.getByRole('button', { name: /add to cart/i }).click();
  const quantity = page.getByLabel(/Quantity of/);
  await quantity.focus();
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('link', { name: /^Cart/ }).innerText()).toBe('Cart (4)');
  await page.close();
});
