/* Checks that the facts in the README and docs/ match the source. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  problemCodes,
  productTypes,
  programmePlaceholders,
} from '@financing-checkout/contract/storefront';
import { type Variable, withExitCodes, withVariables } from '@financing-checkout/kit/env';
import { describe, expect, it, test } from 'vitest';
import { createCompanion } from './companion.fixture.ts';
import { timingFor } from './service/timing.ts';
import { readConfiguration } from './config/config.ts';
import { variables } from './config/variables.ts';
import { companionProgram } from './node/cli/program.ts';
import { readProgrammeFile } from './programmes/file.ts';
import { retention } from './store/retention.ts';

const folder = join(import.meta.dirname, '..');
const text = (file: string) => readFileSync(join(folder, file), 'utf8');
const readme = text('README.md');
const documents = [
  'README.md',
  'docs/before-checkout.md',
  'docs/charges-and-messages.md',
  'docs/deploying.md',
  'docs/store.md',
];

/** Returns the cells of each table row of a document. */
const rowsOf = (document: string) =>
  Array.from(document.matchAll(/^\|(.+)\|$/gm), ([, row = '']) =>
    row.split(/(?<!\\)\|/).map((cell) => cell.trim()),
  );

const HOW =
  'The README differs from the code. Read what changes, then write it: UPDATE_README=1 npx vitest run --project @financing-checkout/server readme';

test('the README lists the variables and the exit codes of the program', () => {
  const current = withExitCodes(withVariables(readme, variables), companionProgram.exits);
  if (process.env.UPDATE_README === '1') writeFileSync(join(folder, 'README.md'), current);
  else expect(readme, HOW).toBe(current);
});

describe('setting the default of a variable changes nothing', () => {
  const required = {
    FINANCING_ENVIRONMENT: 'sandbox',
    FINANCING_BASE_URL: 'https://localhost:4443',
    FINANCING_PUBLIC_API_KEY: 'public-key-0123456789',
    FINANCING_PRIVATE_API_KEY: 'private-key-0123456789',
    ORDER_TICKET_SECRET: 'x'.repeat(32),
    COMPANION_ALLOWED_ORIGINS: 'https://shop.example',
    COMPANION_WEBHOOK_URL: 'https://shop.example/hook',
    COMPANION_WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(24))}`,
  };
  const read = (change: Record<string, string>) =>
    readConfiguration({ ...required, ...change }, () => '');
  const defaults = Object.entries<Variable>(variables).flatMap(([name, { fallback }]) =>
    fallback === undefined ? [] : [[name, fallback] as const],
  );

  it.each(defaults)('%s', (name, fallback) => {
    expect(read({ [name]: fallback })).toEqual(read({}));
  });

  it('control: setting another value changes the configuration', () => {
    expect(read({ FINANCING_QUEUE: '255' })).not.toEqual(read({}));
  });
});

test('the example programme file is valid, and the table lists each type and placeholder', () => {
  const document = text('docs/before-checkout.md');
  const example = document.split('```json')[1]?.split('```')[0] ?? '';
  expect(readProgrammeFile(example).programmes).toHaveLength(1);
  for (const word of [...productTypes, ...programmePlaceholders.map((name) => `{${name}}`)]) {
    expect(document).toContain(`\`${word}\``);
  }
});

test('the README states the retention periods', () => {
  const days = Object.values(retention(0)).map((before) => -before / 86_400_000);
  const stated = Array.from(text('docs/store.md').matchAll(/\| (\d+) days? +\|$/gm), ([, count]) =>
    Number(count),
  );
  expect([...new Set(stated)]).toEqual([...new Set(days)]);
});

test('the README states the intervals derived from the deadline', () => {
  const table = text('docs/store.md').split('## Waits')[1]?.split('## ')[0] ?? '';
  const stated = rowsOf(table).flatMap(([, , wait = '']) => {
    const [, count, unit] = /^(\d+) (s|min)$/.exec(wait) ?? [];
    return count === undefined ? [] : [Number(count) * (unit === 's' ? 1000 : 60_000)];
  });
  const ascending = (waits: number[]) => waits.sort((a, b) => a - b);
  expect(ascending(stated)).toEqual(
    ascending(
      Object.values<number>({ ...timingFor({ deadlineMs: 10_000, chargeDeadlineMs: 60_000 }) }),
    ),
  );
});

test.each(documents)('%s names existing paths', async (file) => {
  const plain = (path: string) => path.replaceAll(/:\w+|\{\w+\}/g, '*');
  const { backOffice, storefront } = await createCompanion({
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
  });
  const known = new Set(
    [...backOffice.routes, ...storefront.routes].map(
      ({ method, path }) => `${method} ${plain(path)}`,
    ),
  );
  const named = Array.from(
    text(file).matchAll(/`(GET|POST) (\/[\w/{}.-]*)/g),
    ([, method, path]) => `${method} ${plain(path ?? '')}`,
  );
  expect(named.filter((one) => !known.has(one))).toEqual([]);
});

test.each(documents)('%s names existing events, reasons and problems', (file) => {
  const source = globSync('src/**/*.ts', { cwd: folder, exclude: ['**/*.{test,fixture}.ts'] })
    .map((name) => text(name))
    .join('\n');
  const cells = rowsOf(text(file)).flatMap(([, ...cells]) => cells);
  const words = cells.flatMap((cell) =>
    Array.from(cell.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g), ([, word = '']) => word),
  );
  const isKnown = (word: string) =>
    problemCodes.some((code) => code === word) ||
    source.includes(`'${word}'`) ||
    source.includes(`\`${word.replace(/-[a-z]+$/, '-')}\${`);
  expect(words.filter((word) => !isKnown(word))).toEqual([]);
  expect(isKnown('service-call-lost')).toBe(false);
});
