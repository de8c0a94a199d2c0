/* `npm run test:merchant`: installs and uses the packed packages as a merchant does. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMerchant, type Merchant, type MerchantOptions } from './merchant.ts';
import { checkMisspelled, installApp, installPacked } from './packed.ts';
import { primeFromPhp } from './php/prime.ts';
import {
  approveAfterDecline,
  buyOn,
  buyOnHydrated,
  launchBrowser,
  pageUnder,
  sendForgedWebhook,
  type Browser,
} from './purchase.ts';
import { isPaidAfter, refusedResults } from './results.ts';

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

const start = (
  backend: string,
  options: Partial<Pick<MerchantOptions, 'runtime' | 'folder' | 'args' | 'page'>> = {},
) =>
  startMerchant({
    folder: packed.folder,
    backend,
    ...options,
    // The file that `npx --no-install` runs.
    sandbox: join(packed.folder, 'node_modules/.bin/financing-sandbox'),
    companion: join(packed.folder, 'node_modules/.bin/financing-companion'),
  });

describe.each([
  { name: 'Express', backend: 'backends/shop.js', pages: ['plain', 'react', 'vue', 'svelte'] },
  { name: 'Python', backend: 'backends/shop.py', runtime: 'python3', pages: ['plain', 'react'] },
])('$name', ({ backend, runtime, pages }) => {
  let merchant: Merchant | undefined;
  beforeAll(async () => {
    if (runtime !== undefined && spawnSync(runtime, ['--version']).status !== 0) {
      throw new Error(
        `There is no ${runtime}: install Python 3.9 or later (apt-get install python3).`,
      );
    }
    merchant = await start(backend, { runtime });
  });
  afterAll(() => merchant?.stop());

  test.each(pages)('pays an order on the page %s', async (page) => {
    await buyOn(browser, running(merchant), `${page}.html`);
  });

  test('rejects an unsigned webhook', async () => {
    expect(await sendForgedWebhook(running(merchant))).toBe(401);
  });

  test('pays an order by its second checkout, after changes of the first', async () => {
    expect(await approveAfterDecline(running(merchant))).toBe('paid');
  });

  test('does not mark an order as paid for a different or reversed result', async () => {
    await expectRefusals(running(merchant));
  });
});

describe('PHP', () => {
  let merchant: Merchant | undefined;
  beforeAll(async () => {
    if (spawnSync('php', ['--version']).status !== 0) {
      throw new Error('There is no php: install PHP 8.1 or later (apt-get install php-cli).');
    }
    merchant = await start('backends/shop.js');
  });
  afterAll(() => merchant?.stop());

  test('a ticket of 200 lines from PHP starts a checkout', async () => {
    const { status, answer, length } = await primeFromPhp(packed.folder, running(merchant));
    expect([status, answer]).toMatchObject([201, { status: 'open', amount: { value: 2_580_000 } }]);
    expect(length).toBeGreaterThan(32_768);
  });
});

interface App {
  app: string;
  /** The file with the element, if the framework checks the types of its templates. */
  page?: string;
  backend: string;
  args?: string[];
}

describe.each<App>([
  {
    app: 'next',
    page: 'app/payment-form.tsx',
    backend: 'node_modules/next/dist/bin/next',
    args: ['start'],
  },
  {
    app: 'react-router',
    page: 'app/routes/payment.tsx',
    backend: 'node_modules/@react-router/serve/bin.cjs',
    args: ['build/server/index.js'],
  },
  { app: 'nuxt', page: 'app/app.vue', backend: '.output/server/index.mjs' },
  {
    app: 'sveltekit',
    page: 'src/routes/+page.svelte',
    backend: 'build/index.js',
  },
  { app: 'angular', page: 'src/app/payment.ts', backend: 'dist/server/server.mjs' },
  { app: 'astro', backend: 'dist/server/entry.mjs' },
  { app: 'htmx', backend: 'server.ts' },
])('the app $app, rendered by its server', ({ app, page, backend, args }) => {
  let folder = '';
  let merchant: Merchant | undefined;
  beforeAll(async () => {
    folder = installApp(packed.folder, app);
    merchant = await start(backend, { folder, args: args ?? [], page: '' });
  });
  afterAll(() => merchant?.stop());

  test('pays an order by the handlers of its page, without a warning', async () => {
    await buyOnHydrated(browser, running(merchant));
  });

  test('renders its page under the host name of any shop', async () => {
    expect(await pageUnder('shop.example', running(merchant))).toMatch(
      /^200 [^]*<financing-checkout\s[^>]*order="ey/,
    );
  });

  test('rejects an unsigned webhook', async () => {
    expect(await sendForgedWebhook(running(merchant))).toBe(401);
  });

  if (page !== undefined) {
    test('does not pass its type check with a misspelled property', () => {
      const { passed, output } = checkMisspelled(folder, page);
      expect(output).toMatch(/error.*compainon/i);
      expect(passed).toBe(false);
    });
  }
});

async function expectRefusals(merchant: Merchant): Promise<void> {
  expect(await isPaidAfter(merchant, (result) => result)).toBe(true);
  let count = 0;
  for (let index = 0; ; index++) {
    let name: string | undefined;
    const isPaid = await isPaidAfter(merchant, (result) => {
      const refused = refusedResults(result)[index];
      name = refused?.[0];
      return refused?.[1] ?? result;
    });
    if (name === undefined) break;
    expect([name, isPaid]).toEqual([name, false]);
    count++;
  }
  expect(count).toBeGreaterThan(5);
}

function running(merchant: Merchant | undefined): Merchant {
  if (!merchant) throw new Error('The shop does not run.');
  return merchant;
}
