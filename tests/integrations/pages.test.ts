import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { startMerchant, type Merchant } from './merchant.ts';
import {
  approveAfterDecline,
  buyOn,
  launchBrowser,
  payByRoute,
  sendForgedWebhook,
  type Browser,
} from './purchase.ts';

const folder = join(root, 'examples/integrations');
let merchant: Merchant | undefined;
let browser: Browser;

beforeAll(async () => {
  const { status, stderr } = spawnSync(
    join(folder, 'node_modules/.bin/vite'),
    ['build', '--logLevel', 'warn'],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  );
  if (status !== 0) throw new Error(stderr);
  browser = await launchBrowser();
  merchant = await startMerchant({
    folder,
    backend: 'backends/shop.js',
    sandbox: join(root, 'packages/sandbox/dist/main.js'),
    companion: join(root, 'packages/server/dist/node/main.js'),
  });
});
afterAll(async () => {
  await merchant?.stop();
  await browser.close();
});

describe('an Express shop, set up as the README says', () => {
  test.each(['plain', 'react', 'vue', 'svelte'])('pays an order on the page %s', async (page) => {
    await buyOn(browser, running(), `${page}.html`);
  });

  test('a redirect returns to a route in the fragment without leaving a token', async () => {
    await payByRoute(browser, running());
  });

  test('rejects an unsigned webhook', async () => {
    expect(await sendForgedWebhook(running())).toBe(401);
  });

  test('pays an order by its second checkout, after changes of the first', async () => {
    expect(await approveAfterDecline(running())).toBe('paid');
  });
});

function running(): Merchant {
  if (!merchant) throw new Error('The shop does not run.');
  return merchant;
}
