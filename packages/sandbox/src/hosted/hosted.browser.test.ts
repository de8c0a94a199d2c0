import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
import { details, discard, prime, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let test: TestSandbox;
let browser: Browser;
let shop: Server;
let shopOrigin: string;
beforeAll(async () => {
  test = await startTestSandbox();
  browser = await launchChromium();
  shop = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>');
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shopOrigin = `http://localhost:${(shop.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  shop.close();
  await discard(test);
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

interface Told {
  protocol: string;
  version: number;
  session: string;
  type: string;
  reason?: string;
  confirmationToken?: string;
}

/** Address of the hosted page for a new session. */
async function address(parameters: Record<string, string> = {}) {
  const { visit } = await prime(test);
  const query = new URLSearchParams({ ...visit, origin: shopOrigin, ...parameters });
  return { url: `${test.sandbox.hostedUrl}/checkout?${query.toString()}`, session: visit.session };
}

/** The shop's page with the hosted page in a frame; `told` holds what the frame has said. */
async function framed(url: string) {
  const page = await browser.newPage();
  await page.goto(shopOrigin);
  await page.evaluate(
    `window.told = [];
     addEventListener('message', (event) => told.push({ ...event.data, origin: event.origin }));
     const frame = document.createElement('iframe');
     frame.src = ${JSON.stringify(url)}; frame.width = 900; frame.height = 800;
     document.body.append(frame);`,
  );
  return { page, frame: page.frameLocator('iframe') };
}

/** Fills in what lenders want to know, and asks for offers. */
async function apply(form: Pick<Page, 'getByLabel' | 'getByRole'>): Promise<void> {
  await form.getByLabel('Date of birth').fill(details.birthDate);
  await form.getByLabel('Yearly income').fill(details.income);
  await form.getByLabel('I agree').check();
  await form.getByRole('button', { name: 'See my offers' }).click();
}

/** Waits for a message of this type. */
async function hears(page: Page, type: string): Promise<Told> {
  const handle = await page.waitForFunction(
    `window.told.find((message) => message.type === ${JSON.stringify(type)})`,
  );
  return (await handle.jsonValue()) as Told;
}

describe('in a frame', () => {
  it('says ready, then confirmed with the token, to the shop that was named', async () => {
    const { url, session } = await address();
    const { page, frame } = await framed(url);
    expect(await hears(page, 'ready')).toEqual({
      protocol: 'financing-checkout',
      version: 1,
      session,
      type: 'ready',
      origin: test.sandbox.hostedUrl,
    });
    await apply(frame);
    // By keyboard: the arrow moves the choice to the second offer.
    await frame.getByRole('radio').first().focus();
    await page.keyboard.press('ArrowDown');
    await frame.getByLabel('I have read').check();
    await frame.getByRole('button', { name: 'Agree and confirm' }).click();
    const { confirmationToken } = await hears(page, 'confirmed');
    const { status } = await test.call('POST', '/v2/post-sale/charges', {
      body: { confirmationToken },
    });
    expect(status).toBe(201);
    const text = await frame.getByRole('main').innerText();
    expect(text).toContain('Quillmoor Finance');
  });

  it('has all that it says in landmarks', async () => {
    const { url } = await address();
    const page = await browser.newPage();
    await page.goto(url);
    const test = page.getByRole('complementary', { name: 'Test environment' });
    expect(await test.innerText()).toContain('no money');
    const outside = await page.evaluate<string>(
      `[...document.body.querySelectorAll('*')]
        .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
        .filter((one) => !one.closest('header, aside, main, footer'))
        .map((one) => one.outerHTML).join()`,
    );
    expect(outside).toBe('');
  });

  it('leaves when the shop says close, and only for the right session and protocol', async () => {
    const { url, session } = await address();
    const { page } = await framed(url);
    await hears(page, 'ready');
    let cancelled = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/checkout/cancel')) cancelled += 1;
    });
    const say = (message: object) =>
      page.evaluate(
        `document.querySelector('iframe').contentWindow.postMessage(${JSON.stringify(message)}, '*')`,
      );
    const close = { protocol: 'financing-checkout', version: 1, session, type: 'close' };
    await say({ ...close, session: 'another' });
    await say({ ...close, version: 2 });
    await say({ ...close, protocol: 'other' });
    // A page within the shop's page is not the one that shows this one.
    await page.evaluate(
      `const inner = document.createElement('iframe');
       inner.srcdoc = \`<script>parent.frames[0].postMessage(${JSON.stringify(close)}, '*')</script>\`;
       document.body.append(inner);
       new Promise((resolve) => { inner.onload = resolve; })`,
    );
    await say(close);
    expect(await hears(page, 'ended')).toMatchObject({ reason: 'cancelled', session });
    // Messages arrive in order: those before the right one have been looked at, and did nothing.
    expect(cancelled).toBe(1);
  });

  it('ends as cancelled when Escape is pressed in it: the shop cannot hear that key', async () => {
    const { url, session } = await address();
    const { page, frame } = await framed(url);
    await hears(page, 'ready');
    await frame.getByLabel('First name').focus();
    await page.keyboard.press('Escape');
    expect(await hears(page, 'ended')).toMatchObject({ reason: 'cancelled', session });
  });

  it.each(['out of reach', 'silent'])('is left by Escape where the service is %s', async (how) => {
    const { url, session } = await address();
    const { page, frame } = await framed(url);
    await hears(page, 'ready');
    await page.route('**/checkout/cancel', (route) =>
      how === 'silent' ? undefined : route.abort(),
    );
    await frame.getByLabel('First name').focus();
    await page.keyboard.press('Escape');
    expect(await hears(page, 'ended')).toMatchObject({ reason: 'cancelled', session });
  });

  it('stays when Escape ends the composition of an input method', async () => {
    const { url } = await address();
    const { page, frame } = await framed(url);
    await hears(page, 'ready');
    await frame.getByLabel('First name').focus();
    const press = (options: string) =>
      page.frames()[1]?.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
          { key: 'Escape', bubbles: true, cancelable: true, ${options} }))`,
      );
    // Not prevented: the input method needs it.
    expect(await press('isComposing: true')).toBe(true);
    expect(await press('keyCode: 229')).toBe(true);
    expect(await press('')).toBe(false);
  });

  it('says confirmed, not cancelled, to an Escape after the confirmation', async () => {
    const { url, session } = await address();
    const visit = { session, key: test.environment('sandbox').publicKey, origin: shopOrigin };
    await test.form('/checkout/details', { ...visit, ...details });
    await test.form('/checkout/confirm', { ...visit, offer: 'TAM-0-6', agree: 'yes' });
    const { page, frame } = await framed(url);
    await hears(page, 'confirmed');
    await frame.getByRole('main').click();
    await page.keyboard.press('Escape');
    // Whatever Escape had said would have been said before the answer to this.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
    expect(await page.evaluate('told.map(({ type }) => type)')).toEqual(['ready', 'confirmed']);
  });

  it('is shown to no other origin', async () => {
    const { url } = await address({ origin: 'http://shop.example' });
    const { page } = await framed(url);
    await expect
      .poll(() => page.evaluate(`document.querySelector('iframe').contentDocument === null`))
      .toBe(true);
    expect(page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  });

  it('tells the end again instead of opening the shop within the frame', async () => {
    const { url } = await address({ return: `${shopOrigin}/order`, key: 'wrong' });
    const { page, frame } = await framed(url);
    await hears(page, 'ended');
    await page.evaluate('told.length = 0');
    await frame.getByRole('link', { name: 'Back to the shop' }).click();
    expect(await hears(page, 'ended')).toMatchObject({ reason: 'failed' });
    expect(page.frames()[1]?.url()).toBe(url);
  });

  it('tells the end when the public key is wrong', async () => {
    const { url } = await address({ key: 'wrong' });
    const { page } = await framed(url);
    expect(await hears(page, 'ended')).toMatchObject({ reason: 'failed' });
  });
});

describe('in a window of its own', () => {
  it('tells the page that opened it', async () => {
    const { url } = await address();
    const page = await browser.newPage();
    await page.goto(shopOrigin);
    const popupOpened = page.waitForEvent('popup');
    await page.evaluate(
      `window.told = []; addEventListener('message', (event) => told.push(event.data));
       void open(${JSON.stringify(url)});`,
    );
    const popup = await popupOpened;
    await hears(page, 'ready');
    await popup.getByRole('button', { name: 'Cancel and go back' }).click();
    expect(await hears(page, 'ended')).toMatchObject({ reason: 'cancelled' });
  });

  it('goes back to the shop on its own after a cancel, the outcome in the fragment', async () => {
    const { url, session } = await address({ return: `${shopOrigin}/order` });
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'Cancel and go back' }).click();
    await page.waitForURL(
      `${shopOrigin}/order#financing-session=${session}&financing-ended=cancelled`,
    );
  });
});

