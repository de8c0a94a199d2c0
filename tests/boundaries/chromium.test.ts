import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './tree.ts';

// Packages do not share test code, so each has its own settings to start Chromium.
const starts = [
  'packages/sandbox/src/chromium.fixture.ts',
  'packages/widget/chromium.config.ts',
  'scripts/chromium.ts',
];

test.each(starts)('%s switches off all features that Playwright switches off', (file) => {
  const playwright = createRequire(createRequire(import.meta.url).resolve('playwright'));
  const source = readFileSync(playwright.resolve('playwright-core/lib/coreBundle'), 'utf8');
  const [, list = ''] = /\bdisabledFeatures = \[([^]*?)\];/.exec(source) ?? [];
  const off = Array.from(list.matchAll(/^ *"(\w+)",?$/gm), ([, name = '']) => name);
  expect(off).toEqual(expect.arrayContaining(['PaintHolding', 'ThirdPartyStoragePartitioning']));
  const text = readFileSync(join(root, file), 'utf8');
  expect(off.filter((name) => !text.includes(`'${name}',`))).toEqual([]);
});
