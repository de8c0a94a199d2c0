/* The published files of `<financing-prequalify>`: their size, a strict policy, and a server. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { describe, expect, inject, it } from 'vitest';
import { brotliSize } from '../brotli-size.fixture.ts';
import { launchChromium } from '../chromium.fixture.ts';

const made = join(inject('builtWidget'), 'prequalify');
const root = new URL('../../', import.meta.url).pathname;

/** Files that every shopper loads: without the service's SDK, a window, a redirect, other languages and development. */
const isLoaded = (name: string) =>
  name.endsWith('.js') &&
  !/(^|\/)(sdk-|phone-|keyboard-|popup-|redirect-|shown-|take-return-|development\/|immutable\/|texts\/)/.test(
    name,
  );

/** Builds one file set of modules, and returns the bytes of everything that a checkout in English loads. */
async function bytesOf(modules: readonly string[]): Promise<number> {
  const entry = '\0entry';
  const built = await build({
    root,
    logLevel: 'error',
    mode: 'production',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? entry : undefined),
        load: (id) =>
          id === entry
            ? modules.map((name) => `export * from ${JSON.stringify(join(root, name))};`).join('\n')
            : undefined,
      },
    ],
    build: { write: false, rolldownOptions: { input: 'entry' } },
  });
  return (Array.isArray(built) ? built : [built])
    .flatMap((one) => ('output' in one ? one.output : []))
    .filter(({ fileName }) => isLoaded(fileName))
    .reduce((sum, file) => sum + ('code' in file ? brotliSize(file.code) : 0), 0);
}

describe('the size', () => {
  it('is small before the click, and complete after it', () => {
    const sizes = readdirSync(made, { recursive: true, encoding: 'utf8' })
      .filter(isLoaded)
      .map((name) => ({ name, size: brotliSize(readFileSync(join(made, name), 'utf8')) }));
    const first = sizes.find(({ name }) => name === 'financing-prequalify.js')?.size ?? 0;
    const complete = sizes.reduce((sum, { size }) => sum + size, 0);
    expect(sizes).toHaveLength(3);
    expect(first).toBeLessThanOrEqual(12_110);
    expect(complete).toBeLessThanOrEqual(19_450);
  });

  it('adds at most 5 kB to a page that has the checkout', async () => {
    const checkout = readdirSync(inject('builtWidget'))
      .filter(isLoaded)
      .reduce((sum, name) => sum + brotliSize(readFileSync(join(made, '..', name), 'utf8')), 0);
    const both = await bytesOf(['src/define.ts', 'src/prequalify/define.ts']);
    expect(both - checkout).toBeLessThanOrEqual(5_000);
  });
});

describe('in a page with a strict policy', () => {
  it('leads from the button to the outcome, without a violation', async () => {
    const page = `<!doctype html><html lang="en"><title>Shop</title>
      <script type="module" src="/financing-prequalify.js"></script>
      <financing-prequalify scenario="prequalified" currency="USD" amount="129900"></financing-prequalify></html>`;
    const server = createServer((request, response) => {
      const name = (request.url ?? '').slice(1);
      if (name.endsWith('.js')) {
        response.setHeader('content-type', 'text/javascript');
        response.end(readFileSync(join(made, name)));
        return;
      }
      response.setHeader('content-type', 'text/html');
      response.setHeader(
        'content-security-policy',
        "default-src 'none'; script-src 'self'; style-src 'self'; require-trusted-types-for 'script'; trusted-types lit-html",
      );
      response.end(page);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await launchChromium();
    try {
      const tab = await browser.newPage();
      const complaints: string[] = [];
      tab.on('console', (message) => complaints.push(message.text()));
      tab.on('pageerror', (error) => complaints.push(error.message));
      await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await tab.getByRole('button', { name: 'See if you qualify' }).click();
      const lender = tab.frameLocator('financing-prequalify iframe');
      await lender.getByRole('button', { name: 'Go through with it' }).click();
      await tab.getByRole('heading', { name: 'You are prequalified' }).waitFor();
      await tab.getByText('A lender offers you up to $1,299.00.').first().waitFor();
      expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
    } finally {
      await browser.close();
      server.close();
    }
  });
});

describe('on a server', () => {
  it.each(['index.js', 'define.js'])('%s can be imported', async (file) => {
    const url = new URL(`../../dist/prequalify/${file}`, import.meta.url).href;
    const script = `const m = await import(${JSON.stringify(url)});
      console.log(m.FinancingPrequalify.version, typeof document)`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+ undefined$/);
  });
});
