/* Checks the files that pages load from the package, and the hashes that pin them. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { describe, expect, inject, it } from 'vitest';
import { launchChromium } from '../src/chromium.fixture.ts';
import { integrityOf } from './hashes.ts';
import type { PublishedHashes } from './hashes.ts';
import { folder } from './manifest.ts';

const made = inject('builtWidget');
const hashes = JSON.parse(readFileSync(join(made, 'sri.json'), 'utf8')) as PublishedHashes;

const read = (name: string) => readFileSync(join(made, name), 'utf8');
const entry = () => {
  const name = Object.keys(hashes.files).find((one) =>
    one.startsWith('immutable/financing-checkout-'),
  );
  if (!name) throw new Error('There is no immutable entry.');
  return name;
};

describe('the published hashes', () => {
  it('match the files and cover every script', () => {
    const scripts = readdirSync(made, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .sort();
    expect(Object.keys(hashes.files)).toEqual(scripts);
    for (const [name, integrity] of Object.entries(hashes.files)) {
      expect(integrity, name).toBe(integrityOf(readFileSync(join(made, name))));
    }
  });

  it('belong to file names that change with the content', async () => {
    const immutable = Object.keys(hashes.files).filter((name) => name.startsWith('immutable/'));
    expect(immutable.every((name) => /-[\w-]{10}\.js$/.test(name))).toBe(true);
    expect(immutable).toHaveLength(Object.keys(hashes.files).length / 2);
    const nameOfEntry = async (define: Record<string, string>) => {
      const built = await build({
        root: folder,
        logLevel: 'error',
        define,
        build: { write: false },
      });
      return (Array.isArray(built) ? built : [built])
        .flatMap((one) => ('output' in one ? one.output : []))
        .find(({ fileName }) => fileName.startsWith('immutable/financing-checkout-'))?.fileName;
    };
    expect(await nameOfEntry({})).toBe(entry());
    const changed = await nameOfEntry({ 'navigator.onLine': 'true' });
    expect(changed).toMatch(/^immutable\//);
    expect(changed).not.toBe(entry());
  }, 180_000);

  it('let a page pin every script and block a script that was modified in transit', async () => {
    let spoiled = '';
    const files = hashes.files;
    const integrity = Object.fromEntries(
      Object.entries(files).map(([name, value]) => [`/${name}`, value]),
    );
    const page = `<!doctype html><html lang="en"><title>Shop</title>
      <script type="importmap">${JSON.stringify({ integrity })}</script>
      <script type="module" src="/${entry()}" integrity="${files[entry()] ?? ''}"></script>
      <financing-checkout scenario="approved"></financing-checkout></html>`;
    const server: Server = createServer((request, response) => {
      const name = (request.url ?? '').slice(1);
      if (!files[name]) return void response.setHeader('content-type', 'text/html').end(page);
      const altered = spoiled && name.includes(spoiled) ? '\n//' : '';
      response.setHeader('content-type', 'text/javascript').end(read(name) + altered);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const browser = await launchChromium();
    try {
      const tab = await browser.newPage();
      await tab.goto(address);
      await tab.getByRole('button', { name: 'Pay over time' }).click();
      const lender = tab.frameLocator('financing-checkout iframe');
      await lender.getByRole('button', { name: 'Go through with it' }).click();
      await tab.getByRole('heading', { name: 'Your financing is approved' }).waitFor();

      spoiled = 'attempt-';
      await tab.goto(`${address}?again`);
      await tab.getByRole('button', { name: 'Pay over time' }).click();
      await tab.getByRole('heading', { name: 'Financing cannot be reached right now' }).waitFor();

      spoiled = 'immutable/financing-checkout-';
      const complaint = tab.waitForEvent('console', (message) =>
        message.text().includes('integrity'),
      );
      await tab.goto(`${address}?yet-again`);
      expect((await complaint).type()).toBe('error');
      expect(await tab.evaluate(() => customElements.get('financing-checkout'))).toBeUndefined();
    } finally {
      await browser.close();
      server.close();
    }
  });
});

describe('development warnings', () => {
  const entries = ['message/define', 'prequalify/define', 'message', 'prequalify', 'react'];

  /** Returns a shop's bundle of each entry point, including all imported code. */
  async function bundle(mode: string): Promise<readonly string[]> {
    const input = Object.fromEntries(
      entries.map((entry, index) => [`shop${index}`, `shop:${entry}`]),
    );
    const built = await build({
      configFile: false,
      logLevel: 'error',
      mode,
      // A folder in which the package is installed.
      root: join(folder, '..', '..', 'examples', 'integrations'),
      plugins: [
        {
          name: 'shop',
          resolveId: (id) => (id.startsWith('shop:') ? `\0${id}` : undefined),
          load: (id) =>
            id.startsWith('\0shop:')
              ? `export * from ${JSON.stringify(`@financing-checkout/widget/${id.slice('\0shop:'.length)}`)};`
              : undefined,
        },
      ],
      resolve: { conditions: [mode, 'browser', 'module'] },
      build: {
        write: false,
        minify: false,
        rolldownOptions: { input, external: /^react/, preserveEntrySignatures: 'strict' },
      },
    });
    const chunks = (Array.isArray(built) ? built : [built])
      .flatMap((one) => ('output' in one ? one.output : []))
      .filter((file) => file.type === 'chunk');
    const withImports = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
      const chunk = chunks.find(({ fileName }) => fileName === name);
      if (!chunk || seen.has(name)) return seen;
      seen.add(name);
      // The `debug` attribute loads the doctor, which also checks for mistakes in amounts.
      const later = chunk.dynamicImports.filter((one) => !one.includes('doctor'));
      for (const one of [...chunk.imports, ...later]) withImports(one, seen);
      return seen;
    };
    return entries.map((_, index) => {
      const entry = chunks.find(({ isEntry, name }) => isEntry && name === `shop${index}`);
      const names = withImports(entry?.fileName ?? '');
      return chunks.flatMap((one) => (names.has(one.fileName) ? one.code : [])).join('');
    });
  }

  it('are in every development bundle and in no production bundle', async () => {
    for (const code of await bundle('development')) expect(code).toContain('a formatted price');
    for (const code of await bundle('production')) {
      expect(code).toContain('financing-');
      expect(code).not.toContain('a formatted price');
    }
  });
});
