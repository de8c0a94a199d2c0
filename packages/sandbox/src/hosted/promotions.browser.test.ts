/*
 * The promotional widgets of the browser script, on a page whose CSP allows nothing inline.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
import { discard, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { startShop, type TestShop } from './shop.fixture.ts';

let test: TestSandbox;
let browser: Browser;
let shop: TestShop;
let page: Page;
let requests: number;
const complaints: string[] = [];

beforeAll(async () => {
  test = await startTestSandbox();
  browser = await launchChromium();
  shop = await startShop(test);
  page = await browser.newPage();
  page.on('request', (request) => (requests += Number(request.url().includes('/sdk/promotions'))));
  page.on('console', (message) => complaints.push(message.text()));
});
afterAll(async () => {
  await browser.close();
  shop.close();
  await discard(test);
});
beforeEach(async () => {
  await test.control('DELETE', '/lenders');
  complaints.length = 0;
});

interface Widget {
  sku: string;
  price: string;
  type?: string;
  profile?: string;
}

/** Opens a page with widgets and initializes the script. */
async function open(...widgets: Widget[]): Promise<void> {
  requests = 0;
  const body = widgets.map(
    ({ sku, price, type = 'default-template', profile = '' }) =>
      `<div class="ca-promotional-widget" id="${sku}" data-widget-type="${type}" data-widget-item-sku="${sku}" data-widget-item-price="${price}" data-widget-profile-id="${profile}" data-widget-financing-page-url="https://shop.example/financing"></div>`,
  );
  shop.body = body.join('');
  await page.goto(shop.origin);
  const { publicKey } = test.environment('sandbox');
  await page.evaluate(`ChargeAfter.init({ apiKey: ${JSON.stringify(publicKey)} })`);
}

const read = (sku: string) => page.locator(`#${sku} .ca-promotional-text`);
const text = async (sku: string) =>
  (await read(sku).count()) === 0 ? null : read(sku).textContent();
const run = (script: string) => page.evaluate(script);

describe('the promotional widgets', () => {
  it('show the text of a lender for their price, with a single request', async () => {
    await open({ sku: 'desk', price: '890' }, { sku: 'chair', price: '199.00' });
    await expect
      .poll(() => text('desk'))
      .toBe('$148.33 a month for 6 months with Tamberley Credit. 0% APR, total $890.00.');
    expect(await text('chair')).toContain('$33.16 a month');
    expect(requests).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('show nothing below the minimum of every lender, or for an invalid price', async () => {
    await open(
      { sku: 'low', price: '49.99' },
      { sku: 'none', price: '' },
      { sku: 'nan', price: 'NaN' },
      { sku: 'negative', price: '-5' },
      { sku: 'least', price: '50' },
    );
    await expect.poll(() => text('least')).toContain('Quillmoor Finance');
    for (const sku of ['low', 'none', 'nan', 'negative']) {
      expect(await page.locator(`#${sku}`).innerHTML()).toBe('');
    }
  });

  it('show the lender of their profile, and a line of credit for its type', async () => {
    await open(
      { sku: 'one', price: '890', profile: 'quillmoor' },
      { sku: 'two', price: '890', type: 'line-of-credit-banner' },
      { sku: 'three', price: '890', profile: 'unknown' },
    );
    await expect.poll(() => text('one')).toContain('Quillmoor Finance');
    expect(await text('two')).toContain('Halden & Wren');
    expect(await text('three')).toBeNull();
  });

  it('react to promotions.update with and without prices', async () => {
    await open({ sku: 'desk', price: '890' }, { sku: 'cart_sku', price: '0' });
    await run("ChargeAfter.promotions.update([{ sku: 'cart_sku', price: 600 }])");
    await expect.poll(() => text('cart_sku')).toContain('$100.00 a month');
    await run("document.querySelector('#desk').dataset.widgetItemPrice = '60'");
    await run('ChargeAfter.promotions.update()');
    await expect.poll(() => text('desk')).toContain('Quillmoor Finance');
    await run("ChargeAfter.promotions.update([{ sku: 'cart_sku', price: 1 }])");
    await expect.poll(() => text('cart_sku')).toBeNull();
  });

  it('react to the deprecated promotionalWidget', async () => {
    await open({ sku: 'desk', price: '890' });
    await run("ChargeAfter.promotionalWidget.update({ items: [{ sku: 'desk', price: 600 }] })");
    await expect.poll(() => text('desk')).toContain('$100.00 a month');
    await run("document.querySelector('#desk').dataset.widgetItemPrice = '1200'");
    await run('ChargeAfter.promotionalWidget.rebuild()');
    await expect.poll(() => text('desk')).toContain('$200.00 a month');
  });

  it('show the latest price when an earlier response arrives last', async () => {
    await open({ sku: 'desk', price: '890' });
    await expect.poll(() => text('desk')).toContain('$148.33');
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    let first = true;
    await page.route('**/sdk/promotions', async (route) => {
      if (first) {
        first = false;
        await held;
      }
      await route.continue();
    });
    await run(
      "void ChargeAfter.promotions.update([{ sku: 'desk', price: 600 }]); void ChargeAfter.promotions.update([{ sku: 'desk', price: 1200 }])",
    );
    await expect.poll(() => text('desk')).toContain('$200.00');
    const late = page.waitForResponse('**/sdk/promotions');
    release(undefined);
    await late;
    await run('new Promise((resolve) => requestAnimationFrame(() => resolve()))');
    expect(await text('desk')).toContain('$200.00');
    await page.unrouteAll();
  });

  it.each([
    ['its button', () => page.getByRole('button', { name: 'Learn more' }).click()],
    ['promotions.present', () => run("ChargeAfter.promotions.present('desk')")],
    ['promotionalWidget.present', () => run("ChargeAfter.promotionalWidget.present('desk')")],
  ])('show a dialog by %s', async (_by, show) => {
    await open({ sku: 'desk', price: '890' });
    await expect.poll(() => text('desk')).not.toBeNull();
    await show();
    expect(await page.getByRole('dialog').textContent()).toContain('$148.33 a month');
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('open the page about financing of an item', async () => {
    await open({ sku: 'desk', price: '890' });
    await run('window.open = (...values) => (window.opened = values)');
    await run("ChargeAfter.promotions.openLink('desk')");
    expect(await run('window.opened')).toEqual([
      'https://shop.example/financing',
      '_blank',
      'noopener',
    ]);
    await run("window.opened = null; ChargeAfter.promotions.openLink('unknown')");
    expect(await run('window.opened')).toBeNull();
  });

  it('set no style attribute and no global other than the documented one', async () => {
    await open({ sku: 'desk', price: '890' });
    await expect.poll(() => text('desk')).not.toBeNull();
    expect(await page.locator('[style]').count()).toBe(0);
    expect(
      await run("['createPromotions', 'present', 'endOf'].filter((name) => name in window)"),
    ).toEqual([]);
  });
});
