import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
import { details, discard, prime, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let test: TestSandbox;
let browser: Browser;
let context: BrowserContext;
let shop: Server;
let shopOrigin: string;
beforeAll(async () => {
  test = await startTestSandbox();
  browser = await launchChromium();
  // One context for all tests, because creating one takes longer than most tests.
  context = await browser.newContext();
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
  for (const page of context.pages()) await page.close();
});

/** A message from the hosted page to the shop's page. */
interface Message {
  protocol: string;
  version: number;
  session: string;
  type: string;
  reason?: string;
  confirmationToken?: string;
}

/** Returns the URL of the hosted page for a new session. */
async function address(parameters: Record<string, string> = {}) {
  const { visit } = await prime(test);
  const query = new URLSearchParams({ ...visit, origin: shopOrigin, ...parameters });
  return { url: `${test.sandbox.hostedUrl}/checkout?${query.toString()}`, session: visit.session };
}

/** Opens the shop's page with the hosted page in a frame, and records its messages in `messages`. */
async function framed(url: string) {
  const page = await context.newPage();
  await page.goto(shopOrigin);
  await page.evaluate(
    `window.messages = [];
     addEventListener('message', (event) => messages.push({ ...event.data, origin: event.origin }));
     const frame = document.createElement('iframe');
     frame.src = ${JSON.stringify(url)}; frame.width = 900; frame.height = 800;
     document.body.append(frame);`,
  );
  return { page, frame: page.frameLocator('iframe') };
}

/** Fills in the form and requests offers. */
async function apply(form: Pick<Page, 'getByLabel' | 'getByRole'>): Promise<void> {
  await form.getByLabel('Date of birth').fill(details.birthDate);
  await form.getByLabel('Yearly income').fill(details.income);
  await form.getByLabel('I agree').check();
  await form.getByRole('button', { name: 'See my offers' }).click();
}

/** Waits for a message of a type. */
async function received(page: Page, type: string): Promise<Message> {
  const handle = await page.waitForFunction(
    `window.messages.find((message) => message.type === ${JSON.stringify(type)})`,
  );
  return (await handle.jsonValue()) as Message;
}

describe('in a frame', () => {
  it('sends ready, then confirmed with the token, to the shop of the visit', async () => {
    const { url, session } = await address();
    const { page, frame } = await framed(url);
    expect(await received(page, 'ready')).toEqual({
      protocol: 'financing-checkout',
      version: 1,
      session,
      type: 'ready',
      origin: test.sandbox.hostedUrl,
    });
    await apply(frame);
    // By keyboard: the arrow key moves the selection to the second offer.
    await frame.getByRole('radio').first().focus();
    await page.keyboard.press('ArrowDown');
    await frame.getByLabel('I have read').check();
    await frame.getByRole('button', { name: 'Agree and confirm' }).click();
    const { confirmationToken } = await received(page, 'confirmed');
    const { status } = await test.call('POST', '/v2/post-sale/charges', {
      body: { confirmationToken },
    });
    expect(status).toBe(201);
    const text = await frame.getByRole('main').innerText();
    expect(text).toContain('Quillmoor Finance');
  });

  it('has all text in landmarks', async () => {
    const { url } = await address();
    const page = await context.newPage();
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

  it('closes on a message from the shop with the right session and protocol', async () => {
    const { url, session } = await address();
    const { page } = await framed(url);
    await received(page, 'ready');
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
    // A frame within the shop's page is not the embedding page.
    await page.evaluate(
      `const inner = document.createElement('iframe');
       inner.srcdoc = \`<script>parent.frames[0].postMessage(${JSON.stringify(close)}, '*')</script>\`;
       document.body.append(inner);
       new Promise((resolve) => { inner.onload = resolve; })`,
    );
    await say(close);
    expect(await received(page, 'ended')).toMatchObject({ reason: 'cancelled', session });
    // Messages arrive in order, so those before the right one had no effect.
    expect(cancelled).toBe(1);
  });

  it('ends as canceled on Escape within the frame, which the shop cannot observe', async () => {
    const { url, session } = await address();
    const { page, frame } = await framed(url);
    await received(page, 'ready');
    await frame.getByLabel('First name').focus();
    await page.keyboard.press('Escape');
    expect(await received(page, 'ended')).toMatchObject({ reason: 'cancelled', session });
  });

  it.each(['unreachable', 'silent'])('closes on Escape while the service is %s', async (how) => {
    const { url, session } = await address();
    const { page, frame } = await framed(url);
    await received(page, 'ready');
    await page.route('**/checkout/cancel', (route) =>
      how === 'silent' ? undefined : route.abort(),
    );
    await frame.getByLabel('First name').focus();
    await page.keyboard.press('Escape');
    expect(await received(page, 'ended')).toMatchObject({ reason: 'cancelled', session });
  });

  it('stays open when Escape ends an IME composition', async () => {
    const { url } = await address();
    const { page, frame } = await framed(url);
    await received(page, 'ready');
    await frame.getByLabel('First name').focus();
    const press = (options: string) =>
      page.frames()[1]?.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
          { key: 'Escape', bubbles: true, cancelable: true, ${options} }))`,
      );
    // The default action is not prevented, because the IME needs the key.
    expect(await press('isComposing: true')).toBe(true);
    expect(await press('keyCode: 229')).toBe(true);
    expect(await press('')).toBe(false);
  });

  it('sends confirmed, not cancelled, on Escape after confirmation', async () => {
    const { url, session } = await address();
    const visit = { session, key: test.environment('sandbox').publicKey, origin: shopOrigin };
    await test.form('/checkout/details', { ...visit, ...details });
    await test.form('/checkout/confirm', { ...visit, offer: 'TAM-0-6', agree: 'yes' });
    const { page, frame } = await framed(url);
    await received(page, 'confirmed');
    await frame.getByRole('main').click();
    await page.keyboard.press('Escape');
    // A message caused by Escape would arrive before this resolves.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
    expect(await page.evaluate('messages.map(({ type }) => type)')).toEqual(['ready', 'confirmed']);
  });

  it('cannot be framed by another origin', async () => {
    const { url } = await address({ origin: 'http://shop.example' });
    const { page } = await framed(url);
    await expect
      .poll(() => page.evaluate(`document.querySelector('iframe').contentDocument === null`))
      .toBe(true);
    // Playwright learns of the error page from the browser, after the shop's page does.
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  });

  it('sends the outcome again instead of opening the shop within the frame', async () => {
    const { url } = await address({ return: `${shopOrigin}/order`, key: 'wrong' });
    const { page, frame } = await framed(url);
    await received(page, 'ended');
    await page.evaluate('messages.length = 0');
    await frame.getByRole('link', { name: 'Back to the shop' }).click();
    expect(await received(page, 'ended')).toMatchObject({ reason: 'failed' });
    expect(page.frames()[1]?.url()).toBe(url);
  });

  it('sends the failed outcome for a wrong public key', async () => {
    const { url } = await address({ key: 'wrong' });
    const { page } = await framed(url);
    expect(await received(page, 'ended')).toMatchObject({ reason: 'failed' });
  });
});

describe('in a separate window', () => {
  it('sends messages to the opener', async () => {
    const { url } = await address();
    const page = await context.newPage();
    await page.goto(shopOrigin);
    const popupOpened = page.waitForEvent('popup');
    await page.evaluate(
      `window.messages = []; addEventListener('message', (event) => messages.push(event.data));
       void open(${JSON.stringify(url)});`,
    );
    const popup = await popupOpened;
    await received(page, 'ready');
    await popup.getByRole('button', { name: 'Cancel and go back' }).click();
    expect(await received(page, 'ended')).toMatchObject({ reason: 'cancelled' });
  });

  it('redirects to the shop after cancellation, with the outcome in the fragment', async () => {
    const { url, session } = await address({ return: `${shopOrigin}/order` });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'Cancel and go back' }).click();
    await page.waitForURL(
      `${shopOrigin}/order#financing-session=${session}&financing-ended=cancelled`,
    );
  });
});

