// `npm run test:docs [-- <path> …]`: builds the documentation and opens each page in Chromium, in
// both themes and two widths. It checks links, axe, layout shifts, the width, the search, and that
// no request leaves this machine. The last line is a summary. Screenshots of some pages are written
// to .data/docs.
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { AxeResults, RunOptions } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { bundle } from './build.ts';
import { chromiumArgs, findChromium } from './chromium.ts';
import { patienceMs } from '../vitest.shared.ts';
import { compile } from './compile.ts';
import { buildDocs, serveDocs } from './docs.ts';
import { dataDir, root } from './paths.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = join(dataDir, 'docs');
/** Pages to take screenshots of. */
const pictured = new Set([
  ...['/', '/start/', '/storefront/elements/', '/operate/production/', '/finance/closing/'],
  ...[
    '/errors/',
    '/errors/overloaded/',
    '/reference/companion-api/charges/',
    '/reference/variables/',
  ],
  ...['/reference/financing-checkout/', '/finance/exceptions/', '/de/finance/exceptions/'],
]);
const themes = ['light', 'dark'] as const;

interface Seen {
  /** Anchors of the page. */
  ids: Set<string>;
  /** Addresses of its links. */
  links: string[];
}

interface Load {
  path: string;
  bytes: number;
  gzipBytes: number;
  milliseconds: number;
}

const problems: string[] = [];
const seen = new Map<string, Seen>();
/** Paths of all pages. */
const built = new Set<string>();
const loads: Load[] = [];
let axeRuns = 0;
let worstShift = 0;

function fail(path: string, what: string): void {
  problems.push(`${path}: ${what}`);
  console.error(`✗ ${path}: ${what}`);
}

/** Reports requests to another machine, failed requests and script errors. */
function watch(context: BrowserContext, origin: string): void {
  context.on('request', (request) => {
    const { protocol, origin: target } = new URL(request.url());
    const isOwn = target === origin || target === origin.replace('127.0.0.1', 'localhost');
    if (!isOwn && !['data:', 'blob:'].includes(protocol)) {
      fail(request.frame().url(), `requests ${request.url()}`);
    }
  });
  context.on('response', (response) => {
    if (response.status() >= 400)
      fail(response.frame().url(), `${response.status()} ${response.url()}`);
  });
  context.on('weberror', (error) => fail(error.page()?.url() ?? '', error.error().message));
}

/** Returns the sum of the layout shifts since the page was opened. */
function layoutShift(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            sum += (entry as PerformanceEntry & { value: number }).value;
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => resolve(sum)));
      }),
  );
}

/** Checks a page with axe. @param rules the rules to check @default all */
async function runAxe(page: Page, path: string, theme: string, rules?: string[]): Promise<void> {
  const options: RunOptions = { resultTypes: ['violations'] };
  if (rules !== undefined) options.runOnly = rules;
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  axeRuns += 1;
  for (const { id, nodes } of violations) {
    const [node] = nodes;
    fail(path, `axe ${theme} ${id}: ${node?.html.slice(0, 120)}`);
  }
}

async function checkPage(context: BrowserContext, origin: string, path: string): Promise<void> {
  const page = await context.newPage();
  const name = path.replaceAll(/^\/|\/$/g, '').replaceAll('/', '-') || 'home';
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => bodies.push(response.body().catch(() => Buffer.alloc(0))));
  const started = performance.now();
  await page.goto(origin + path, { waitUntil: 'networkidle' });
  const milliseconds = await page.evaluate(
    () => performance.getEntriesByType('navigation').map((entry) => entry.duration)[0] ?? 0,
  );
  const all = await Promise.all(bodies);
  loads.push({
    path,
    bytes: all.reduce((sum, { length }) => sum + length, 0),
    gzipBytes: all.reduce((sum, body) => sum + gzipSync(body).length, 0),
    milliseconds: Math.round(milliseconds || performance.now() - started),
  });
  const found = await page.evaluate(() => ({
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    links: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].map(({ href }) => href),
    broken: [...document.images]
      .filter(
        ({ complete, loading, naturalWidth }) =>
          loading !== 'lazy' && complete && naturalWidth === 0,
      )
      .map(({ src }) => src),
  }));
  for (const image of found.broken) fail(path, `shows no image ${image}`);
  seen.set(path, { ids: new Set(found.ids), links: found.links });
  const shifts = [await layoutShift(page)];
  await page.evaluate(axe);
  for (const theme of themes) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    // Only colors differ between the themes.
    await runAxe(page, path, theme, theme === 'dark' ? ['color-contrast'] : undefined);
    if (pictured.has(path))
      await page.screenshot({ path: join(pictures, `${name}-1280-${theme}.png`) });
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload({ waitUntil: 'load' });
  shifts.push(await layoutShift(page));
  for (const theme of themes) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    if (pictured.has(path))
      await page.screenshot({ path: join(pictures, `${name}-390-${theme}.png`) });
  }
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (width > 390) fail(path, `is ${width} px wide in a window of 390`);
  worstShift = Math.max(worstShift, ...shifts);
  if (shifts.some((shift) => shift > 0)) fail(path, `shifts its layout by ${shifts.join(' and ')}`);
  await page.close();
}

