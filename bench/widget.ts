// `npm run bench:widget [-- --rounds 5 --mounts 100]`: compares the widget with the drop-ins of
// Adyen and Braintree, and its message with PayPal's. One Chromium with a processor that is four
// times slower mounts them in turn; all are built in the same way and send requests only to this
// machine. It reports the medians of the rounds, and exits with 1 when one of them was not shown or
// threw, because then it measured nothing.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { chromium, type Browser, type Page } from 'playwright';
import { bundle } from '../scripts/build.ts';
import { compile } from '../scripts/compile.ts';
import { chromiumArgs, findChromium } from '../scripts/chromium.ts';
import { dataDir, root } from '../scripts/paths.ts';
import { buildContestants, contestants, type Contestant } from './widget/build.ts';
import { compareMessages } from './widget/message.ts';
import { serveBench, type BenchServer } from './widget/server.ts';
import { answerForTheirs, braintreeSheet } from './widget/theirs.ts';
import { categories, scriptTimeUntil } from './widget/trace.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    mounts: { type: 'string', default: '100' },
  },
});
const wholeNumber = (name: 'rounds' | 'mounts') => {
  if (/^[1-9]\d{0,3}$/.test(values[name])) return Number(values[name]);
  console.error(`--${name} must be a whole number, 1 or more.`);
  return process.exit(2);
};
const [rounds, mounts] = [wholeNumber('rounds'), wholeNumber('mounts')];
const folder = join(dataDir, 'bench', 'widget');

/** Selector of the first visible part of each contestant. */
const firstSight: Record<Contestant, string> = {
  'financing-checkout': 'financing-checkout #start',
  adyen: '.adyen-checkout__payment-method--selected',
  braintree: '.braintree-dropin [data-braintree-id=card] iframe',
};

interface Round {
  /** Size of script and style until the element is usable, in bytes after brotli. */
  readonly bytes: number;
  /** Milliseconds of compiling and running script until the element is visible. */
  readonly script: number;
  readonly longTasks: number;
  readonly layoutShift: number;
  /** Requests other than the page, its script and its style, until the shopper acts. */
  readonly requests: number;
}

const brotli = (bytes: Buffer) => brotliCompressSync(bytes).byteLength;
const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
const rounded = (number: number, digits = 1) => Number(number.toFixed(digits));

/** Fails on an exception, because a broken element takes no time. */
function watch(page: Page, name: string): void {
  page.on('pageerror', (error) => {
    console.error(`${name} threw: ${error.message}`);
    process.exit(1);
  });
}

/** Returns the sizes of the files that a contestant requested. */
function sizeOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + brotli(readFileSync(path)), 0);
}

async function measure(browser: Browser, server: BenchServer, name: Contestant): Promise<Round> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    await answerForTheirs(context, server.shop);
    const page = await context.newPage();
    watch(page, name);
    const own: string[] = [];
    let others = 0;
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === server.shop && /\.(js|css)$/.test(pathname)) own.push(join(folder, pathname));
      else if (pathname.endsWith('/dropin.css')) own.push(braintreeSheet);
      else if (origin.startsWith('http') && request.frame() === page.mainFrame()) {
        if (!request.isNavigationRequest()) others += 1;
      } else if (origin.startsWith('http')) others += 1;
    });
    await page.addInitScript(() => {
      const seen = { shift: 0, long: 0 };
      Object.assign(globalThis, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          seen.shift += (entry as { value?: number }).value ?? 0;
      }).observe({ type: 'layout-shift', buffered: true });
      new PerformanceObserver((list) => (seen.long += list.getEntries().length)).observe({
        type: 'longtask',
        buffered: true,
      });
    });
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const shown = page.waitForEvent('console', {
      predicate: (message) => message.text() === 'first sight',
      timeout: 60_000,
    });
    await browser.startTracing(page, { categories });
    await page.goto(server.page(name), { waitUntil: 'commit' });
    await shown;
    const script = scriptTimeUntil('first sight', await browser.stopTracing());
    if (!(await page.locator(firstSight[name]).first().isVisible())) {
      throw new Error(`${name} is not to be seen.`);
    }
    await page.waitForLoadState('networkidle');
    const { shift, long } = await page.evaluate<{ shift: number; long: number }>('globalThis.seen');
    return { bytes: sizeOf(own), script, longTasks: long, layoutShift: shift, requests: others };
  } finally {
    await context.close();
  }
}

