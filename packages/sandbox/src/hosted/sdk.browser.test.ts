/*
 * The stand-in for the service's SDK on a shop's page: loaded by URL, with an integrity value,
 * under a CSP that allows nothing inline.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
import { details, discard, prime, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { SDK_GLOBAL } from './sdk.ts';
import { paymentsSet, startShop, type TestShop } from './shop.fixture.ts';

let test: TestSandbox;
let browser: Browser;
let shop: TestShop;
let shopOrigin: string;
let page: Page;
let session: string;

beforeAll(async () => {
  test = await startTestSandbox();
  browser = await launchChromium();
  shop = await startShop(test);
  shopOrigin = shop.origin;
  page = await browser.newPage();
});
afterAll(async () => {
  await browser.close();
  shop.close();
  await discard(test);
});

let visit: Awaited<ReturnType<typeof prime>>['visit'];
let key: string;
beforeEach(async () => {
  ({ visit } = await prime(test));
  ({ key, session } = visit);
  await page.unrouteAll();
  await page.goto(shopOrigin);
});

/** A recorded callback invocation. */
interface Callback {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** Calls `present`, and records each callback in `calls`. */
async function present(kind = 'checkout', sessionToken = session): Promise<void> {
  await page.evaluate(
    `(async () => {
       window.calls = [];
       const keep = (name) => (...values) => void calls.push({ name, values: values.filter((value) => typeof value !== 'function') });
       await ${SDK_GLOBAL}.init({ apiKey: ${JSON.stringify(key)}, onLoaded: keep('loaded'), onComplete: keep('onComplete'), onApplicationCreated: keep('application of init') });
       await ${paymentsSet};
       ${SDK_GLOBAL}.payments.present(${JSON.stringify(kind)}, {
         sessionToken: ${JSON.stringify(sessionToken)},
         onModalOpen: keep('open'),
         onApplicationCreated: keep('application'),
         onApprovalStatusChange: keep('decision'),
         onDataUpdate: (data) => { keep('update')(data); return window.answer ?? {}; },
         onConfirm: keep('confirm'),
         callback: keep('complete'),
       });
     })()`,
  );
}

const all = () => page.evaluate<Callback[]>('window.calls');

/** Waits for a callback by polling, because the page's CSP blocks Playwright's own waiting. */
async function called(name: string): Promise<readonly unknown[]> {
  const find = async () => (await all()).find((call) => call.name === name);
  await expect.poll(find).toBeDefined();
  return (await find())?.values ?? [];
}

const lender = () => page.frameLocator('dialog iframe');

/** Submits the applicant's details without a browser. */
async function submit(lastName: string = details.lastName): Promise<void> {
  await test.form('/checkout/details', { ...visit, ...details, lastName });
}

async function apply(): Promise<void> {
  await lender().getByLabel('Date of birth').fill(details.birthDate);
  await lender().getByLabel('Yearly income').fill(details.income);
  await lender().getByLabel('I agree').check();
  await lender().getByRole('button', { name: 'See my offers' }).click();
}

async function agree(): Promise<void> {
  await lender().getByRole('radio').first().focus();
  await page.keyboard.press('ArrowDown');
  await lender().getByLabel('I have read').check();
  await lender().getByRole('button', { name: 'Agree and confirm' }).click();
}

describe('init', () => {
  it('returns a promise, and payments appears some time after the script has loaded', async () => {
    const script = `${test.sandbox.hostedUrl}/sdk.js?payments=500`;
    expect(
      await page.evaluate(
        `new Promise((resolve) => {
           const policy = trustedTypes.createPolicy('test', { createScriptURL: (url) => url });
           const script = document.createElement('script');
           script.src = policy.createScriptURL(${JSON.stringify(script)});
           script.onload = () => resolve([
             typeof ${SDK_GLOBAL}.payments,
             ${SDK_GLOBAL}.init({ apiKey: ${JSON.stringify(key)} }) instanceof Promise,
           ]);
           document.head.append(script);
         })`,
      ),
    ).toEqual(['undefined', true]);
    await expect
      .poll(() => page.evaluate(`typeof ${SDK_GLOBAL}.payments?.present`))
      .toBe('function');
  });

  const refused = (options: object) =>
    page.evaluate(
      `${SDK_GLOBAL}.init(${JSON.stringify(options)}).then(() => 'initialized', ({ message }) => message)`,
    );

  it('rejects an unknown key, a private key, and no key', async () => {
    expect(await refused({ apiKey: 'made-up' })).toContain('unknown apiKey');
    expect(await refused({ apiKey: test.environment('sandbox').privateKey })).toContain(
      'unknown apiKey',
    );
    expect(await refused({})).toContain('apiKey');
    expect(await refused({ apiKey: key })).toBe('initialized');
  });

  it('rejects, or never settles, when the script URL requests it', async () => {
    await page.goto(`${shopOrigin}?init=reject`);
    expect(await refused({ apiKey: key })).toContain('unknown apiKey');
    await page.goto(`${shopOrigin}?init=hang`);
    const settled = `Promise.race([${SDK_GLOBAL}.init({ apiKey: ${JSON.stringify(key)} }), new Promise((resolve) => setTimeout(resolve, 500, 'pending'))])`;
    expect(await page.evaluate(settled)).toBe('pending');
  });
});

describe('payments.present', () => {
  it('returns a confirmation token for one charge', async () => {
    await present();
    await called('open');
    const [applicationId] = await called('application');
    await apply();
    await agree();
    const [token, data, status] = await called('complete');
    expect(status).toBeNull();
    expect(data).toMatchObject({
      applicationId,
      token,
      totalAmount: expect.any(Number) as number,
      taxAmount: expect.any(Number) as number,
      shippingAmount: expect.any(Number) as number,
      lender: { id: expect.any(String) as string, name: expect.any(String) as string },
      consumerDetails: { email: expect.any(String) as string },
    });
    const { status: answered } = await test.call('POST', '/v2/post-sale/charges', {
      body: { confirmationToken: token },
    });
    expect(answered).toBe(201);
    // onConfirm has one argument, a string, and is called before the dialog closes.
    expect(await called('confirm')).toEqual([token]);
    expect((await all()).map(({ name }) => name).filter((name) => name !== 'decision')).toEqual([
      'loaded',
      'open',
      'application',
      'application of init',
      'confirm',
      'complete',
      'onComplete',
    ]);
    expect(await page.locator('dialog').count()).toBe(0);
    const decisions = (await all()).filter(({ name }) => name === 'decision');
    expect(new Set(decisions.map(({ values }) => values[0]))).toEqual(
      new Set(['PRE_APPROVED', 'APPROVED']),
    );
    expect(decisions[0]?.values[1]).toMatchObject({
      applicationId,
      lenderId: expect.any(String) as string,
      lenderName: expect.any(String) as string,
    });
  });

  it('closes some time after the confirmation when the script URL requests it', async () => {
    await page.goto(`${shopOrigin}?confirm=60000`);
    await submit();
    await test.form('/checkout/confirm', { ...visit, offer: 'TAM-0-6', agree: 'yes' });
    await present();
    const [token] = await called('confirm');
    expect(token).toEqual(expect.stringMatching(/./));
    expect(await page.locator('dialog').count()).toBe(1);
    // The shopper closes the dialog: the callback still gets the confirmed token.
    await page.getByRole('button', { name: 'Close' }).click();
    expect((await called('complete'))[0]).toBe(token);
  });

  it('returns to the store after every lender declines', async () => {
    await submit('Decline');
    await present();
    const [token, data, status] = await called('complete');
    expect([token, status]).toMatchObject([null, { code: 'BACK_TO_STORE' }]);
    const { lendersStatus } = data as { lendersStatus: { status: string }[] };
    expect(lendersStatus.length).toBeGreaterThan(1);
    expect(new Set(lendersStatus.map((lender) => lender.status))).toEqual(new Set(['DECLINE']));
    const decisions = (await all()).filter(({ name }) => name === 'decision');
    expect(decisions.map(({ values }) => values[0])).toEqual(lendersStatus.map(() => 'DECLINE'));
  });

  it('returns a continuation token for a pending session', async () => {
    await submit('Pending');
    await present();
    const [token, data, status] = await called('complete');
    expect([token, status]).toMatchObject([null, { code: 'BACK_TO_STORE' }]);
    expect(data).toMatchObject({ continuationToken: session });
  });

  it('passes an application with its offers to the callback, without a token', async () => {
    await present('apply');
    await apply();
    const [data, status] = await called('complete');
    expect(status).toBeNull();
    expect(data).toMatchObject({
      availableCredit: [{ lender: { id: expect.any(String) as string } }, {}, {}, {}],
    });
  });

  it.each([
    ['its button', () => page.getByRole('button', { name: 'Close' }).click()],
    ['Escape', () => page.getByRole('button', { name: 'Close' }).press('Escape')],
  ])('closes by %s', async (_, leave) => {
    await present();
    await called('application');
    await leave();
    expect(await called('complete')).toMatchObject([null, {}, { code: 'CONSUMER_CANCELLED' }]);
  });

  it.each([
    ['its button', () => page.getByRole('button', { name: 'Close' }).click()],
    ['Escape', () => page.keyboard.press('Escape')],
  ])('is outside the top layer on request, and closes by %s', async (_, leave) => {
    await page.goto(`${shopOrigin}?modal=page`);
    await present();
    await called('application');
    const modal = page.locator('body > [role=dialog]');
    expect(await page.locator(':modal').count()).toBe(0);
    expect(await page.locator('dialog').count()).toBe(0);
    await leave();
    expect(await called('complete')).toMatchObject([null, {}, { code: 'CONSUMER_CANCELLED' }]);
    expect(await modal.count()).toBe(0);
  });

  it.each(['before it loads', 'after it has loaded'])(
    'closes when the hosted page does not respond: %s',
    async (when) => {
      const silent = when === 'after it has loaded';
      if (!silent) await page.route('**/checkout?**', () => undefined);
      await present();
      if (silent) {
        await called('open');
        await page.route('**/checkout/cancel', () => undefined);
      }
      await page.getByRole('button', { name: 'Close' }).click();
      expect(await called('complete')).toMatchObject([null, {}, { code: 'CONSUMER_CANCELLED' }]);
      expect(await page.locator('dialog').count()).toBe(0);
    },
  );

  it('fails for an unknown session', async () => {
    await present('checkout', 'unknown');
    expect(await called('complete')).toMatchObject([null, {}, { code: 'CREATE_CHECKOUT_FAILED' }]);
  });

  it('ends with the code from the script URL', async () => {
    await page.goto(`${shopOrigin}?code=BILLING_SHIPPING_MISMATCH`);
    await present();
    expect(await called('complete')).toMatchObject([
      null,
      {},
      { code: 'BILLING_SHIPPING_MISMATCH' },
    ]);
  });

  it('requests an update, and rejects amounts that differ from the session’s', async () => {
    await page.goto(`${shopOrigin}?update`);
    await present();
    const [data] = await called('update');
    expect(data).toMatchObject({ totalAmount: expect.any(Number) as number });
    await lender().getByLabel('Last name').waitFor();
    expect(await page.locator('dialog').count()).toBe(1);
    await page.goto(`${shopOrigin}?update`);
    await page.evaluate('window.answer = { totalAmount: 1 }');
    await present();
    expect(await called('complete')).toMatchObject([null, {}, { code: 'TOTAL_AMOUNT_MISMATCH' }]);
  });

  it('closes without a callback on dispose, which requires another init', async () => {
    await present();
    await called('open');
    await page.evaluate(`${SDK_GLOBAL}.dispose()`);
    expect(await page.locator('dialog').count()).toBe(0);
    expect((await all()).map(({ name }) => name)).not.toContain('complete');
    expect(
      await page.evaluate(
        `(() => { try { ${SDK_GLOBAL}.payments.present('checkout', {}); } catch ({ message }) { return message; } })()`,
      ),
    ).toContain('init');
  });

  it('rejects a second modal and a call without a session', async () => {
    const refused = (script: string) =>
      page.evaluate(
        `(() => { try { ${script}; return ''; } catch (error) { return error.message; } })()`,
      );
    await present();
    expect(
      await refused(`${SDK_GLOBAL}.payments.present('checkout', { sessionToken: 'x' })`),
    ).toContain('already');
    expect(await refused(`${SDK_GLOBAL}.payments.present('checkout', {})`)).toContain(
      'sessionToken',
    );
  });
});

it('rejects a session for a different key', async () => {
  const ask = (parameters: Record<string, string>) =>
    page.request.get(
      `${test.sandbox.hostedUrl}/sdk/session?${new URLSearchParams(parameters).toString()}`,
    );
  expect((await ask({ session, key })).status()).toBe(200);
  expect((await ask({ session, key: 'made-up' })).status()).toBe(404);
  expect((await ask({ session: 'unknown', key })).status()).toBe(404);
});

it('initializes itself from a caConfig that the page sets before the script loads', async () => {
  // This must be the last test with this page, because the script stays loaded.
  await page.addInitScript(`window.caConfig = { apiKey: ${JSON.stringify(key)} }`);
  await page.reload();
  const presents = () =>
    page.evaluate(
      `(() => { try { ${SDK_GLOBAL}.payments.present('checkout', { sessionToken: ${JSON.stringify(session)} }); return true; } catch { return false; } })()`,
    );
  await expect.poll(presents).toBe(true);
});
