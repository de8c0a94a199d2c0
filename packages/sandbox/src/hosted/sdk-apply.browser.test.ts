/*
 * Applications without an order, and checkouts that continue from them, in the browser script.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
import { details, discard, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { paymentsSet, startShop, type TestShop } from './shop.fixture.ts';

let test: TestSandbox;
let browser: Browser;
let shop: TestShop;
let page: Page;

beforeAll(async () => {
  test = await startTestSandbox();
  browser = await launchChromium();
  shop = await startShop(test);
  page = await browser.newPage();
});
afterAll(async () => {
  await browser.close();
  shop.close();
  await discard(test);
});
beforeEach(async () => {
  await test.control('DELETE', '/outcomes');
  await page.goto(shop.origin);
});

interface Completion {
  token?: string | null;
  data: Record<string, unknown>;
  status: { code: string } | null;
}

/** Calls `present`; records the callback in `completion` and the onComplete call in `context`. */
async function present(kind: 'apply' | 'checkout', options: object = {}): Promise<void> {
  const { publicKey } = test.environment('sandbox');
  await page.evaluate(
    `(async () => {
       window.completion = undefined;
       await ChargeAfter.init({
         apiKey: ${JSON.stringify(publicKey)},
         onComplete: (token, data, status, context) => (window.context = [token, context.source]),
       });
       await ${paymentsSet};
       ChargeAfter.payments.present(${JSON.stringify(kind)}, {
         ...${JSON.stringify(options)},
         callback: (...values) => {
           const [status, data, token] = values.toReversed();
           window.completion = { status, data, token };
         },
       });
     })()`,
  );
}

/** Waits for the callback by polling, because the page's CSP blocks Playwright's own waiting. */
async function completed(): Promise<Completion> {
  const read = () => page.evaluate<Completion | undefined>('window.completion');
  await expect.poll(read).toBeDefined();
  const found = await read();
  if (!found) throw new Error('The callback was not called.');
  return found;
}

async function apply(lastName: string = details.lastName): Promise<void> {
  const lender = page.frameLocator('dialog iframe');
  await lender.getByLabel('First name').fill(details.firstName);
  await lender.getByLabel('Last name').fill(lastName);
  await lender.getByLabel('E-mail').fill(details.email);
  await lender.getByLabel('Mobile phone').fill(details.phone);
  await lender.getByLabel('Date of birth').fill(details.birthDate);
  await lender.getByLabel('Yearly income').fill(details.income);
  await lender.getByLabel('I agree').check();
  await lender.getByRole('button', { name: 'See my offers' }).click();
}

async function agree(): Promise<void> {
  const lender = page.frameLocator('dialog iframe');
  await lender.getByRole('radio').first().focus();
  await page.keyboard.press('ArrowDown');
  await lender.getByLabel('I have read').check();
  await lender.getByRole('button', { name: 'Agree and confirm' }).click();
}

/** Applies with only the public key. */
async function prequalify(): Promise<Record<string, unknown>> {
  await present('apply');
  await apply();
  return (await completed()).data;
}

const cartDetails = {
  items: [{ name: 'Walnut desk', price: 890, sku: 'D-1', quantity: 1 }],
  taxAmount: 0,
  shippingAmount: 0,
  totalAmount: 890,
};

describe("present('apply') with the public key alone", () => {
  it('passes the amount of each lender to the callback, without a token', async () => {
    await present('apply');
    await apply();
    const { token, data, status } = await completed();
    expect([token, status]).toEqual([undefined, null]);
    expect(data).toMatchObject({
      applicationId: expect.any(String) as unknown,
      continuationToken: expect.any(String) as unknown,
      availableCredit: expect.arrayContaining([
        { lender: { id: 'tamberley', name: 'Tamberley Credit' }, creditAmount: 2500 },
      ]) as unknown,
    });
    expect(await page.evaluate('window.context')).toEqual([null, 'apply']);
  });

  it.each([
    ['Decline', 4, 'DECLINE', false],
    ['Pending', 4, 'PENDING', true],
    ['NoLender', 0, undefined, false],
  ])('ends for %s with %i lenders whose status is %s', async (lastName, count, said, continues) => {
    await present('apply');
    await apply(lastName);
    const { data, status } = await completed();
    const lendersStatus = data.lendersStatus as { status: string }[];
    expect(status).toMatchObject({ code: 'BACK_TO_STORE' });
    expect(data.availableCredit).toEqual([]);
    expect(lendersStatus.map((lender) => lender.status)).toEqual(Array(count).fill(said));
    expect(data.continuationToken !== undefined).toBe(continues);
  });

  it('ends as the control API forces it', async () => {
    await test.control('POST', '/outcomes', { outcome: 'no-lender' });
    await present('apply');
    await apply();
    expect((await completed()).data.lendersStatus).toEqual([]);
  });

  it('fails for a currency that does not exist', async () => {
    await present('apply', { currency: 'XXX' });
    expect((await completed()).status).toMatchObject({ code: 'CREATE_APPLICATION_FAILED' });
  });
});

describe('a continued checkout', () => {
  it.each(['sessionToken', 'applicationId'])('shows the offers immediately, by %s', async (by) => {
    const { continuationToken, applicationId } = await prequalify();
    const named = by === 'sessionToken' ? { sessionToken: continuationToken } : { applicationId };
    await present('checkout', { ...named, cartDetails });
    await agree();
    const { token, data } = await completed();
    const charged = await test.call('POST', '/v2/post-sale/charges', {
      body: { confirmationToken: token },
    });
    expect(charged.body).toMatchObject({ totalAmount: 890 });
    expect(data.consumerDetails).toMatchObject({ email: details.email });
  });

  it('continues in the merchant session, by applicationId', async () => {
    const { applicationId } = await prequalify();
    const { body } = await test.call('POST', '/v3/session', {
      body: { checkoutDetails: {}, cartDetails },
    });
    await present('checkout', { sessionToken: body.id, applicationId });
    await agree();
    expect((await completed()).data.applicationId).toBe(body.applicationId);
  });

  it('is opened with the token of the application', async () => {
    const { applicationId, continuationToken } = await prequalify();
    const { body } = await test.call(
      'GET',
      `/v2/checkout/applications/${String(applicationId)}/token`,
    );
    expect(body).toEqual({ sessionToken: continuationToken });
    await present('apply', { sessionToken: body.sessionToken });
    expect((await completed()).data.applicationId).toBe(applicationId);
  });

  it('needs a cart whose total is correct', async () => {
    const { continuationToken: sessionToken } = await prequalify();
    await present('checkout', { sessionToken });
    expect((await completed()).status).toMatchObject({ code: 'MISSING_CHECKOUT_DATA' });
    await present('checkout', { sessionToken, cartDetails: { ...cartDetails, totalAmount: 891 } });
    expect((await completed()).status).toMatchObject({ code: 'TOTAL_AMOUNT_MISMATCH' });
  });

  it('is possible for one hour on the sandbox clock', async () => {
    const { continuationToken: sessionToken, applicationId } = await prequalify();
    await test.control('POST', '/clock', { advance: '61m' });
    for (const named of [{ sessionToken }, { applicationId }]) {
      await present('checkout', { ...named, cartDetails });
      expect((await completed()).status).toMatchObject({ code: 'CREATE_CHECKOUT_FAILED' });
    }
  });
});
