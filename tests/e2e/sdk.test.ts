/*
 * The sandbox's stand-in of the service's SDK presents the checkout in the example shop, under the shop's
 * own policy.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright';
import { beforeEach, describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { context, useShopper, shopper, stack } from './running.ts';
import { Shopper } from './shopper.ts';

const sdk = readFileSync(join(root, 'packages/sandbox/assets/sdk.js'), 'utf8');

// Chromium knows no IP address for a page that Playwright fulfills, and blocks its requests to this
// machine.
useShopper(['LocalNetworkAccessChecks']);

let asked: string[];
beforeEach(() => {
  asked = [];
  shopper.page.on('request', (request) => asked.push(request.url()));
});

/** Adds test parameters to the address of the script in the companion's answer. */
async function setScriptParameters(parameters: string): Promise<void> {
  await shopper.page.route(`${stack.companion}/checkout/prime`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    const checkout = (await response.json()) as { presentation: { sdk: { src: string } } };
    checkout.presentation.sdk.src += parameters;
    await route.fulfill({ response, json: checkout });
  });
}

/** Opens the payment page with a presentation, and presses the button. */
async function press(presentation = 'sdk', lastName = 'Rivera'): Promise<void> {
  await reach(presentation, lastName);
  await shopper.button.click();
}
async function reach(presentation: string, lastName = 'Rivera'): Promise<void> {
  await shopper.goToPayment({ lastName });
  const { pathname } = new URL(shopper.page.url());
  await shopper.page.goto(
    `${stack.shop}${pathname}?presentation=${encodeURIComponent(presentation)}`,
  );
}

const modal = () => shopper.page.frameLocator('body > dialog iframe');

/** Waits for the hosted page in the SDK's own dialog. */
async function shown(): Promise<FrameLocator> {
  await modal().getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
  expect(asked.some((url) => url.startsWith(`${stack.hosted}/sdk.js`))).toBe(true);
  expect(await shopper.element.locator('iframe').count()).toBe(0);
  return modal();
}

async function start(lastName?: string): Promise<FrameLocator> {
  await press('sdk', lastName);
  return shown();
}

const outcomeSays = (text: string) =>
  expect.poll(() => shopper.outcome.innerText()).toContain(text);

describe('the service’s script', () => {
  test('completes a purchase', async () => {
    const hosted = await start();
    await shopper.apply(hosted);
    await shopper.takeOffer(0, hosted);
    await shopper.untilPaid();
  });

  test('shows a decline as a decline', async () => {
    await shopper.apply(await start('Decline'));
    await outcomeSays('No offer this time');
  });

  test('keeps an order pending while a lender reviews it', async () => {
    await shopper.apply(await start('Pending'));
    await shopper.page.waitForURL('**/orders/*?from=financing');
    await shopper.page
      .getByText(/lender (is|has)|review|decid/i)
      .first()
      .waitFor();
  });

  test('can be closed and opened again', async () => {
    await start();
    await shopper.page.locator('body > dialog').getByRole('button', { name: 'Close' }).click();
    await outcomeSays('You left the application');
    await shopper.button.click();
    await shopper.page.locator('body > dialog iframe').waitFor();
  });

  test('completes a purchase when the element was moved while its dialog was open', async () => {
    const hosted = await start();
    await shopper.element.evaluate((element) => document.querySelector('main')?.append(element));
    await shopper.apply(hosted);
    await shopper.takeOffer(0, hosted);
    await shopper.untilPaid();
  });
});