describe('accessibility', () => {
  it.each([320, 1280])('fits %d px without overflow and without errors', async (width) => {
    const page = await context.newPage();
    await page.setViewportSize({ width, height: 800 });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    const { url } = await address();
    await page.goto(url);
    const overflow = async () => {
      // The elements of a page are visible before its style sheets have loaded.
      await page.waitForLoadState();
      return page.evaluate('document.documentElement.scrollWidth - innerWidth');
    };
    expect(await overflow()).toBe(0);
    await apply(page);
    await page.getByRole('radio').first().waitFor();
    expect(await overflow()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('fits a phone at twice the text size, from the first page to the last', async () => {
    const page = await context.newPage();
    await page.setViewportSize({ width: 320, height: 568 });
    const { url } = await address({ return: `${shopOrigin}/order` });
    await page.goto(url);
    const overflow = async () => {
      await page.waitForLoadState();
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
    // The last page redirects to the shop automatically; the route prevents this.
    await page.route(`${shopOrigin}/**`, () => undefined);
    await page.getByRole('radio').first().press('Space');
    await page.getByLabel('I have read').check();
    await page.getByRole('button', { name: 'Agree and confirm' }).click();
    await page.getByRole('link', { name: /shop/ }).waitFor();
    expect(await overflow()).toBe(0);
  });

  it('lets the shopper send the form again after stopping a page that does not load', async () => {
    const { url } = await address();
    const page = await context.newPage();
    await page.goto(url);
    const requested = new Promise<void>((resolve) => {
      void page.route('**/checkout/details', () => resolve(), { times: 1 });
    });
    const applied = apply(page);
    await requested;
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Page.stopLoading');
    await applied;
    await page.getByRole('button', { name: 'See my offers', disabled: false }).click();
    await page.getByRole('radio').first().waitFor();
  });

  it('moves the focus to a list of errors that link to their fields', async () => {
    const { url } = await address();
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'See my offers' }).click();
    // The script moves the focus once the list is visible.
    await expect.poll(() => page.evaluate(`document.activeElement.role === 'alert'`)).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(`document.activeElement.id === 'birthDate'`)).toBe(true);
    expect(await page.evaluate('document.activeElement.labels[0].innerText')).toBe('Date of birth');
  });
});
