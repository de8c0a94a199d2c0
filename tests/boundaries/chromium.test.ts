import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './tree.ts';

// One package has no place for another one's tests, so each says how it starts its Chromium.
const starts = [
  'packages/sandbox/src/chromium.fixture.ts',
  'packages/widget/chromium.config.ts',
  'scripts/chromium.ts',
];

test.each(starts)('what Playwright switches off in Chromium is off as well in %s', (file) => {
  const playwright = createRequire(createRequire(import.meta.url).resolve('playwright'));
  const source = readFileSync(playwright.resolve('playwright-core/lib/coreBundle'), 'utf8');
  const [, list = ''] = /\bdisabledFeatures = \[([^]*?)\];/.exec(source) ?? [];
  const off = Array.from(list.matchAll(/^ *"(\w+)",?$/gm), ([, name = '']) => name);
  expect(off).toEqual(expect.arrayContaining(['PaintHolding', 'ThirdPartyStoragePartitioning']));
  const text = readFileSync(join(root, file), 'utf8');
  expect(off.filter((name) => !text.includes(`'${name}',`))).toEqual([]);
});
