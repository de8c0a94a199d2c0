/*
 * The service's own SDK, as the sandbox serves its stand-in, presents the checkout: script by
 * address with integrity, under the shop's policy with the lines that the widget's README gives.
 */
import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FrameLocator, Page } from 'playwright';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { runShopper, shopper, stack } from './running.ts';

const sdk = readFileSync(join(root, 'packages/sandbox/assets/sdk.js'));
const integrity = `sha384-${createHash('sha384').update(sdk).digest('base64')}`;

/** Read by each start of the companion: where the script is, is known once the sandbox runs. */
const companionEnv: Record<string, string> = {};
let asked: string[];

// A page that Playwright answers for is of nowhere, and may not ask this machine otherwise.
runShopper({ companionEnv }, ['LocalNetworkAccessChecks']);
beforeAll(async () => {
  Object.assign(companionEnv, {
    FINANCING_SDK_URL: `${stack.hosted}/sdk.js`,
    FINANCING_SDK_GLOBAL: 'FinancingService',
    FINANCING_SDK_INTEGRITY: integrity,
  });
  await stack.restart('companion');
});
beforeEach(async () => {
  asked = [];
  shopper.page.on('request', (request) => asked.push(request.url()));
  await allow(shopper.page);
});

/** Adds the lines of the README to the policy of the shop's pages. */
async function allow(page: Page): Promise<void> {
  await page.route(`${stack.shop}/**`, async (route) => {
    if (route.request().resourceType() !== 'document') return route.continue();
    const response = await route.fetch({ maxRedirects: 0 });
    const headers = response.headers();
    const policy = headers['content-security-policy'];
    if (policy) {
      headers['content-security-policy'] = policy
        .replace(/script-src /, `script-src ${stack.hosted} `)
        .replace(/trusted-types /, 'trusted-types financing-checkout ');
    }
    return route.fulfill({ response, headers });
  });
}

/** Reaches the payment and presses the button. */
async function press(presentation: string, lastName = 'Rivera'): Promise<void> {
  await shopper.goToPayment({ lastName });
  // A page that a redirect led to has come by no route of Playwright's.
  await shopper.page.reload();
  await shopper.element.evaluate(
    (element, names) => element.setAttribute('presentation', names),
    presentation,
  );
  await shopper.button.click();
}

/** Starts with the SDK; what it shows is in a dialog of its own in the page. */
async function start(lastName?: string): Promise<FrameLocator> {
  await press('sdk', lastName);
  const hosted = shopper.page.frameLocator('body > dialog iframe');
  await hosted.getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
  expect(asked).toContain(`${stack.hosted}/sdk.js`);
  expect(await shopper.element.locator('iframe').count()).toBe(0);
  return hosted;
}

test('a purchase through the SDK is charged and paid', async () => {
  const hosted = await start();
  await shopper.apply(hosted);
  await shopper.takeOffer(0, hosted);
  await shopper.untilPaid();
});

test('a decline in the SDK is a decline in the shop', async () => {
  await shopper.apply(await start('Decline'));
  await expect.poll(() => shopper.outcome.innerText()).toContain('No offer this time');
});

test('leaving the SDK is a cancel, and the next start shows it again', async () => {
  await start();
  await shopper.page.locator('body > dialog').getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => shopper.outcome.innerText()).toContain('You left the application');
  await shopper.button.click();
  await shopper.page.locator('body > dialog iframe').waitFor();
});

test('a script that is not what its integrity says gives way to the dialog of the widget', async () => {
  await shopper.page.route(`${stack.hosted}/sdk.js`, (route) =>
    route.fulfill({
      body: `${sdk.toString()}// one byte more`,
      contentType: 'text/javascript',
      headers: { 'access-control-allow-origin': '*' },
    }),
  );
  await press('sdk embedded');
  await shopper.hosted.getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
  expect(asked).toContain(`${stack.hosted}/sdk.js`);
  expect(await shopper.page.evaluate(() => 'FinancingService' in globalThis)).toBe(false);
});