/** Checks each link of each page that was opened. */
function checkLinks(origin: string): number {
  let count = 0;
  for (const [path, { links }] of seen) {
    for (const link of new Set(links)) {
      const { hash, origin: target, pathname } = new URL(link);
      if (target !== origin || pathname.startsWith('/playground/')) continue;
      count += 1;
      const page = seen.get(pathname);
      if (!built.has(pathname)) fail(path, `links to ${pathname}, which does not exist`);
      else if (hash && page && !page.ids.has(decodeURIComponent(hash.slice(1))))
        fail(path, `links to ${pathname}${hash}`);
    }
  }
  return count;
}

async function checkSearch(context: BrowserContext, origin: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(origin);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('textbox', { name: 'Search' }).fill('order-ticket-expired');
  const result = page.locator('.pagefind-ui__result-link').first();
  await result.waitFor();
  if (!(await result.innerText()).includes('order-ticket-expired'))
    fail('/', 'search finds another page first');
  await page.close();
}

/** Opens a page with a long table whose rows each arrive after the browser has shown the previous one. */
async function checkArrival(context: BrowserContext, origin: string): Promise<void> {
  const path = '/operate/security/';
  const page = await context.newPage();
  const server = createServer((request, response) => {
    void (async () => {
      const answer = await fetch(origin + (request.url ?? ''));
      response.setHeader('content-type', answer.headers.get('content-type') ?? '');
      if (request.url !== path) return response.end(Buffer.from(await answer.arrayBuffer()));
      const rows = (await answer.text()).split(/(?<=<\/tr>)/);
      for (const [index, row] of rows.entries()) {
        response.write(row);
        if (index < rows.length - 1)
          await page.waitForFunction(
            (count) => document.querySelectorAll('tr').length > count,
            index,
            {
              polling: 10,
            },
          );
      }
      return response.end();
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  watch(context, `http://127.0.0.1:${port}`);
  await page.goto(`http://127.0.0.1:${port}${path}`);
  const shift = await layoutShift(page);
  if (shift > 0) fail(path, `shifts its layout by ${shift} while it arrives`);
  await page.close();
  server.close();
  server.closeAllConnections();
}

/** Opens the playground, which is served with the documentation. */
async function checkLive(context: BrowserContext, origin: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${origin}/playground/`);
  await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
  await page.goto(`${origin}/playground/?element=financing-checkout&state=declined`);
  await page.locator('html[data-reached]').waitFor();
  await page.close();
}

async function checkAll(browser: Browser, origin: string): Promise<void> {
  const asked = process.argv.slice(2);
  const folder = join(root, 'site', 'dist', 'page');
  const files = globSync('**/index.html', { cwd: folder })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.startsWith('playground/'));
  const pathOf = (file: string) => `/${file.replace(/index\.html$/, '')}`;
  for (const file of files) built.add(pathOf(file));
  // A German page without a translation shows the English text, which is checked under its own address.
  const isTranslated = (file: string) =>
    !/^<!DOCTYPE html><html lang="de"[^]*<main[^>]* lang="en"/.test(
      readFileSync(join(folder, file), 'utf8'),
    );
  const paths = files
    .filter(isTranslated)
    .map(pathOf)
    .filter((path) => asked.length === 0 || asked.includes(path));
  const options = {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  } as const;
  const newContext = async () => {
    const context = await browser.newContext(options);
    watch(context, origin);
    return context;
  };
  const open = [...paths];
  const work = async () => {
    for (let path = open.shift(); path !== undefined; path = open.shift()) {
      // Without a cache, so that each page is a first load.
      const context = await newContext();
      await checkPage(context, origin, path);
      await context.close();
    }
  };
  await Promise.all([work(), work()]);
  const context = await newContext();
  const links = asked.length === 0 ? checkLinks(origin) : 0;
  await checkSearch(context, origin);
  await checkLive(context, origin);
  await checkArrival(await browser.newContext(options), origin);
  const home = loads.find(({ path }) => path === '/');
  const largest = loads.toSorted((one, other) => other.gzipBytes - one.gzipBytes)[0];
  const times = loads.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other);
  console.log(
    JSON.stringify({
      test: 'docs',
      pages: paths.length,
      links,
      axeRuns,
      layoutShift: worstShift,
      home,
      largest,
      medianMilliseconds: times[Math.floor(times.length / 2)],
      problems: problems.length,
    }),
  );
}

try {
  compile();
  bundle();
  await buildDocs();
  mkdirSync(pictures, { recursive: true });
  const server = await serveDocs();
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs() });
  browser.on('context', (context) => context.setDefaultTimeout(patienceMs));
  try {
    await checkAll(browser, new URL(server.url).origin);
  } finally {
    await browser.close();
    await server.close();
  }
  process.exitCode = problems.length > 0 ? 1 : 0;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
