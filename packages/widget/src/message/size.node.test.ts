/* Limits the size that the message adds to a page, in bytes after Brotli compression. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, inject, it } from 'vitest';
import { folder } from '../../metadata/manifest.ts';
import { brotliSize } from '../brotli-size.fixture.ts';

/** Files that load only when a shopper acts, in another language, or for a developer. */
const later = /(?:^|\/)(?:dialog|doctor|en|sdk|service|simulation)\.ts$|\/locales\//;

/** Bundles modules into one file, as a shop's bundler does. */
async function bytesOf(code: string): Promise<number> {
  const entry = join(folder, 'src', 'measured.js');
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: folder,
    plugins: [
      {
        name: 'measured',
        enforce: 'pre',
        resolveId: (id, importer) => {
          if (id === 'measured') return entry;
          const isLater = later.test(id) && !/views|dialog-/.test(`${id}${importer ?? ''}`);
          return isLater ? { id, external: true } : undefined;
        },
        load: (id) => {
          if (id.includes('vite/preload-helper')) {
            return 'export const __vitePreload = (load) => load();';
          }
          return id === entry ? code : undefined;
        },
      },
    ],
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: 'measured', preserveEntrySignatures: 'strict' },
    },
  });
  const files = (Array.isArray(built) ? built : [built]).flatMap((one) =>
    'output' in one ? one.output : [],
  );
  // The checkout loads some of its code later.
  const chunks = files.flatMap((file) => (file.type === 'chunk' ? file.code : []));
  return chunks.reduce((sum, text) => sum + brotliSize(text), 0);
}

it('is at most 8.76 kB, and adds at most 6 kB to lit, as published', async () => {
  const file = readFileSync(join(inject('builtWidget'), 'message', 'financing-message.js'), 'utf8');
  const lit = await bytesOf("export { html, LitElement, nothing } from 'lit';");
  const size = brotliSize(file);
  expect(size).toBeLessThanOrEqual(8_760);
  expect(size - lit).toBeLessThanOrEqual(6_000);
});

it('adds at most 3 kB to a page with the checkout', async () => {
  const checkout = `export { FinancingCheckout } from './financing-checkout.ts';
    export * from './checkout/attempt.ts';`;
  const message = "export { FinancingMessage } from './message/financing-message.ts';";
  const added = (await bytesOf(checkout + message)) - (await bytesOf(checkout));
  expect(added).toBeGreaterThan(1_000);
  expect(added).toBeLessThanOrEqual(3_000);
});
