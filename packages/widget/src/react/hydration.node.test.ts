/*
 * Server-rendered pages in each React version that the components support: built, hydrated and
 * used.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright';
import { build } from 'vite';
import type { InlineConfig } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
import { folder } from '../../metadata/manifest.ts';
import { programmes } from './programmes.fixture.ts';

/** Returns the folder of a package, whose own files import each other by the aliased names. */
function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

describe.each<{ name: string; mode: string; aliases: Record<string, string> }>([
  { name: 'React 19, development', mode: 'development', aliases: {} },
  { name: 'React 19, production', mode: 'production', aliases: {} },
  {
    name: 'React 18, development',
    mode: 'development',
    aliases: { react: folderOf('react-18'), 'react-dom': folderOf('react-dom-18') },
  },
  {
    name: 'Preact, production',
    mode: 'production',
    aliases: {
      'react-dom/server': 'preact-render-to-string',
      'react-dom': 'preact/compat',
      react: 'preact/compat',
    },
  },
])('a page of $name', ({ mode, aliases }) => {
  let made: string;
  let shop: { url: string; close(): void };
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    made = mkdtempSync(join(tmpdir(), 'hydration-'));
    // Selects which build of Lit is bundled.
    process.env.NODE_ENV = mode;
    await bundle('hydrate', false);
    await bundle('render', true);
    const { render } = (await import(pathToFileURL(join(made, 'render.js')).href)) as {
      render: () => string;
    };
    shop = await serve(made, render());
    page = await browser.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      const isComplaint = ['error', 'warning'].includes(message.type());
      if (isComplaint && !message.text().startsWith('Lit is in dev mode')) {
        complaints.push(message.text());
      }
    });
    await page.route('https://companion.example/programmes', (route) =>
      route.fulfill({
        json: { programmes },
        headers: { 'access-control-allow-origin': '*' },
      }),
    );
    await page.goto(shop.url);
    await page.getByRole('button', { name: 'Do I qualify?' }).waitFor();
  });
  afterAll(async () => {
    await page.close();
    shop.close();
    rmSync(made, { recursive: true });
  });

  /** Bundles a fixture as a shop's build would, for the browser or a server. */
  async function bundle(name: string, isServer: boolean): Promise<void> {
    await build({
      configFile: false,
      logLevel: 'error',
      root: folder,
      mode,
      define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
      resolve: { alias: aliases },
      ...(isServer && { ssr: { noExternal: true } }),
      build: {
        outDir: made,
        emptyOutDir: false,
        ssr: isServer,
        minify: false,
        rolldownOptions: {
          input: join(folder, `src/react/${name}.fixture.ts`),
          output: { entryFileNames: `${name}.js` },
        },
      },
    } satisfies InlineConfig);
  }

  const log = () => page.locator('output').textContent();
  const payment = () => page.locator('financing-checkout #start');

  it('has the attributes in the HTML of the server', async () => {
    const html = await (await fetch(shop.url)).text();
    const [checkout] = /<financing-checkout[^>]*>/.exec(html) ?? [];
    expect(checkout).toContain(' public-key="pk-test-1"');
    expect(checkout).toContain(' class="payment"');
    expect(html).toMatch(/<financing-message[^>]* amount="89000"/);
    expect(html).not.toMatch(/disabled|texts|financing-start/i);
  });

  it('runs the handler that checks the terms, and opens nothing without them', async () => {
    expect(await payment().innerText()).toBe('Pay in rates, 1');
    await payment().click();
    await expect.poll(log).toBe('1: terms are missing');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('runs the handler of the outcome', async () => {
    await page.getByRole('checkbox').check();
    await payment().click();
    await page
      .frameLocator('financing-checkout iframe')
      .getByRole('button', { name: 'Go through with it' })
      .click();
    await page.getByRole('heading', { name: 'Your financing is approved' }).waitFor();
    await expect.poll(log).toBe('1: terms are missing\n1: start\n1: approved');
  });

  it('runs the handlers of the other elements', async () => {
    await page.getByRole('button', { name: 'Do I qualify?' }).click();
    await page
      .frameLocator('financing-prequalify iframe')
      .getByRole('button', { name: 'Go through with it' })
      .click();
    await page.getByText('1: prequalified').waitFor();
    await page.getByRole('button', { name: 'Learn more' }).click();
    await page.getByText('1: opened at 89000').waitFor();
    await page.keyboard.press('Escape');
  });

  it('forwards the ref', async () => {
    await page.locator('#ref').click();
    await expect.poll(log).toMatch(/1: checkout$/);
  });

  it('replaces properties and handlers when it renders again', async () => {
    const state = () =>
      page.locator('financing-checkout').evaluate((element) => ({
        disabled: Reflect.get(element, 'disabled') as boolean,
        phone: Boolean(Reflect.get(element, 'phone')),
        texts: Reflect.get(element, 'texts') as unknown,
      }));
    await expect
      .poll(state)
      .toEqual({ disabled: false, phone: true, texts: { label: 'Pay in rates, 1' } });
    await page.locator('#next').click();
    await expect
      .poll(state)
      .toEqual({ disabled: false, phone: false, texts: { label: 'Pay in rates, 2' } });
    await page.getByRole('button', { name: 'Learn more' }).click();
    await page.getByText('2: opened at 178000').waitFor();
    await page.keyboard.press('Escape');
    expect((await log())?.match(/opened/g)).toHaveLength(2);
    await page.locator('#next').click();
    await expect.poll(state).toEqual({ disabled: true, phone: false, texts: undefined });
  });

  it('is hydrated without a warning', () => expect(complaints).toEqual([]));
});

async function serve(files: string, html: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript');
      response.end(readFileSync(join(files, request.url)));
    } else {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
        <div id="root">${html}</div><script type="module" src="/hydrate.js"></script></html>`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  };
}
