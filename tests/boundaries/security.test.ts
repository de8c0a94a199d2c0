/* The table of attacks names tests: each of them is there, and the table names each attacker. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './tree.ts';

interface Attack {
  attacker: string;
  tests: { title: string; file: string }[];
}

const document = 'docs/security.md';

/** Reads the rows of the table of attacks. */
function attacksIn(text: string): Attack[] {
  return text
    .split('\n')
    .filter((line) => /^\|(?!\s*(?:attacker|-))/.test(line))
    .map((line) => ({
      attacker: line.split('|')[1]?.trim() ?? '',
      tests: Array.from(
        line.matchAll(/\[([^\]]+)\]\(([^)]+\.test\.ts)\)/g),
        ([, title = '', path = '']) => ({ title, file: join(dirname(document), path) }),
      ),
    }));
}

/** Returns whether a test file has a test of that title. */
function isThere({ title, file }: Attack['tests'][number]): boolean {
  const path = join(root, file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(`'${title}',`);
}

const attacks = attacksIn(readFileSync(join(root, document), 'utf8'));

describe('the table of attacks', () => {
  test('names each attacker', () => {
    expect([...new Set(attacks.map(({ attacker }) => attacker))].sort()).toEqual([
      'Leaked public key',
      'Leaked ticket',
      'Leaked token',
      'Lender’s page',
      'Network',
      'Other shop',
      'Script of another site',
      'Shopper',
    ]);
  });

  test('names a test for each attack', () => {
    expect(attacks.length).toBeGreaterThan(20);
    expect(attacks.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  test('names tests that are there', () => {
    const named = attacks.flatMap(({ tests }) => tests);
    expect(named.filter((one) => !isThere(one))).toEqual([]);
  });

  test('control: a test that is not there, and a file that is not there, are found', () => {
    const row = '| Shopper | asks | nothing | [no such title](../tests/boundaries/tree.test.ts) |';
    const [attack] = attacksIn(row);
    expect(attack?.tests).toHaveLength(1);
    expect(attack?.tests.some(isThere)).toBe(false);
    const [known] = attacks.flatMap(({ tests }) => tests);
    expect(known && isThere({ ...known, title: `${known.title}, changed` })).toBe(false);
  });
});

test('the README leads to the table and to the way to report', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(readme).toContain('](docs/security.md)');
  expect(readme).toContain('](SECURITY.md)');
  expect(readFileSync(join(root, 'SECURITY.md'), 'utf8')).toContain('](docs/security.md)');
});
