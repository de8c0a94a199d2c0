/*
 * The parts of the presentations that need a whole browser: real windows, real redirects and returns,
 * under a strict policy with Trusted Types.
 */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Download, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from './chromium.fixture.ts';
import { documentedReturn } from './documented-return.fixture.ts';
import { shiftOfDefinition } from './shift.fixture.ts';
import { openStorefront } from './storefront.fixture.ts';
import type { Setup, Storefront } from './storefront.fixture.ts';

let browser: Browser;
let context: BrowserContext;
let page: Page;
let shop: Storefront;
let complaints: string[];

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(async () => {
  await context.close();
  shop.close();
});

async function visit(
  attributes: string,
  setup: Setup,
  { style = '', javaScriptEnabled = true, inApp = false } = {},
): Promise<void> {
  shop = await openStorefront(attributes, style, setup);
  const userAgent = 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/21B74 musical_ly_32.0.0';
  const reducedMotion = 'reduce';
  context = await browser.newContext({
    javaScriptEnabled,
    reducedMotion,
    ...(inApp && { userAgent }),
  });
  complaints = [];
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      reportError(new Error(`${event.violatedDirective} ${event.blockedURI}`)),
    );
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('console', (message) => complaints.push(message.text()));
  page = await context.newPage();
  await page.goto(shop.url);
}

const start = () => page.getByRole('button', { name: 'Pay over time', exact: true });
const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
const confirm = (from: Page) => from.getByRole('button', { name: 'Confirm an offer' }).click();
const modes = ['embedded', 'popup', 'redirect'];

