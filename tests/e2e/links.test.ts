/* A purchase that begins at a till and ends on a phone: no page of the shop is open. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import {
  linkRecordSchema,
  linksSchema,
  type LinkRecord,
} from '../../packages/contract/dist/back-office/index.js';
import { calls, forgetCalls, type Browser } from './harness.ts';
import { browser, stack, useBrowser } from './running.ts';
import { Shopper } from './shopper.ts';

useBrowser();

type Phone = Awaited<ReturnType<Browser['newContext']>>;
const phones: Phone[] = [];
afterEach(() => Promise.all(phones.splice(0).map((phone) => phone.close())));

const order = (merchantOrderId: string) => ({
  merchantOrderId,
  currency: 'USD',
  channel: 'IN_STORE',
  merchant: { storeId: 'store-7', posId: 'till-3', posType: 'GenericMerchantDevice' },
  items: [
    {
      name: 'Walnut desk',
      sku: 'DESK-W',
      price: 80_000,
      quantity: 1,
      warranty: { price: 5_000 },
    },
  ],
  discounts: [{ name: 'Welcome', amount: 1_000 }],
  taxAmount: 4_000,
  shippingAmount: 1_000,
  shippingTaxAmount: 100,
  totalAmount: 89_100,
  consumer: {
    firstName: 'Alex',
    lastName: 'Rivera',
    email: 'alex@example.com',
    billingAddress: {
      line1: '1 Main Street',
      city: 'Springfield',
      zipCode: '62701',
      state: 'IL',
      country: 'US',
    },
  },
});

async function askOffice(path: string, body?: object, key: string = randomUUID()) {
  const answer = await fetch(stack.backOffice + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${stack.secrets.backOfficeToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

/** Makes the link of a new order. */
async function makeLink(more: object = {}): Promise<LinkRecord & { url: string }> {
  const { status, body } = await askOffice('/links', {
    order: order(`TILL-${randomUUID()}`),
    ...more,
  });
  expect(status).toBe(201);
  const link = linkRecordSchema.parse(body);
  return { ...link, url: link.url ?? '' };
}

const readLink = async ({ checkoutId }: LinkRecord) =>
  linkRecordSchema.parse((await askOffice(`/links/${checkoutId}`)).body);

/** Opens a link on a phone of its own, up to its offers. */
async function openOnPhone({ url }: { url: string }): Promise<Shopper> {
  const phone = await browser.newContext({ viewport: { width: 390, height: 800 } });
  phones.push(phone);
  const shopper = await Shopper.arrive(phone, stack);
  await shopper.page.goto(url);
  await shopper.apply(shopper.page);
  await shopper.page.locator('label:has(.lender)').first().waitFor();
  return shopper;
}

const chargesMade = async () =>
  (await calls(stack)).filter(
    ({ method, path }) => method === 'POST' && path.startsWith('/v2/post-sale/charges'),
  );

test('a link of a till is opened on a phone, confirmed, and paid although the phone is gone', async () => {
  await forgetCalls(stack);
  const link = await makeLink({ deliver: 'email', language: 'en' });
  expect(link).toMatchObject({ status: 'open', state: 'waiting', delivery: 'email' });
  const shopper = await openOnPhone(link);
  await expect.poll(async () => (await readLink(link)).state).toBe('opened');
  await shopper.takeOffer(0, shopper.page);
  await shopper.page.getByText(/./).first().waitFor();
  await expect.poll(async () => (await readLink(link)).status).toBe('approved');
  await phones[0]?.close();
  expect(await chargesMade()).toHaveLength(1);
  const again = await askOffice('/links', { order: order(link.merchantOrderId) });
  expect([again.status, again.body]).toMatchObject([409, { code: 'checkout-not-open' }]);
  const { body } = await askOffice(`/checkouts?merchantOrderId=${link.merchantOrderId}`);
  expect(body).toMatchObject({ checkouts: [{ status: 'approved', amount: { value: 89_100 } }] });
});

test('a bot that reads the address leaves the link waiting with its code, and a phone still opens it', async () => {
  const link = await makeLink();
  await forgetCalls(stack);
  const preview = await fetch(link.url, { redirect: 'follow' });
  expect(preview.ok).toBe(true);
  // The service counts the link as accessed from now on.
  const reads = async () =>
    (await calls(stack)).filter(
      ({ method, path }) => method === 'GET' && path.startsWith('/v2/omni-link/'),
    ).length;
  await expect.poll(reads).toBeGreaterThan(1);
  const { qrCode, state } = await readLink(link);
  expect([state, qrCode]).toEqual(['waiting', link.qrCode]);
  await openOnPhone(link);
  await expect.poll(async () => (await readLink(link)).state).toBe('opened');
  expect((await readLink(link)).qrCode).toBe(link.qrCode);
});

test('a shopper who cancels on the page sees the same link again, and can still confirm on the phone', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  phones.push(context);
  const shopper = await Shopper.arrive(context, stack);
  await shopper.goToPayment();
  const merchantOrderId = await shopper.orderNumber();
  await shopper.element.evaluate((element) => element.toggleAttribute('phone', true));
  const second = shopper.element.getByRole('button', { name: 'Continue on your phone' });
  const shownAddress = async () => {
    await second.click();
    return shopper.element.locator('[part=address]').innerText();
  };
  const cancel = async () => {
    await shopper.element.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => shopper.outcome.innerText()).toContain('works for 24 hours');
  };
  const url = await shownAddress();
  await cancel();
  expect(await shownAddress()).toBe(url);
  await cancel();
  await forgetCalls(stack);
  const onPhone = await openOnPhone({ url });
  await onPhone.takeOffer(0, onPhone.page);
  const statuses = async () => {
    const { body } = await askOffice(`/links?merchantOrderId=${merchantOrderId}`);
    return linksSchema.parse(body).links.map(({ status }) => status);
  };
  await expect.poll(statuses).toEqual(['approved']);
  expect(await chargesMade()).toHaveLength(1);
  // The page polls the order, because the address that it showed can still be used.
  await shopper.untilPaid();
});

test('a second request for the link of an order returns the same link', async () => {
  const link = await makeLink();
  const { status, body } = await askOffice('/links', { order: order(link.merchantOrderId) });
  expect([status, linkRecordSchema.parse(body).url]).toEqual([200, link.url]);
  const listed = await askOffice(`/links?merchantOrderId=${link.merchantOrderId}`);
  expect(linksSchema.parse(listed.body).links).toHaveLength(1);
});

test('two people who open one link and both confirm cause one charge, and the other is reported', async () => {
  const link = await makeLink();
  const first = await openOnPhone(link);
  const second = await openOnPhone(link);
  await forgetCalls(stack);
  await first.takeOffer(0, first.page);
  await second.takeOffer(0, second.page);
  await expect.poll(async () => (await readLink(link)).secondConfirmations?.length).toBe(1);
  // The second confirmation may be reported while the charge of the first is being created.
  await expect.poll(async () => (await readLink(link)).status).toBe('approved');
  expect(await chargesMade()).toHaveLength(1);
});
