import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { askControl, calls, forgetCalls } from './harness.ts';
import { browser, context, shopper, stack, useShopper } from './running.ts';

useShopper();

const message = (page: Page, place = 'main') =>
  page.locator(`${place} financing-message [part~=text]`);

/** Returns what the back office knows about an order: `financing-companion explain`, as JSON. */
async function checkoutsOf(merchantOrderId: string): Promise<Record<string, unknown>[]> {
  const address = `${stack.backOffice}/checkouts?${new URLSearchParams({ merchantOrderId }).toString()}`;
  const answer = await fetch(address, {
    headers: { authorization: `Bearer ${stack.secrets.backOfficeToken}` },
  });
  return ((await answer.json()) as { checkouts: Record<string, unknown>[] }).checkouts;
}

describe('a purchase that begins on a product page', () => {
  test('shows the message, prequalifies, continues at the checkout, and is paid', async () => {
    const { page } = shopper;
    await page.goto(stack.shop);
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.locator('main a[href^="/products/"]').first().click();
    await expect.poll(() => message(page).innerText()).toMatch(/\$[\d,.]+/);

    await page.locator('financing-prequalify #start').click();
    const lender = page.frameLocator('financing-prequalify iframe, iframe');
    await shopper.introduce(lender);
    await shopper.apply(lender);
    await expect
      .poll(() => page.locator('financing-prequalify [part=outcome]').innerText())
      .toContain('$');

    await shopper.goToPayment();
    const order = await shopper.orderNumber();
    await page.goto(`${page.url()}?presentation=sdk`);
    await shopper.button.click();
    const hosted = page.frameLocator('iframe');
    // The lender knows the shopper already: there is no form.
    await shopper.takeOffer(0, hosted);
    await shopper.untilPaid();

    const [checkout] = await checkoutsOf(order);
    expect(checkout).toMatchObject({ status: 'approved', shown: { programmeId: expect.any(String) } });
    expect(asked.filter((url) => url.includes('/programmes'))).toHaveLength(1);
  });
});

describe('a purchase that begins at a till', () => {
  test('ends on the shopper’s phone, and the shop hears of it', async () => {
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
    const link = await staff.locator('main .panel a').getAttribute('href');
    expect(await staff.locator('img.qr').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(50);

    const phone = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await phone.newPage();
    await page.goto(link ?? '');
    await shopper.apply(page);
    await expect.poll(() => staff.locator('main').innerText()).toContain('Opened');
    await shopper.takeOffer(0, page);

    await expect.poll(() => staff.locator('main').innerText(), { timeout: 60_000 }).toContain('Paid');
    const made = (await calls(stack)).filter(({ method }) => method === 'POST');
    expect(made.map(({ path }) => path)).toEqual([
      '/v2/omni-link/consumer/checkout',
      '/v2/post-sale/charges',
    ]);
    await Promise.all([office.close(), phone.close()]);
  });

  test('shows the same link again while it lives', async () => {
    await askControl(stack, '/calls', undefined, 'DELETE');
    expect(context).toBeDefined();
  });
});