describe('a redirect', () => {
  it('navigates away, returns and ends approved, with a clean address', async () => {
    await visit('presentation="redirect"', { modes });
    await start().click();
    await confirm(page);
    await heading('Your financing is approved');
    expect(page.url()).toBe(`${shop.url}/`);
    expect(shop.asked).toEqual(['/checkout/prime', '/checkout/checkout-1/confirmation']);
    expect(complaints).toEqual([]);
  });

  it('shows the approval again after a reload and after Back, without a press', async () => {
    await visit('presentation="redirect"', { modes });
    await start().click();
    await confirm(page);
    await heading('Your financing is approved');
    await page.reload();
    await heading('Your financing is approved');
    await page.goto(`${shop.url}/?thanks`);
    await page.goBack();
    await heading('Your financing is approved');
    expect(await page.getByRole('button', { name: /Pay over time|Continue/ }).count()).toBe(0);
    expect(shop.asked.filter((path) => path.endsWith('prime'))).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it.each(['', '/payment?step=2'])(
    'hides its parameters from a router that starts after the script, on the route "%s"',
    async (route) => {
      await visit('presentation="redirect"', { modes });
      // A module of the shop: imports are evaluated first.
      const script = 'financing-checkout.js';
      shop.files.set('element.js', shop.files.get(script) ?? '');
      shop.files.set(
        script,
        `export * from './element.js';
        globalThis.read = location.href;
        globalThis.heard = [];
        addEventListener('popstate', () => heard.push(location.href));`,
      );
      await page.goto(`${shop.url}/?again#${route}`);
      await page.reload();
      await start().click();
      await confirm(page);
      await heading('Your financing is approved');
      const read = await page.evaluate(() => String(Reflect.get(window, 'read')));
      const heard = await page.evaluate(() => String(Reflect.get(window, 'heard')));
      expect(read + heard).not.toContain('financing-');
      expect(read).toBe(`${shop.url}/?again${route && `#${route}`}`);
      expect(page.url()).toBe(read);
      expect(complaints).toEqual([]);
    },
  );

  it('hides other ways to pay on the return while an optimizer delays the script', async () => {
    const { style, ...head } = documentedReturn(
      readFileSync(new URL('../README.md', import.meta.url), 'utf8'),
    );
    await visit('presentation="redirect"', { modes, head }, { style });
    const card = page.getByRole('link', { name: 'Pay by card instead' });
    await start().click();
    const delayed = Promise.withResolvers<undefined>();
    await page.route('**/financing-checkout.js', async (route) => {
      await delayed.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Confirm an offer' }).click();
    await page.waitForURL((url) => url.hash.includes('financing-confirmation'), {
      waitUntil: 'commit',
    });
    await page.locator('financing-checkout:not(:defined)').waitFor({ state: 'attached' });
    expect(await card.isVisible()).toBe(false);
    const said = await page
      .locator('financing-checkout')
      .evaluate((element) => getComputedStyle(element, '::after').content);
    expect(said).toContain('Please do not pay another way yet');
    delayed.resolve(undefined);
    await heading('Your financing is approved');
    expect(await card.isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('does not navigate after the shopper left before it loaded', async () => {
    await visit('presentation="redirect"', { modes });
    const isLender = (url: string) => new URL(url).searchParams.has('session');
    // The page never loads.
    await page.route(
      (url) => isLender(url.href),
      () => undefined,
    );
    const asked = page.waitForEvent('request', (request) => isLender(request.url()));
    const stopped = page.waitForEvent('requestfailed', (request) => isLender(request.url()));
    // By keyboard: a click in Playwright waits for the navigation.
    await start().focus();
    await page.keyboard.press('Enter');
    await asked;
    await page.keyboard.press('Escape');
    await stopped;
    await heading('You left the application');
    expect(page.url()).toBe(`${shop.url}/`);
  });
});

describe('a duplicated tab', () => {
  it('continues the checkout: the browser copies the secret with the session storage', async () => {
    await visit('presentation="redirect"', { modes });
    await start().click();
    await page.getByRole('button', { name: 'Confirm an offer' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Continue your application' }).waitFor();
    const opened = context.waitForEvent('page');
    await page.evaluate(() => void open(location.href));
    const tab = await opened;
    // A duplicated tab has no opener.
    await tab.evaluate(() => (opener = null));
    await tab.getByRole('button', { name: 'Continue your application' }).click();
    await confirm(tab);
    await tab.getByRole('heading', { name: 'Your financing is approved' }).waitFor();
    expect(shop.asked).toEqual([
      '/checkout/prime',
      '/checkout/checkout-1',
      '/checkout/checkout-1/confirmation',
    ]);
  });
});

describe('leaving a duplicated tab', () => {
  /** Opens the lender's page in a tab and in its duplicate. */
  async function duplicate(): Promise<Page> {
    await visit('presentation="embedded"', { modes });
    await start().click();
    await confirmation(page).waitFor();
    const opened = context.waitForEvent('page');
    await page.evaluate(() => void open(location.href));
    const tab = await opened;
    await tab.evaluate(() => (opener = null));
    await tab.getByRole('button', { name: 'Continue your application' }).click();
    return tab;
  }
  const confirmation = (tab: Page) =>
    tab.frameLocator('financing-checkout iframe').getByRole('button', { name: 'Confirm an offer' });
  const cancellations = () => shop.asked.filter((path) => path.endsWith('cancellation'));

  it('keeps the application open in the first tab', async () => {
    const tab = await duplicate();
    await confirmation(tab).waitFor();
    await tab.getByRole('button', { name: 'Close' }).click();
    await tab.getByRole('heading', { name: 'You left the application' }).waitFor();
    expect(cancellations()).toEqual([]);
    await confirmation(page).click();
    await heading('Your financing is approved');
  });

  it('ends the application when the other tab is closed', async () => {
    const tab = await duplicate();
    await confirmation(tab).waitFor();
    await page.close();
    await tab.getByRole('button', { name: 'Close' }).click();
    await tab.getByRole('heading', { name: 'You left the application' }).waitFor();
    expect(cancellations()).toHaveLength(1);
  });
});

describe('a window', () => {
  it('ends approved and closes, without a policy violation', async () => {
    await visit('presentation="popup"', { modes });
    const opened = context.waitForEvent('page');
    await start().click();
    const popup = await opened;
    await heading('Your application is open');
    const closed = popup.waitForEvent('close');
    await confirm(popup);
    await heading('Your financing is approved');
    await closed;
    expect(complaints).toEqual([]);
  });

  it('is brought to the front as the same window', async () => {
    await visit('presentation="popup"', { modes });
    const opened = context.waitForEvent('page');
    await start().click();
    const popup = await opened;
    await popup.getByRole('button', { name: 'Confirm an offer' }).waitFor();
    await page.bringToFront();
    await page.getByRole('button', { name: 'Show the window' }).click();
    expect(context.pages()).toHaveLength(2);
    await confirm(popup);
    await heading('Your financing is approved');
  });

  it('that isolates itself returns to the shop, and the waiting page receives the result', async () => {
    await visit('presentation="popup redirect"', { modes, manners: 'isolated' });
    const opened = context.waitForEvent('page');
    await start().click();
    const popup = await opened;
    await confirm(popup);
    await heading('Your financing is approved');
    expect(shop.asked.filter((path) => path.endsWith('cancellation'))).toEqual([]);
    expect(shop.asked.filter((path) => path.endsWith('confirmation'))).toHaveLength(1);
  });

  it('is reused after a reload of the page', async () => {
    await visit('presentation="popup"', { modes });
    const opened = context.waitForEvent('page');
    await start().click();
    const popup = await opened;
    await popup.getByRole('button', { name: 'Confirm an offer' }).waitFor();
    await popup.waitForLoadState();
    await page.reload();
    // The lender's page loads again. A press in the previous one would be lost.
    const loaded = popup.waitForEvent('load');
    await page.getByRole('button', { name: 'Continue your application' }).click();
    await loaded;
    await heading('Your application is open');
    expect(context.pages()).toHaveLength(2);
    await confirm(popup);
    await heading('Your financing is approved');
  });
});

describe('a frame that the shop’s policy blocks', () => {
  it('is replaced by a redirect', async () => {
    await visit('presentation="embedded redirect"', { modes, frameless: true });
    await start().click();
    await confirm(page);
    await heading('Your financing is approved');
    expect(complaints.join('\n')).toContain('frame-blocked');
  });
});

describe('a window in the web view of an app, which opens it in place of the page', () => {
  it('is not opened: the shopper is redirected, and returns to where they were', async () => {
    await visit('presentation="popup redirect"', { modes }, { inApp: true });
    await page.addInitScript(() => {
      window.open = () => {
        location.assign('about:blank');
        return null;
      };
    });
    await page.goto(`${shop.url}/?step=payment`);
    await start().click();
    await confirm(page);
    await heading('Your financing is approved');
    expect(page.url()).toBe(`${shop.url}/?step=payment`);
  });
});

describe('auto in an in-app browser, where a policy blocks frames', () => {
  it('uses a redirect and returns to the return-url', async () => {
    const setup = { modes, frameless: true };
    await visit('presentation="auto" return-url="/orders/7"', setup, { inApp: true });
    await start().click();
    await page.getByRole('button', { name: 'Confirm an offer' }).waitFor();
    expect(page.url()).not.toContain(shop.url.slice('http://'.length));
    expect(context.pages()).toHaveLength(1);
    await confirm(page);
    await page.waitForURL(`${shop.url}/orders/7`);
    await heading('Your financing is approved');
    expect(shop.asked.filter((path) => path.endsWith('/prime'))).toHaveLength(1);
  });
});

describe('a lender’s page in the frame', () => {
  /** Shows the page. @returns its frame */
  async function lenderFrame() {
    await visit('presentation="embedded"', { modes });
    await start().click();
    const button = page
      .frameLocator('financing-checkout iframe')
      .getByRole('button', { name: 'Confirm an offer' });
    await button.waitFor();
    const frame = page.frames().find((one) => one !== page.mainFrame());
    if (!frame) throw new Error('There is no frame.');
    return frame;
  }

  /** Adds a button with an action to the page, and presses it. */
  async function press(work: string): Promise<void> {
    const frame = await lenderFrame();
    page.on('download', (file) => onDownload(file));
    await frame.evaluate(`{
      const button = document.querySelector('#decline');
      button.onclick = async () => {
        try { window.done = String(await (${work})()); } catch ({ name }) { window.done = name; }
      };
    }`);
    await frame.getByRole('button', { name: 'Be declined' }).click();
  }
  let onDownload: (file: Download) => void = () => undefined;
  const done = () => page.frames()[1]?.evaluate('window.done');

  it('can let the shopper save the agreement', async () => {
    const saved = new Promise<Download>((resolve) => (onDownload = resolve));
    await press(`() => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(['agreement']));
      link.download = 'agreement.txt';
      link.click();
    }`);
    expect((await saved).suggestedFilename()).toBe('agreement.txt');
  });

  it('can ask for the cookies of its own site', async () => {
    await press('() => document.requestStorageAccess()');
    await expect.poll(done).toBeDefined();
    // The browser and the shopper decide whether to grant it.
    expect(complaints.join('\n')).not.toContain('sandboxed');
  });

  it('can print the agreement', async () => {
    await press(`() => new Promise((resolve) => {
      addEventListener('beforeprint', () => resolve('printed'));
      print();
    })`);
    await expect.poll(done).toBe('printed');
  });

  it('can sign the shopper in with a passkey', async () => {
    const frame = await lenderFrame();
    const allowed =
      await frame.evaluate(`['publickey-credentials-get', 'publickey-credentials-create']
      .map((feature) => document.featurePolicy.allowsFeature(feature))`);
    expect(allowed).toEqual([true, true]);
  });

  it('cannot use the camera, the microphone or the location; a window can', async () => {
    await lenderFrame();
    const allowed = await page.frames()[1]?.evaluate(`['camera', 'microphone', 'geolocation']
      .map((feature) => document.featurePolicy.allowsFeature(feature))`);
    expect(allowed).toEqual([false, false, false]);
  });

  it('cannot navigate the shop’s page', async () => {
    await press('() => { top.location = "https://lender.example/"; }');
    await expect.poll(done).toMatch(/SecurityError|undefined/);
    expect(new URL(page.url()).origin).toBe(shop.url);
  });
});

describe('an old browser', () => {
  it.each(['delete URL.canParse', 'delete AbortSignal.any'])(
    'without a required feature shows the plain form: %s',
    async (without) => {
      shop = await openStorefront('', '', { form: true });
      context = await browser.newContext();
      await context.addInitScript(without);
      page = await context.newPage();
      await page.goto(shop.url);
      await page.waitForLoadState('networkidle');
      await page.getByRole('button', { name: 'Pay over time, without script' }).click();
      await page.getByRole('heading', { name: 'Example Lender' }).waitFor();
    },
  );
});

describe('the service’s SDK', () => {
  it('loads under Trusted Types with its own policy', async () => {
    await visit('presentation="sdk"', { modes, sdk: { global: 'ServiceSdk' } });
    await start().click();
    await expect.poll(() => page.evaluate('window.ServiceSdk?.asked.shown.length')).toBe(1);
    await page.evaluate("ServiceSdk.asked.shown[0].options.callback('token-1')");
    await heading('Your financing is approved');
    expect(complaints).toEqual([]);
  });
});

describe('the form in the element', () => {
  const style =
    'financing-checkout button { font: inherit; min-block-size: 3em; inline-size: 100% }';

  it('starts a checkout without script', async () => {
    await visit('', { form: true }, { style, javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Pay over time, without script' }).click();
    await page.getByRole('heading', { name: 'Example Lender' }).waitFor();
    const [sent] = shop.forms;
    expect(sent?.origin).toBe(shop.url);
    expect(Object.fromEntries(sent?.fields ?? [])).toEqual({
      order: 'opaque-reference-1',
      environment: 'sandbox',
      publicKey: 'pk-test-1',
      returnUrl: `${shop.url}/`,
    });
  });

  it('is replaced by the button without a layout shift', async () => {
    await visit('', { form: true }, { style });
    expect(await shiftOfDefinition(page)).toBe(0);
    expect(await page.locator('form').isVisible()).toBe(false);
  });

  it('shifts the layout for a taller button, so the measurement works', async () => {
    await visit('', { form: true }, { style: style.replace('3em', '5em') });
    expect(await shiftOfDefinition(page)).toBeGreaterThan(0);
  });
});

describe('a phone', () => {
  const address = () => page.getByText('https://link.example/l/7Q2mX', { exact: true });

  it('gets only the link if the policy forbids the QR code, and after a reload', async () => {
    await visit('phone', { modes });
    await page.getByRole('button', { name: 'Continue on your phone' }).click();
    await address().waitFor();
    await expect.poll(() => page.locator('[part=qr-code]').isVisible()).toBe(false);
    // The browser itself reports the code; nothing else happens.
    expect(
      complaints.filter((text) => !text.includes('data:') && !text.includes('img-src')),
    ).toEqual([]);
    expect(complaints.join()).toContain('img-src');
    await page.reload();
    await address().waitFor();
    expect(shop.asked.filter((path) => path.endsWith('/prime'))).toHaveLength(1);
    const link = page.getByRole('link', { name: 'Open it on this device' });
    expect(await link.getAttribute('href')).toBe('https://link.example/l/7Q2mX');
  });
});
