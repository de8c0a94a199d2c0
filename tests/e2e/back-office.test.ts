/* The shop's back office in a browser: long words, and fundings that are read while one looks on. */
import { expect, test } from 'vitest';
import { browser, runStackAndBrowser, stack } from './running.ts';
import { Shopper } from './shopper.ts';

runStackAndBrowser();

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

test('while fundings are read the page follows, and focus and scrolling stay where they are', async () => {
  await control('/faults', {
    kind: 'latency',
    delay: '150ms',
    operations: ['fundings.report'],
    next: 60,
  });
  const page = await backOffice({ width: 480, height: 600 });
  await page.getByRole('button', { name: 'Read fundings now' }).click();
  const status = page.getByRole('status');
  await expect.poll(() => status.innerText()).toContain('Reading fundings');
  const table = page.getByRole('region', { name: 'Orders and their fundings' });
  const at = () =>
    page.evaluate(() => [
      document.activeElement?.getAttribute('aria-label'),
      document.activeElement?.scrollLeft,
      document.documentElement.scrollTop,
    ]);
  await table.focus();
  await table.evaluate((region) => (region.scrollLeft = 200));
  await page.evaluate(() => (document.documentElement.scrollTop = 150));
  const before = await at();
  expect(before).toEqual(['Orders and their fundings', 200, 150]);
  await expect
    .poll(() => status.innerText(), { timeout: 30_000, interval: 500 })
    .toContain('read to the end');
  expect(await at()).toEqual(before);
  const button = page.getByRole('button', { name: 'Read fundings now' });
  expect(await button.isEnabled()).toBe(true);
  // The statuses come a moment later, and are followed as well.
  await expect.poll(() => table.innerText(), { timeout: 10_000 }).toContain('Chargeback open');
  await page.context().close();
});