describe('in a modal dialog of the shop', () => {
  const shopDialog = () => shopper.page.locator('#cart');
  const isModal = () => shopDialog().evaluate((dialog) => dialog.matches(':modal'));
  const focusedIn = () =>
    shopper.page.evaluate(() => [document.activeElement?.localName, document.activeElement?.id]);

  /** Puts the element into a dialog, opens it from a button, and presses the element's own. */
  async function pressInDialog(modal: 'page' | 'top-layer'): Promise<void> {
    await setScriptParameters(`?modal=${modal}`);
    await reach('sdk');
    await shopper.page.evaluate(() => {
      const dialog = document.createElement('dialog');
      const opener = document.createElement('button');
      const element = document.querySelector('financing-checkout');
      dialog.id = 'cart';
      opener.id = 'opener';
      opener.onclick = () => dialog.showModal();
      dialog.onclose = () => (document.title = 'The shop closed its dialog');
      document.querySelector('main')?.append(opener, dialog);
      if (element) dialog.append(element);
    });
    await shopper.page.locator('#opener').click();
    expect(await isModal()).toBe(true);
    await shopper.button.click();
  }
  const service = () => shopper.page.locator('body > [role=dialog], body > dialog');
  const hosted = () => service().frameLocator('iframe');

  test.each(['page', 'top-layer'] as const)(
    'the modal of the service, in the %s, takes a purchase',
    async (modal) => {
      await pressInDialog(modal);
      await shopper.apply(hosted());
      await shopper.takeOffer(0, hosted());
      await shopper.untilPaid();
    },
  );

  test.each(['page', 'top-layer'] as const)(
    'Escape closes the modal of the service, in the %s, and not the dialog',
    async (modal) => {
      await pressInDialog(modal);
      await hosted().getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
      await service().getByRole('button', { name: 'Close' }).press('Escape');
      await outcomeSays('You left the application');
      await expect.poll(isModal).toBe(true);
      await expect.poll(focusedIn).toEqual(['financing-checkout', expect.anything()]);
      expect(await service().count()).toBe(0);
      expect(await shopper.page.title()).not.toContain('closed');
      await shopper.page.keyboard.press('Escape');
      await expect.poll(() => shopper.page.title()).toBe('The shop closed its dialog');
      expect(await focusedIn()).toEqual(['button', 'opener']);
    },
  );
});

describe('a page that loads the script itself', () => {
  /** Adds the script to the payment page, and code of the page's own. */
  async function byPage(code: string): Promise<void> {
    await shopper.page.addInitScript(code);
    await shopper.page.route(`${stack.shop}/orders/*/payment?*`, async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      const html = await response.text();
      const tag = `<script async src="${stack.hosted}/sdk.js"></script></head>`;
      await route.fulfill({ response, body: html.replace('</head>', tag) });
    });
  }

  test('keeps its settings and its own callback', async () => {
    await byPage(`{
      const key = ${JSON.stringify(stack.secrets.publicKey)};
      const look = setInterval(() => {
        if (!window.ChargeAfter) return;
        clearInterval(look);
        const { init } = ChargeAfter;
        window.inits = 0;
        ChargeAfter.init = (config) => { window.inits += 1; return init(config); };
        ChargeAfter.init({ apiKey: key, storeId: 'store-1', onApplicationCreated: () => { window.heard = true; } });
      }, 10);
    }`);
    await reach('sdk');
    await expect.poll(() => shopper.page.evaluate('window.inits')).toBe(1);
    await shopper.button.click();
    const hosted = await shown();
    await expect.poll(() => shopper.page.evaluate('window.heard')).toBe(true);
    expect(await shopper.page.evaluate('window.inits')).toBe(1);
    await shopper.apply(hosted);
    await shopper.takeOffer(0, hosted);
    await shopper.untilPaid();
  });
});

describe('a page that is closed between confirmation and callback', () => {
  test('does not stop the charge', async () => {
    await setScriptParameters('?confirm=600000');
    const hosted = await start();
    await shopper.apply(hosted);
    const sent = shopper.page.waitForRequest('**/confirmation');
    await shopper.takeOffer(0, hosted);
    await sent;
    const order = new URL(shopper.page.url()).pathname.replace('/payment', '');
    await shopper.page.close();
    const later = await Shopper.arrive(context, stack);
    await expect
      .poll(async () => {
        await later.page.goto(`${stack.shop}${order}`);
        return later.page.getByRole('heading', { name: /Your order is paid/ }).count();
      })
      .toBe(1);
  });
});

describe('a script that fails', () => {
  test('to initialize is replaced by the widget’s dialog', async () => {
    await setScriptParameters('?init=reject');
    await press('sdk embedded');
    await shopper.hosted.getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
  });

  test('its integrity check is replaced by the widget’s dialog', async () => {
    await start();
    await shopper.page.route(`${stack.hosted}/sdk.js*`, (route) =>
      route.fulfill({
        body: `${sdk}// one byte more`,
        contentType: 'text/javascript',
        headers: { 'access-control-allow-origin': '*' },
      }),
    );
    await shopper.page.reload();
    await press('sdk embedded');
    await shopper.hosted.getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
    expect(await shopper.page.evaluate('"ChargeAfter" in globalThis')).toBe(false);
  });
});
