/* The shop's back office in a browser: long words, and paper. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshStack, launchBrowser, type Browser } from './harness.ts';
import { Shopper } from './shopper.ts';

let stack: Awaited<ReturnType<typeof freshStack>>;
let browser: Browser;

beforeAll(async () => {
  stack = await freshStack();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await stack.remove();
});

async function control(path: string, body: object) {
  const answer = await fetch(`${stack.control}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBeLessThan(300);
}

async function backOffice(viewport: { width: number; height: number }) {
  const context = await browser.newContext({
    viewport,
    httpCredentials: { username: 'me', password: stack.secrets.shopAdminToken },
  });
  const page = await context.newPage();
  await page.goto(`${stack.shop}/admin`);
  return page;
}

test('fundings of an order have the longest of names, and no column is out of sight', async () => {
  const context = await browser.newContext();
  const shopper = await Shopper.arrive(context, stack);
  await shopper.goToPayment();
  const merchantOrderId = await shopper.orderNumber();
  await shopper.openFinancing();
  await shopper.apply();
  await shopper.takeOffer();
  await shopper.untilPaid();
  await context.close();
  // Of no transaction of this order: ORIGINAL_TRANSACTION_MISSING.
  for (const transactionType of ['Settle', 'Chargeback']) {
    await control('/fundings', { amount: 123_456.78, merchantOrderId, transactionType });
  }
  const page = await backOffice({ width: 1280, height: 900 });
  const table = page.getByRole('region', { name: 'Orders and their fundings' });
  await expect.poll(() => table.innerText()).toContain('ORIGINAL_');
  const hidden = () => table.evaluate((region) => region.scrollWidth - region.clientWidth);
  expect(await hidden()).toBe(0);
  await page.emulateMedia({ media: 'print' });
  // Of a letter, turned, less its margins.
  await page.setViewportSize({ width: 970, height: 700 });
  expect(await hidden()).toBe(0);
  await page.context().close();
});
