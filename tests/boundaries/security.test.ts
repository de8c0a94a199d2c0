/* The tables of attacks and of personal data name tests: each of them exists. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './tree.ts';

/** A row of a table: its first cell, and the tests that it names. */
interface Row {
  subject: string;
  tests: { title: string; file: string }[];
}

/** Reads the rows of the tables of a document whose last column is headed "tests". */
function rowsIn(text: string): Row[] {
  return text
    .split('\n')
    .filter((line) => /^\|(?!\s*-)/.test(line) && !/\|\s*tests\s*\|$/.test(line))
    .map((line) => ({
      subject: line.split('|')[1]?.trim() ?? '',
      tests: Array.from(
        line.matchAll(/\[([^\]]+)\]\(([^)]+\.test\.ts)\)/g),
        ([, title = '', path = '']) => ({ title, file: join('docs', path) }),
      ),
    }));
}

/** Returns whether a test file has a test of that title. */
function isThere({ title, file }: Row['tests'][number]): boolean {
  const path = join(root, file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(`'${title}',`);
}

const documentOf = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
/**
 * Returns the text of a chapter of a document; for an empty heading, the text before the first
 * chapter.
 */
const chapterOf = (text: string, heading: string) =>
  `\n## \n${text}`.split('\n## ').find((chapter) => chapter.startsWith(`${heading}\n`)) ?? '';

const security = documentOf('security.md');
const attacks = rowsIn(chapterOf(security, ''));
const personalData = rowsIn(documentOf('privacy.md'));

describe('the table of attacks', () => {
  test('names each attacker', () => {
    expect([...new Set(attacks.map(({ subject }) => subject))].sort()).toEqual([
      'Insider',
      'Leaked public key',
      'Leaked ticket',
      'Leaked token',
      'Lender’s page',
      'Local program',
      'Network',
      'Other shop',
      'Package registry',
      'Script of another site',
      'Shopper',
    ]);
  });
});

describe('the tables of attacks and of personal data', () => {
  const rows = [...attacks, ...personalData];

  test('name a test in each row', () => {
    expect(attacks.length).toBeGreaterThan(20);
    expect(personalData.length).toBeGreaterThan(10);
    expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  test('name tests that exist', () => {
    const named = rows.flatMap(({ tests }) => tests);
    expect(named.filter((one) => !isThere(one))).toEqual([]);
  });

  test('control: a missing test and a missing file are found', () => {
    const row = '| Shopper | asks | nothing | [no such title](../tests/boundaries/tree.test.ts) |';
    const [attack] = rowsIn(row);
    expect(attack?.tests).toHaveLength(1);
    expect(attack?.tests.some(isThere)).toBe(false);
    const [known] = attacks.flatMap(({ tests }) => tests);
    expect(known && isThere({ ...known, title: `${known.title}, changed` })).toBe(false);
  });
});

/** A door of the matrix: its name, and the tests in the cell of each kind of attacker. */
function doorsIn(text: string): { door: string; cells: Row['tests'][] }[] {
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => {
    const [door = '', ...cells] = line.split(/ \| |^\| | \|$/).filter((cell) => cell !== '');
    return {
      door,
      cells: cells.map((cell) => rowsIn(`| ${cell} |`).flatMap(({ tests }) => tests)),
    };
  });
}

describe('the table of doors', () => {
  const doors = doorsIn(chapterOf(security, 'Doors'));

  test('names tests that exist in each cell', () => {
    expect(doors.length).toBeGreaterThan(8);
    for (const { door, cells } of doors) {
      expect([door, cells.length]).toEqual([door, 5]);
      expect([door, cells.filter((tests) => tests.length === 0)]).toEqual([door, []]);
      expect([door, cells.flat().filter((one) => !isThere(one))]).toEqual([door, []]);
    }
  });

  test('control: a cell without a test is found', () => {
    const text = '| door | a | b |\n| --- | --- | --- |\n| Exports | nothing | [x](a.test.ts) |';
    expect(doorsIn(text).map(({ cells }) => cells.map((tests) => tests.length))).toEqual([[0, 1]]);
  });
});

test('the README links both documents and the reporting instructions', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(readme).toContain('](docs/security.md)');
  expect(readme).toContain('](docs/privacy.md)');
  expect(readme).toContain('](SECURITY.md)');
  expect(readFileSync(join(root, 'SECURITY.md'), 'utf8')).toContain('](docs/security.md)');
});
