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
  shop = createServer((_request, response) => {
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'content-security-policy': `default-src 'none'; script-src ${hostedUrl}; frame-src ${hostedUrl}; connect-src ${hostedUrl}; require-trusted-types-for 'script'`,
      })
      .end(
        `<!doctype html><title>Shop</title><script src="${hostedUrl}/sdk.js" crossorigin integrity="${sdkIntegrity}"></script>`,
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

/** Presents a checkout; what is called back is kept in `told`. */
async function present(sessionToken = session): Promise<void> {
  await page.evaluate(
    `window.told = [];
     ${SDK_GLOBAL}.init({ apiKey: ${JSON.stringify(key)} });
     ${SDK_GLOBAL}.payments.present('checkout', {
       sessionToken: ${JSON.stringify(sessionToken)},
       onModalOpen: () => told.push(['open']),
       onApplicationCreated: (id) => told.push(['application', id]),
       onConfirm: () => told.push(['confirm']),
       callback: (token, data, status) => told.push(['complete', token, status?.code]),
     });`,
  );
}

/** Waits for a call; the page's policy keeps out what waits within the page. */
async function told(name: string): Promise<unknown[]> {
  const find = () =>
    page.evaluate<unknown[] | undefined>(
      `window.told.find(([name]) => name === ${JSON.stringify(name)})`,
    );
  await expect.poll(find, { timeout: 15_000 }).toBeDefined();
  return (await find()) ?? [];
}

const lender = () => page.frameLocator('dialog iframe');

describe('payments.present', () => {
  it('leads to a confirmation token that is worth one charge', async () => {
    await present();
    await told('open');
    expect((await told('application'))[1]).toEqual(expect.stringMatching(/./));
    await lender().getByLabel('Date of birth').fill(details.birthDate);
    await lender().getByLabel('Yearly income').fill(details.income);
    await lender().getByLabel('I agree').check();
    await lender().getByRole('button', { name: 'See my offers' }).click();
    await lender().getByRole('radio').first().focus();
    await page.keyboard.press('ArrowDown');
    await lender().getByLabel('I have read').check();
    await lender().getByRole('button', { name: 'Agree and confirm' }).click();
    const [, confirmationToken, code] = await told('complete');
    expect(code).toBeUndefined();
    const { status } = await test.call('POST', '/v2/post-sale/charges', {
      body: { confirmationToken },
    });
    expect(status).toBe(201);
    expect(await page.evaluate('told.map(([name]) => name)')).toEqual([
      'open',
      'application',
      'confirm',
      'complete',
    ]);
    expect(await page.locator('dialog').count()).toBe(0);
  });

  it('has no token and a code for a decline', async () => {
    await present();
    await lender().getByLabel('Last name').fill('Decline');
    await lender().getByLabel('Date of birth').fill(details.birthDate);
    await lender().getByLabel('Yearly income').fill(details.income);
    await lender().getByLabel('I agree').check();
    await lender().getByRole('button', { name: 'See my offers' }).click();
    expect(await told('complete')).toEqual(['complete', null, 'APPLICATION_DECLINED']);
  });

  it.each([
    ['its button', () => page.getByRole('button', { name: 'Close' }).click()],
    ['Escape', () => page.getByRole('button', { name: 'Close' }).press('Escape')],
  ])('is left by %s', async (_, leave) => {
    await present();
    await told('open');
    await leave();
    expect(await told('complete')).toEqual(['complete', null, 'CONSUMER_CANCELLED']);
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
      expect(await told('complete')).toEqual(['complete', null, 'CONSUMER_CANCELLED']);
      expect(await page.locator('dialog').count()).toBe(0);
    },
  );

  it('of an unknown session has failed', async () => {
    await present('unknown');
    expect(await told('complete')).toEqual(['complete', null, 'CREATE_CHECKOUT_FAILED']);
  });

  it('is refused before init, twice at a time, and without what it needs', async () => {
    const refused = (script: string) =>
      page.evaluate(
        `(() => { try { ${script}; return ''; } catch (error) { return error.message; } })()`,
      );
    expect(await refused(`${SDK_GLOBAL}.payments.present('checkout', {})`)).toContain('init');
    expect(await refused(`${SDK_GLOBAL}.init({})`)).toContain('apiKey');
    await present();
    expect(
      await refused(
        `${SDK_GLOBAL}.payments.present('checkout', { sessionToken: 'x', callback() {} })`,
      ),
    ).toContain('already');
    expect(await refused(`${SDK_GLOBAL}.payments.present('checkout', {})`)).toContain(
      'sessionToken',
    );
  });
});

it('tells an application to nobody with another key', async () => {
  const ask = (parameters: Record<string, string>) =>
    page.request.get(
      `${test.sandbox.hostedUrl}/sdk/application?${new URLSearchParams(parameters).toString()}`,
    );
  expect((await ask({ session, key })).status()).toBe(200);
  expect((await ask({ session, key: 'made-up' })).status()).toBe(404);
  expect((await ask({ session: 'unknown', key })).status()).toBe(404);
});
