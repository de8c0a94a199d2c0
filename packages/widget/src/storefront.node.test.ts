/*
 * The production build in a shop's page under a strict content security policy with Trusted Types: no
 * inline script, no inline style, only one companion and one lender.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { brotliSize } from './brotli-size.fixture.ts';
import { launchChromium } from './chromium.fixture.ts';
import { observeShifts, shiftOfDefinition } from './shift.fixture.ts';
import { openStorefront } from './storefront.fixture.ts';
import type { Storefront } from './storefront.fixture.ts';
import { languages } from './texts/languages.ts';

let shop: Storefront;
let browser: Browser;
let page: Page;
let requests: string[];
let complaints: string[];

beforeAll(async () => {
  [shop, browser] = await Promise.all([openStorefront(), launchChromium()]);
});
afterAll(async () => {
  await browser.close();
  shop.close();
});

beforeEach(async () => {
  shop.verdict = { status: 'approved' };
  shop.farewell = { status: 'cancelled' };
  shop.asked.length = 0;
  requests = [];
  complaints = [];
  page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => complaints.push(message.text()));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      reportError(new Error(`${event.violatedDirective} ${event.blockedURI}`)),
    );
  });
  await page.goto(shop.url);
  await page.waitForFunction(() => customElements.get('financing-checkout'));
});
afterEach(async () => {
  await page.close();
});

const start = () => page.getByRole('button', { name: 'Pay over time' });
const lender = () => page.frameLocator('financing-checkout iframe');

describe('under a strict policy', () => {
  it('leads to an approved order without a violation', async () => {
    await start().click();
    await lender().getByRole('button', { name: 'Confirm an offer' }).click();
    await page.getByRole('heading', { name: 'Your financing is approved' }).waitFor();
    expect(shop.asked).toEqual(['/checkout/prime', '/checkout/checkout-1/confirmation']);
    expect(complaints).toEqual([]);
  });

  it('shows other ways to pay after a decline', async () => {
    shop.farewell = { status: 'declined' };
    await start().click();
    await lender().getByRole('button', { name: 'Be declined' }).click();
    await page.getByRole('heading', { name: 'No offer this time' }).waitFor();
    expect(await page.getByRole('link', { name: 'Pay by card instead' }).isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('requests nothing before the shopper acts, and only the needed files afterwards', async () => {
    await page.waitForLoadState('networkidle');
    expect(requests).toEqual(['/', '/page.css', '/financing-checkout.js']);
    await start().click();
    await lender().getByRole('button', { name: 'Confirm an offer' }).waitFor();
    expect(requests.slice(3)).toEqual([
      expect.stringMatching(/^\/attempt-[\w-]+\.js$/),
      expect.stringMatching(/^\/texts\/en-[\w-]+\.js$/),
      '/checkout/prime',
      '/',
    ]);
  });
});

describe('by keyboard alone', () => {
  it('opens the dialog, cycles the focus in it, leaves, and returns to the button', async () => {
    await page.keyboard.press('Tab');
    expect(await start().evaluate((button) => button.matches(':focus-visible'))).toBe(true);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Pay over time' });
    await dialog.waitFor();
    await lender().getByRole('button', { name: 'Confirm an offer' }).waitFor();
    // The focus enters the lender's page after it has loaded, and can leave it again.
    const within = () =>
      page.evaluate(() => {
        const { shadowRoot } = document.querySelector('financing-checkout') ?? {};
        return shadowRoot?.activeElement?.getAttribute('part');
      });
    await expect.poll(within).toBe('frame');
    await lender().getByRole('button', { name: 'Confirm an offer' }).focus();
    await page.keyboard.press('Shift+Tab');
    await expect.poll(within).toBe('close');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'You left the application' }).waitFor();
    expect(await start().evaluate((button) => button.matches(':focus'))).toBe(true);
    expect(shop.asked).toEqual(['/checkout/prime', '/checkout/checkout-1/cancellation']);
  });
});

describe('a reload during a checkout', () => {
  it('offers to continue the checkout and continues it', async () => {
    await start().click();
    await lender().getByRole('button', { name: 'Confirm an offer' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Continue your application' }).click();
    await lender().getByRole('button', { name: 'Confirm an offer' }).click();
    await page.getByRole('heading', { name: 'Your financing is approved' }).waitFor();
    expect(shop.asked.filter((path) => path.endsWith('prime'))).toHaveLength(1);
  });
});

describe('a file that does not load', () => {
  it.each(['attempt', 'texts/en'])(
    '%s leads to a calm notice, and can be tried again',
    async (part) => {
      const address = `**/${part}-*.js`;
      await page.route(address, (route) => route.abort());
      await start().click();
      await page.getByRole('heading', { name: 'Financing cannot be reached right now' }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Pay by card instead' }).isVisible()).toBe(true);
      await page.unroute(address);
      await page.getByRole('button', { name: 'Try again' }).click();
      await lender().getByRole('button', { name: 'Confirm an offer' }).waitFor();
      expect(complaints.join('\n')).toContain('script-unreachable');
    },
  );

  it('does not suggest another way to pay when an application exists', async () => {
    await start().click();
    await lender().getByRole('button', { name: 'Confirm an offer' }).waitFor();
    const address = '**/attempt-*.js';
    await page.route(address, (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Continue your application' }).click();
    await page.getByRole('heading', { name: 'We are checking your application' }).waitFor();
    expect(await page.getByRole('link', { name: 'Pay by card instead' }).isVisible()).toBe(false);
    await page.unroute(address);
    await page.getByRole('button', { name: 'Check now' }).click();
    await lender().getByRole('button', { name: 'Confirm an offer' }).waitFor();
  });
});

describe('another language', () => {
  const speak = (locale: string) =>
    page.locator('financing-checkout').evaluate((element, tag) => {
      element.setAttribute('locale', tag);
    }, locale);
  const inGerman = () => page.getByRole('button', { name: 'In Raten zahlen' });

  it('is one file that loads only on pages that need it', async () => {
    await speak('de-AT');
    await inGerman().waitFor();
    await speak('de');
    await speak('en-GB');
    await start().waitFor();
    expect(requests.slice(3)).toEqual([expect.stringMatching(/^\/texts\/de-[\w-]+\.js$/)]);
    expect(complaints).toEqual([]);
  });

  it('falls back to English when it does not load', async () => {
    await page.route('**/texts/de-*.js', (route) => route.abort());
    const asked = page.waitForEvent('requestfailed');
    await speak('de');
    await asked;
    await start().click();
    await lender().getByRole('button', { name: 'Confirm an offer' }).click();
    await page.getByRole('heading', { name: 'Your financing is approved' }).waitFor();
  });

  it('does not delay the checkout while it loads, and is used afterwards', async () => {
    const coming = Promise.withResolvers<undefined>();
    await page.route('**/texts/de-*.js', (route) => coming.promise.then(() => route.continue()));
    await speak('de');
    await start().click();
    await lender().getByRole('button', { name: 'Be declined' }).waitFor();
    coming.resolve(undefined);
    await page.getByRole('dialog', { name: 'Ratenzahlung' }).waitFor();
  });
});

describe('the layout', () => {
  it('does not shift when the element is defined', async () => {
    expect(await shiftOfDefinition(page)).toBe(0);
  });

  it('does not shift while the dialog loads, nor when it opens', async () => {
    const coming = Promise.withResolvers<undefined>();
    await page.route('**/attempt-*.js', (route) => coming.promise.then(() => route.continue()));
    const shifts = await observeShifts(page);
    await start().click();
    await page.getByRole('button', { name: 'One moment…' }).waitFor();
    coming.resolve(undefined);
    await lender().getByRole('button', { name: 'Confirm an offer' }).waitFor();
    expect(await shifts()).toBe(0);
  });

  it.each([320, 768, 1280])(
    'does not scroll sideways at %d pixels, opened or not',
    async (width) => {
      await page.setViewportSize({ width, height: 800 });
      const overflows = () =>
        page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(await overflows()).toBeLessThanOrEqual(0);
      await start().click();
      const dialog = page.getByRole('dialog');
      await lender().getByRole('button', { name: 'Confirm an offer' }).waitFor();
      expect(await overflows()).toBeLessThanOrEqual(0);
      const box = await dialog.boundingBox();
      if (width === 320) expect(box).toEqual({ x: 0, y: 0, width: 320, height: 800 });
      else expect(box?.width).toBe(544);
    },
  );
});

describe('the memory', () => {
  it('does not grow when elements are mounted and removed, opened or not', async () => {
    const session = await page.context().newCDPSession(page);
    const heap = async () => {
      // A second collection frees objects that the first one releases.
      await session.send('HeapProfiler.collectGarbage');
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    const mount = (times: number) =>
      page.evaluate(async (count) => {
        const first = document.querySelector('financing-checkout');
        for (let time = 0; time < count; time++) {
          const element = first?.cloneNode(true) as HTMLElement & {
            start(): void;
            updateComplete: Promise<unknown>;
          };
          element.setAttribute('scenario', 'approved');
          document.body.append(element);
          await element.updateComplete;
          element.start();
          await element.updateComplete;
          element.remove();
        }
      }, times);
    await mount(20);
    const before = await heap();
    await mount(100);
    const grown = (await heap()) - before;
    // A hundred leaked elements would take several megabytes.
    expect(grown).toBeLessThan(500_000);
  });
});

describe('the build', () => {
  it('loads at most 12.16 kB (brotli) before the click, and 21.95 kB in all, in any one language', () => {
    const sizes = [...shop.files]
      // The other elements have their own size limits.
      .filter(([name]) => name.endsWith('.js') && !/^(immutable|message|prequalify)\//.test(name))
      .map(([name, code]) => ({ name, size: brotliSize(code) }));
    const before = sizes.find(({ name }) => name === 'financing-checkout.js')?.size;
    expect(before).toBeLessThanOrEqual(12_160);
    const isLanguage = ({ name }: { name: string }) => name.startsWith('texts/');
    const spoken = sizes.filter(isLanguage);
    // Including English, of which only the initial texts load before the click.
    expect(spoken).toHaveLength(Object.keys(languages).length + 1);
    // The service's own SDK replaces the hosted page; the code for it loads only then.
    const isSdk = ({ name }: { name: string }) => name.startsWith('sdk-');
    // The link for another device, which few shoppers choose.
    const isPhone = ({ name }: { name: string }) => name.startsWith('phone-');
    expect(sizes.filter(isPhone)).toHaveLength(1);
    // The return from a redirect.
    const isReturn = ({ name }: { name: string }) => name.startsWith('take-return-');
    expect(sizes.filter(isReturn)).toHaveLength(1);
    // Other presentations, a soft keyboard, the evidence of a message, and the code for leaving,
    // continuing or changing an order.
    const isElsewhere = ({ name }: { name: string }) =>
      /^(detours|keyboard|popup|redirect|shown)-/.test(name);
    expect(sizes.filter(isElsewhere)).toHaveLength(5);
    // Development code loads on request, and never for a shopper.
    const isForDevelopers = ({ name }: { name: string }) => name.startsWith('development/');
    expect(sizes.filter(isForDevelopers)).toHaveLength(2);
    const used = sizes.filter(
      (file) =>
        ![isLanguage, isSdk, isPhone, isReturn, isElsewhere, isForDevelopers].some((isOther) =>
          isOther(file),
        ),
    );
    expect(used).toHaveLength(2);
    const sum = used.reduce((total, { size }) => total + size, 0);
    expect(sum + Math.max(...spoken.map(({ size }) => size))).toBeLessThanOrEqual(21_950);
  });

  it('contains no code of the contract', () => {
    for (const code of shop.files.values()) expect(code).not.toContain('packages/contract');
  });
});

describe('on a server', () => {
  it.each(['index.js', 'define.js'])('%s can be imported', async (file) => {
    const url = new URL(`../dist/${file}`, import.meta.url).href;
    const script = `const m = await import(${JSON.stringify(url)});
      console.log(m.FinancingCheckout.version, typeof document)`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+ undefined$/);
  });
});
