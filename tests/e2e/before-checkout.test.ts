import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programmeFileSchema } from '../../packages/contract/dist/storefront/index.js';
import type { Locator, Page } from 'playwright';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { calls, forgetCalls } from './harness.ts';
import { browser, shopper, stack, useShopper } from './running.ts';

useShopper();

/** The programmes of the example shop, which the product page and its dialog show. */
const programmesFile = join(root, 'examples/shop/programmes.json');

/** Returns the checkouts of an order, as the companion's back office does. */
async function checkoutsOf(merchantOrderId: string): Promise<Record<string, unknown>[]> {
  const query = new URLSearchParams({ merchantOrderId }).toString();
  const answer = await fetch(`${stack.backOffice}/checkouts?${query}`, {
    headers: { authorization: `Bearer ${stack.secrets.backOfficeToken}` },
  });
  return ((await answer.json()) as { checkouts: Record<string, unknown>[] }).checkouts;
}

const posts = async () =>
  (await calls(stack)).filter(({ method }) => method === 'POST').map(({ path }) => path);

describe('a purchase that begins on a product page', () => {
  test('shows a message, prequalifies, continues at the checkout, and is paid', async () => {
    const { page } = shopper;
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.goto(`${stack.shop}/products/alder-lounge-chair`);
    const text = page.locator('.product financing-message [part~=text]');
    await expect.poll(() => text.innerText()).toMatch(/\$43\.1\d .*24 months, 14\.99% APR/);
    // The price of three.
    await page.getByLabel('Quantity').selectOption('3');
    await expect.poll(() => text.innerText()).toMatch(/\$129\.4\d .*14\.99% APR/);
    expect(asked.filter((url) => url.endsWith('/programmes'))).toHaveLength(1);

    await page.locator('financing-prequalify #start').click();
    const lender = page.frameLocator('iframe');
    await lender.getByText('Offers are shown for').waitFor();
    await shopper.introduce(lender);
    await shopper.apply(lender);
    await expect
      .poll(() => page.locator('financing-prequalify [part=outcome]').innerText())
      .toContain('You are prequalified');

    await shopper.goToPayment();
    const order = await shopper.orderNumber();
    await page.goto(`${page.url()}?presentation=sdk`);
    await forgetCalls(stack);
    await shopper.button.click();
    // The lender knows the shopper: there are offers at once, those that the product page published.
    const offers = page.frameLocator('iframe').locator('.offer');
    await offers.first().waitFor();
    const stated = programmeFileSchema.parse(JSON.parse(readFileSync(programmesFile, 'utf8')));
    const offered = async () =>
      (await offers.allInnerTexts())
        .map((offer) => [
          ...[/^\S.*/.exec(offer)?.[0], /(\d+) months/.exec(offer)?.[1]],
          /APR\s+([\d.]+)%/.exec(offer)?.[1] ?? 'lease',
        ])
        .sort();
    const published = stated.programmes.map(({ apr, lender, payments, productType }) => [
      ...[lender.name, String(payments.count)],
      productType === 'LeaseToOwn' ? 'lease' : apr,
    ]);
    // Without its style sheet, the page shows lender and product in one line.
    await expect.poll(offered).toEqual(published.sort());
    await shopper.takeOffer(0, page.frameLocator('iframe'));
    await shopper.untilPaid();
    expect(await posts()).toEqual(['/v1/checkout/prime', '/v2/post-sale/charges']);

    const [checkout] = await checkoutsOf(order);
    expect(checkout).toMatchObject({
      status: 'approved',
      shown: { isPublished: true, currency: 'USD', language: 'en' },
    });
  });
});

describe('a purchase that begins at a till', () => {
  test('ends on the shopper’s phone, and the shop marks the order as paid', async () => {
    await shopper.goToPayment();
    const order = await shopper.orderNumber();
    await forgetCalls(stack);
    const office = await browser.newContext({
      httpCredentials: { username: 'staff', password: stack.secrets.shopAdminToken },
    });
    const staff = await office.newPage();
    await staff.goto(`${stack.shop}/admin`);
    await staff.getByRole('link', { name: `Send a link for ${order}` }).click();
    await staff.getByLabel('Where the shopper is').selectOption('IN_STORE');
    await staff.getByRole('button', { name: 'Create the link' }).click();
    const address = await linkOn(staff);
    await staff.getByText('A phone cannot open an address of localhost').waitFor();
    const width = () =>
      staff.locator('img.qr').evaluate((image: HTMLImageElement) => image.naturalWidth);
    await expect.poll(width).toBeGreaterThan(50);

    const phone = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await phone.newPage();
    await page.goto(address);
    await shopper.apply(page);
    await shopper.takeOffer(0, page);
    await expect.poll(() => staff.locator('main').innerText()).toMatch(/\bPaid\b/);
    expect(await posts()).toEqual(['/v2/omni-link/consumer/checkout', '/v2/post-sale/charges']);
    expect(await staff.content()).not.toContain('alex@example.com');
    await Promise.all([office.close(), phone.close()]);
  });
});

async function linkOn(staff: Page): Promise<string> {
  const address = await staff.locator('main .panel a').getAttribute('href');
  if (address === null) throw new Error('The page shows no link.');
  return address;
}

describe('the application in the header', () => {
  const button = () => shopper.page.locator('financing-prequalify #start');
  const result = () => shopper.page.locator('financing-prequalify [part=outcome]');

  /** Opens a page whose script arrives after everything else is painted. @returns the layout shift */
  async function shiftUntil(shown: () => Locator): Promise<number> {
    const { page } = shopper;
    const painted = Promise.withResolvers<undefined>();
    await page.addInitScript(() => {
      let sum = 0;
      const add = (entries: PerformanceEntryList) => {
        for (const entry of entries) sum += Number(Reflect.get(entry, 'value'));
      };
      const observer = new PerformanceObserver((list) => add(list.getEntries()));
      observer.observe({ type: 'layout-shift', buffered: true });
      const shift = () => {
        add(observer.takeRecords());
        return sum;
      };
      Object.assign(globalThis, { shift });
    });
    await page.route(/\.js$/, async (route) => {
      await painted.promise;
      await route.continue();
    });
    await page.goto(stack.shop, { waitUntil: 'commit' });
    await page.locator('.foot').waitFor();
    const frames = () =>
      page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      );
    await frames();
    painted.resolve(undefined);
    await shown().waitFor();
    await frames();
    await page.unroute(/\.js$/);
    return page.evaluate<number>('globalThis.shift()');
  }

  test.each([390, 1280])(
    'shows its result again after a reload, and never moves a page of %d pixels',
    async (width) => {
      const { page } = shopper;
      await page.setViewportSize({ width, height: 844 });
      expect(await shiftUntil(button)).toBe(0);
      const place = () => page.locator('main').boundingBox();
      const before = await place();
      await button().click();
      const lender = page.frameLocator('iframe');
      await lender.getByText('No order yet').first().waitFor();
      expect(await lender.locator('body').innerText()).not.toContain('Your order');
      expect(await place()).toEqual(before);
      await shopper.introduce(lender);
      await shopper.apply(lender);
      await expect.poll(() => result().innerText()).toContain('A lender offers you up to');
      const text = await result().innerText();
      expect(await shiftUntil(result)).toBe(0);
      expect(await result().innerText()).toBe(text);
      const stored = await page.evaluate(() => JSON.stringify(sessionStorage));
      expect(stored).not.toMatch(/Alex|Rivera|@|USD|amount/);
    },
  );
});