/** Returns the bytes that the widget loads for a checkout from the button to the approval. */
async function complete(browser: Browser, server: BenchServer): Promise<number> {
  const page = await browser.newPage();
  watch(page, 'financing-checkout');
  const own: string[] = [];
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === server.shop && /\.(js|css)$/.test(pathname)) own.push(join(folder, pathname));
  });
  await page.goto(server.page('financing-checkout'));
  await page.getByRole('button', { name: 'Pay over time' }).click();
  await page.frameLocator('financing-checkout iframe').getByRole('button').click();
  await page.getByRole('heading', { name: 'Your financing is approved' }).waitFor();
  await page.close();
  return sizeOf(own);
}

/** Returns the growth of the heap in megabytes after mounting and removing an element many times. */
async function heapGrowth(
  browser: Browser,
  server: BenchServer,
  name: Contestant,
): Promise<number> {
  const context = await browser.newContext();
  try {
    await answerForTheirs(context, server.shop);
    const page = await context.newPage();
    watch(page, name);
    await page.goto(server.page(name));
    await page.locator(firstSight[name]).first().waitFor({ timeout: 60_000 });
    const session = await context.newCDPSession(page);
    const again = (times: number) =>
      page.evaluate(async (count) => {
        const mount = Reflect.get(globalThis, 'mount') as (
          place: Element,
        ) => Promise<() => unknown>;
        const place = document.createElement('div');
        document.body.append(place);
        for (let time = 0; time < count; time++) {
          const remove = await mount(place);
          if (place.children.length === 0) throw new Error('It was not mounted.');
          await remove();
          if (place.children.length > 0) throw new Error('It was not taken away.');
        }
        place.remove();
      }, times);
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    // Warms up: singletons are created, and hot functions are compiled.
    await again(10);
    const before = await heap();
    await again(mounts);
    return ((await heap()) - before) / 1e6;
  } finally {
    await context.close();
  }
}

compile();
bundle();
mkdirSync(folder, { recursive: true });
await buildContestants(folder);
const server = await serveBench(folder);
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs() });
try {
  const measured = new Map<Contestant, Round[]>(contestants.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const name of contestants) {
      measured.get(name)?.push(await measure(browser, server, name));
    }
    console.log(`Round ${round} of ${rounds} is measured.`);
  }
  const of = (name: Contestant, what: keyof Round) =>
    median((measured.get(name) ?? []).map((round) => round[what]));
  const growth = {} as Record<Contestant, number>;
  for (const name of contestants) {
    growth[name] = await heapGrowth(browser, server, name);
    console.log(
      `${name}: ${of(name, 'bytes')} B brotli, ${rounded(of(name, 'script'))} ms script, ` +
        `${of(name, 'longTasks')} long tasks, layout shift ${rounded(of(name, 'layoutShift'), 4)}, ` +
        `${of(name, 'requests')} requests before interaction, heap ${rounded(growth[name], 2)} MB ` +
        `after ${mounts} mounts and removals`,
    );
  }
  // Measures the files of cdn/, because the size goal is about the published files.
  const published = brotli(readFileSync(join(root, 'packages/widget/cdn/financing-checkout.js')));
  const source = brotli(readFileSync(join(folder, 'define', 'main.js')));
  console.log(
    `As published ${published} B before the click; from its modules, by a bundler, ${source} B`,
  );
  const times = (what: 'bytes' | 'script', name: Contestant) =>
    rounded(of(name, what) / of('financing-checkout', what));
  const { ours, peer } = await compareMessages(browser, folder);
  console.log(
    `Message ${ours.brotliBytes} B brotli, ${ours.requests} request(s); @paypal/messaging-components ` +
      `${peer.brotliBytes} B, ${peer.requests} request(s), layout shift ${rounded(peer.layoutShift, 4)}`,
  );
  const result = {
    bench: 'widget',
    brotliBytes: {
      beforeClick: of('financing-checkout', 'bytes'),
      complete: await complete(browser, server),
    },
    ratio: {
      brotliVsAdyen: times('bytes', 'adyen'),
      brotliVsBraintree: times('bytes', 'braintree'),
      scriptVsAdyen: times('script', 'adyen'),
      scriptVsBraintree: times('script', 'braintree'),
    },
    layoutShift: rounded(of('financing-checkout', 'layoutShift'), 4),
    requestsBeforeClick: of('financing-checkout', 'requests'),
    heapGrowthMb: rounded(growth['financing-checkout'], 2),
    message: {
      brotliBytes: ours.brotliBytes,
      layoutShift: rounded(ours.layoutShift, 4),
      requests: ours.requests,
      vsPeer: rounded(peer.brotliBytes / ours.brotliBytes),
    },
  };
  console.log(JSON.stringify(result));
} finally {
  await browser.close();
  server.close();
}
