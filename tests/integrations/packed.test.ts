/* The merchant's way, with the packages as published. `npm run test:merchant`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMerchant, type Merchant } from './merchant.ts';
import { installPacked } from './packed.ts';
import {
  approveAfterDecline,
  buyOn,
  launchBrowser,
  sendForgedWebhook,
  type Browser,
} from './purchase.ts';

let packed: ReturnType<typeof installPacked>;
let browser: Browser;

beforeAll(async () => {
  packed = installPacked();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  packed.remove();
});

const start = (backend: string, runtime?: string) =>
  startMerchant({
    folder: packed.folder,
    backend,
    ...(runtime !== undefined && { runtime }),
    // What npx runs.
    sandbox: join(packed.folder, 'node_modules/.bin/financing-sandbox'),
    companion: join(packed.folder, 'node_modules/.bin/financing-companion'),
  });

describe('Express', () => {
  let merchant: Merchant | undefined;
  beforeAll(async () => {
    merchant = await start('backends/shop.js');
  });
  afterAll(() => merchant?.stop());

  test.each(['plain', 'react', 'vue', 'svelte'])(
    'an order is paid on the page %s',
    async (page) => {
      await buyOn(browser, running(merchant), `${page}.html`);
    },
  );

  test('a webhook that nobody signed pays nothing', async () => {
    expect(await sendForgedWebhook(running(merchant))).toBe(401);
  });

  test('an order is paid by its second checkout, however often the first one changed', async () => {
    expect(await approveAfterDecline(running(merchant))).toBe('paid');
  });
});

describe('Python', () => {
  let merchant: Merchant | undefined;
  beforeAll(async () => {
    if (spawnSync('python3', ['--version']).status !== 0) {
      throw new Error(
        'There is no python3: install Python 3.9 or later (apt-get install python3).',
      );
    }
    merchant = await start('backends/shop.py', 'python3');
  });
  afterAll(() => merchant?.stop());

  test.each(['plain', 'react'])('an order is paid on the page %s', async (page) => {
    await buyOn(browser, running(merchant), `${page}.html`);
  });

  test('a webhook that nobody signed pays nothing', async () => {
    expect(await sendForgedWebhook(running(merchant))).toBe(401);
  });

  test('an order is paid by its second checkout, however often the first one changed', async () => {
    expect(await approveAfterDecline(running(merchant))).toBe('paid');
  });
});

function running(merchant: Merchant | undefined): Merchant {
  if (!merchant) throw new Error('The shop does not run.');
  return merchant;
}