describe('for everybody', () => {
  it.each([320, 1280])('%d px wide: nothing is cut off, nothing fails', async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    const { url } = await address();
    await page.goto(url);
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(await overflow()).toBe(0);
    await apply(page);
    await page.getByRole('radio').first().waitFor();
    expect(await overflow()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('holds on a phone with text of twice the size, from the first page to the last', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 568 } });
    const { url } = await address({ return: `${shopOrigin}/order` });
    await page.goto(url);
    const overflow = async () => {
      await page.evaluate(`
        document.documentElement.style.fontSize = '200%';
        for (const lines of document.querySelectorAll('details')) lines.open = true;`);
      return page.evaluate('document.documentElement.scrollWidth - innerWidth');
    };
    expect(await overflow()).toBe(0);
    await page.getByRole('button', { name: 'See my offers' }).click();
    await page.getByRole('alert').waitFor();
    expect(await overflow()).toBe(0);
    await apply(page);
    await page.getByRole('radio').first().waitFor();
    expect(await overflow()).toBe(0);
    // The last page goes back to the shop by itself: not while it is looked at.
    await page.route(`${shopOrigin}/**`, () => undefined);
    await page.getByRole('radio').first().press('Space');
    await page.getByLabel('I have read').check();
    await page.getByRole('button', { name: 'Agree and confirm' }).click();
    await page.getByRole('link', { name: /shop/ }).waitFor();
    expect(await overflow()).toBe(0);
  });

  it('lets a shopper who stops a page that does not come send the form again', async () => {
    const { url } = await address();
    const page = await browser.newPage();
    await page.goto(url);
    const asked = new Promise<void>((resolve) => {
      void page.route('**/checkout/details', () => resolve(), { times: 1 });
    });
    const applied = apply(page);
    await asked;
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Page.stopLoading');
    await applied;
    await page.getByRole('button', { name: 'See my offers', disabled: false }).click();
    await page.getByRole('radio').first().waitFor();
  });

  it('an error moves the focus to a list of what is wrong, each a link to its field', async () => {
    const { url } = await address();
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'See my offers' }).click();
    // The script that moves it comes after the list that is shown.
    await expect.poll(() => page.evaluate(`document.activeElement.role === 'alert'`)).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(`document.activeElement.id === 'birthDate'`)).toBe(true);
    expect(await page.evaluate('document.activeElement.labels[0].innerText')).toBe('Date of birth');
  });
});
