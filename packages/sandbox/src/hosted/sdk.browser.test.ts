/*
 * The stand-in for the service's SDK, as a shop's page uses it: by address, with integrity, under a
 * policy that allows nothing inline.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
import { details, discard, prime, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { SDK_GLOBAL, sdkIntegrity } from './sdk.ts';

let test: TestSandbox;
let browser: Browser;
let shop: Server;
let shopOrigin: string;
let page: Page;
let session: string;

beforeAll(async () => {
  test = await startTestSandbox();
  browser = await launchChromium();
  const { hostedUrl } = test.sandbox;
  shop = createServer((request, response) => {
    // Its own query is that of the script: the parameters for tests.
    const { search } = new URL(request.url ?? '', 'http://localhost');
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'content-security-policy': `default-src 'none'; script-src ${hostedUrl}; frame-src ${hostedUrl}; connect-src ${hostedUrl}; require-trusted-types-for 'script'`,
      })
      .end(
        `<!doctype html><title>Shop</title><script src="${hostedUrl}/sdk.js${search}" crossorigin integrity="${sdkIntegrity}"></script>`,
      );
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shopOrigin = `http://localhost:${(shop.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  shop.close();
  await discard(test);
});

let key: string;
beforeEach(async () => {
  const { visit } = await prime(test);
  ({ key, session } = visit);
  for (const context of browser.contexts()) await context.close();
  page = await browser.newPage();
  await page.goto(shopOrigin);
});

interface Told {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** Presents, and keeps each callback in `told`. */
async function present(kind = 'checkout', sessionToken = session): Promise<void> {
  await page.evaluate(
    `(async () => {
       window.told = [];
       const keep = (name) => (...values) => void told.push({ name, values: values.filter((value) => typeof value !== 'function') });
       await ${SDK_GLOBAL}.init({ apiKey: ${JSON.stringify(key)}, onLoaded: keep('loaded'), onComplete: keep('onComplete'), onApplicationCreated: keep('application of init') });
       while (!${SDK_GLOBAL}.payments) await new Promise((resolve) => setTimeout(resolve, 10));
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

const all = () => page.evaluate<Told[]>('window.told');

/** Waits for a call; the page's policy keeps out what waits within the page. */
async function told(name: string): Promise<readonly unknown[]> {
  const find = async () => (await all()).find((one) => one.name === name);
  await expect.poll(find, { timeout: 15_000 }).toBeDefined();
  return (await find())?.values ?? [];
}

const lender = () => page.frameLocator('dialog iframe');

async function apply(lastName?: string): Promise<void> {
  if (lastName) await lender().getByLabel('Last name').fill(lastName);
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
  it('returns a promise, and payments is not there right after the script has loaded', async () => {
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
      `${SDK_GLOBAL}.init(${JSON.stringify(options)}).then(() => 'initialised', ({ message }) => message)`,
    );

  it('rejects an unknown key, a private key, and no key', async () => {
    expect(await refused({ apiKey: 'made-up' })).toContain('unknown apiKey');
    expect(await refused({ apiKey: test.environment('sandbox').privateKey })).toContain(
      'unknown apiKey',
    );
    expect(await refused({})).toContain('apiKey');
    expect(await refused({ apiKey: key })).toBe('initialised');
  });

  it('rejects, or never settles, where the address of the script asks for it', async () => {
    await page.goto(`${shopOrigin}?init=reject`);
    expect(await refused({ apiKey: key })).toContain('unknown apiKey');
    await page.goto(`${shopOrigin}?init=hang`);
    const settled = `Promise.race([${SDK_GLOBAL}.init({ apiKey: ${JSON.stringify(key)} }), new Promise((resolve) => setTimeout(resolve, 500, 'pending'))])`;
    expect(await page.evaluate(settled)).toBe('pending');
  });
});

describe('payments.present', () => {
  it('leads to a confirmation token that is worth one charge', async () => {
    await present();
    await told('open');
    const [applicationId] = await told('application');
    await apply();
    await agree();
    const [token, data, status] = await told('complete');
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
    // One argument, a string, before the dialog closes.
    expect(await told('confirm')).toEqual([token]);
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

  it('closes some time after the confirmation where the address of the script asks for it', async () => {
    await page.goto(`${shopOrigin}?confirm=60000`);
    await present();
    await apply();
    await agree();
    const [token] = await told('confirm');
    expect(token).toEqual(expect.stringMatching(/./));
    expect(await page.locator('dialog').count()).toBe(1);
    // The shopper closes it: the token is the one that was confirmed.
    await page.getByRole('button', { name: 'Close' }).click();
    expect((await told('complete'))[0]).toBe(token);
  });

  it('goes back to the store after a decline, which every lender said before', async () => {
    await present();
    await apply('Decline');
    const [token, data, status] = await told('complete');
    expect([token, status]).toMatchObject([null, { code: 'BACK_TO_STORE' }]);
    const { lendersStatus } = data as { lendersStatus: { status: string }[] };
    expect(lendersStatus.length).toBeGreaterThan(1);
    expect(new Set(lendersStatus.map((lender) => lender.status))).toEqual(new Set(['DECLINE']));
    const decisions = (await all()).filter(({ name }) => name === 'decision');
    expect(decisions.map(({ values }) => values[0])).toEqual(lendersStatus.map(() => 'DECLINE'));
  });

  it('gives a token that continues a session that is pending', async () => {
    await present();
    await apply('Pending');
    const [token, data, status] = await told('complete');
    expect([token, status]).toMatchObject([null, { code: 'BACK_TO_STORE' }]);
    expect(data).toMatchObject({ continuationToken: session });
  });

  it('calls back an application with its offers, and no token before them', async () => {
    await present('apply');
    await apply();
    const [data, status] = await told('complete');
    expect(status).toBeNull();
    expect(data).toMatchObject({
      availableCredit: [{ lender: { id: expect.any(String) as string } }, {}, {}, {}],
    });
  });

  it.each([
    ['its button', () => page.getByRole('button', { name: 'Close' }).click()],
    ['Escape', () => page.getByRole('button', { name: 'Close' }).press('Escape')],
  ])('is left by %s', async (_, leave) => {
    await present();
    await told('application');
    await leave();
    expect(await told('complete')).toMatchObject([null, {}, { code: 'CONSUMER_CANCELLED' }]);
  });

  it.each(['before it comes', 'when it has gone silent'])(
    'can be left where the lender’s page does not answer: %s',
    async (when) => {
      const silent = when === 'when it has gone silent';
      if (!silent) await page.route('**/checkout?**', () => undefined);
      await present();
      if (silent) {
        await told('open');
        await page.route('**/checkout/cancel', () => undefined);
      }
      await page.getByRole('button', { name: 'Close' }).click();
      expect(await told('complete')).toMatchObject([null, {}, { code: 'CONSUMER_CANCELLED' }]);
      expect(await page.locator('dialog').count()).toBe(0);
    },
  );

  it('of an unknown session has failed', async () => {
    await present('checkout', 'unknown');
    expect(await told('complete')).toMatchObject([null, {}, { code: 'CREATE_CHECKOUT_FAILED' }]);
  });

  it('ends with the code that the address of the script asks for', async () => {
    await page.goto(`${shopOrigin}?code=BILLING_SHIPPING_MISMATCH`);
    await present();
    expect(await told('complete')).toMatchObject([null, {}, { code: 'BILLING_SHIPPING_MISMATCH' }]);
  });

  it('asks for an update, and refuses amounts that are not the session’s', async () => {
    await page.goto(`${shopOrigin}?update`);
    await present();
    const [data] = await told('update');
    expect(data).toMatchObject({ totalAmount: expect.any(Number) as number });
    await lender().getByLabel('Last name').waitFor();
    expect(await page.locator('dialog').count()).toBe(1);
    await page.goto(`${shopOrigin}?update`);
    await page.evaluate('window.answer = { totalAmount: 1 }');
    await present();
    expect(await told('complete')).toMatchObject([null, {}, { code: 'TOTAL_AMOUNT_MISMATCH' }]);
  });

  it('is closed without a word by dispose, after which init is needed again', async () => {
    await present();
    await told('open');
    await page.evaluate(`${SDK_GLOBAL}.dispose()`);
    expect(await page.locator('dialog').count()).toBe(0);
    expect((await all()).map(({ name }) => name)).not.toContain('complete');
    expect(
      await page.evaluate(
        `(() => { try { ${SDK_GLOBAL}.payments.present('checkout', {}); } catch ({ message }) { return message; } })()`,
      ),
    ).toContain('init');
  });

  it('is refused twice at a time, and without a session', async () => {
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

it('is initialised by caConfig where the page has set that before the script loads', async () => {
  await page.addInitScript(`window.caConfig = { apiKey: ${JSON.stringify(key)} }`);
  await page.reload();
  const presents = () =>
    page.evaluate(
      `(() => { try { ${SDK_GLOBAL}.payments.present('checkout', { sessionToken: ${JSON.stringify(session)} }); return true; } catch { return false; } })()`,
    );
  await expect.poll(presents).toBe(true);
});

it('refuses a session to another key', async () => {
  const ask = (parameters: Record<string, string>) =>
    page.request.get(
      `${test.sandbox.hostedUrl}/sdk/session?${new URLSearchParams(parameters).toString()}`,
    );
  expect((await ask({ session, key })).status()).toBe(200);
  expect((await ask({ session, key: 'made-up' })).status()).toBe(404);
  expect((await ask({ session: 'unknown', key })).status()).toBe(404);
});
