/* The shop's back office in a browser: long names, and a sync that runs while the page is open. */
import { expect, test } from 'vitest';
import { askControl } from './harness.ts';
import { browser, useBrowser, stack } from './running.ts';
import { Shopper } from './shopper.ts';

useBrowser();

async function backOffice(viewport: { width: number; height: number }) {
  const context = await browser.newContext({
    viewport,
    httpCredentials: { username: 'me', password: stack.secrets.shopAdminToken },
  });
  const page = await context.newPage();
  await page.goto(`${stack.shop}/admin`);
  return page;
}

test('shows all columns of orders with the longest funding names', async () => {
  const context = await browser.newContext();
  const shopper = await Shopper.arrive(context, stack);
  await shopper.goToPayment();
  const merchantOrderId = await shopper.orderNumber();
  await shopper.openFinancing();
  await shopper.apply();
  await shopper.takeOffer();
  await shopper.untilPaid();
  await context.close();
  // These fundings match no transaction of the order: ORIGINAL_TRANSACTION_MISSING.
  for (const transactionType of ['Settle', 'Chargeback']) {
    await askControl(stack, '/fundings', { amount: 123_456.78, merchantOrderId, transactionType });
  }
  const page = await backOffice({ width: 1280, height: 900 });
  const table = page.getByRole('region', { name: 'Orders and their fundings' });
  await expect.poll(() => table.innerText()).toContain('ORIGINAL_');
  const hidden = () => table.evaluate((region) => region.scrollWidth - region.clientWidth);
  expect(await hidden()).toBe(0);
  await page.emulateMedia({ media: 'print' });
  // A landscape letter page without its margins.
  await page.setViewportSize({ width: 970, height: 700 });
  expect(await hidden()).toBe(0);
  await page.context().close();
});

test('follows a sync, and keeps focus and scroll position', async () => {
  await askControl(stack, '/faults', {
    kind: 'latency',
    delay: '150ms',
    operations: ['fundings.report'],
    next: 60,
  });
  const page = await backOffice({ width: 480, height: 600 });
  await page.getByRole('button', { name: 'Read fundings now' }).click();
  const status = page.getByRole('status');
  await expect.poll(() => status.innerText()).toContain('Reading fundings');
  // The rest of the page, and the style sheet that lets the table scroll.
  await page.waitForLoadState();
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
  await expect.poll(() => status.innerText(), { interval: 500 }).toContain('read to the end');
  expect(await at()).toEqual(before);
  const button = page.getByRole('button', { name: 'Read fundings now' });
  expect(await button.isEnabled()).toBe(true);
  // The statuses arrive a moment later, and the page follows them as well.
  await expect
    .poll(() => page.getByRole('table', { name: 'Orders that need you' }).innerText())
    .toContain('Chargeback open');
  await page.context().close();
});
