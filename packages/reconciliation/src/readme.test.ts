/* What the README states as a fact is what the source does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemCodes } from '@financing-checkout/contract';
import { describe, expect, it, test } from 'vitest';
import { exitCodes } from './cli/exit.ts';
import { runCommand } from './cli/program.ts';
import { readConfiguration } from './config/config.ts';
import { scopes } from './config/tokens.ts';
import { operations } from './http/operations.ts';
import { parsePolicy } from './statuses/policy.ts';

const text = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
const readme = text('../README.md');

/** Returns the cells of the tables under a heading. */
function rowsOf(heading: string): string[][] {
  const [, part = ''] = readme.split(`\n## ${heading}\n`);
  const [section = ''] = part.split('\n## ');
  return Array.from(section.matchAll(/^\|(.+)\|$/gm), ([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  );
}

const codesIn = (cell = '') => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);

describe('variables', () => {
  const named = /\b(?:RECONCILIATION|LOG)_[A-Z_]*[A-Z]\b/g;
  const [lists = ''] = text('config/reader.ts').split('export type PlainName');
  const read = new Set(lists.match(named));
  const rows = rowsOf('Configuration');

  it('are all listed, and no unknown one is mentioned', () => {
    expect(read.size).toBeGreaterThan(20);
    expect(new Set(rows.flatMap(([names]) => codesIn(names)))).toEqual(read);
    const stated = new Set(readme.match(named));
    expect(
      [...stated].filter((name) => !read.has(name.replace(/_FILE$/, '')) && !read.has(name)),
    ).toEqual([]);
  });

  it('are marked if a file may hold the value', () => {
    const [, secrets = ''] = lists.split('const secretNames');
    const marked = rows.flatMap(([names = '']) =>
      Array.from(names.matchAll(/`([A-Z_]+)` \\\*/g), ([, name]) => name),
    );
    expect(new Set(marked)).toEqual(new Set(secrets.match(named)));
  });

  const required = { RECONCILIATION_ENVIRONMENT: 'sandbox' };
  const of = (change: Record<string, string>) =>
    readConfiguration({ ...required, ...change }, () => '');
  const defaults = rows.flatMap(([names, values]) => {
    const all = codesIn(values);
    return codesIn(names).flatMap((name, index) =>
      all[index] === undefined ? [] : [[name, all[index]] as const],
    );
  });

  it('have their defaults in the table', () => {
    expect(defaults.length).toBeGreaterThan(14);
  });

  it.each(defaults)('%s: setting its default has no effect', (name, value) => {
    expect(of({ [name]: value })).toEqual(of({}));
  });

  it('control: another value has an effect', () => {
    expect(of({ RECONCILIATION_THREADS: '3' })).not.toEqual(of({}));
  });
});

test('lists exactly the existing commands', async () => {
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  await runCommand(['--help'], { env: {}, fetch, print, say: print });
  const [list = ''] = printed.join('\n').split('Commands:\n')[1]?.split('\n\n') ?? [];
  const commands = Array.from(list.matchAll(/^ {2}([a-z-]+) /gm), ([, name]) => name);
  const stated = rowsOf('Commands').flatMap(([name]) => codesIn(name));
  expect([...stated, 'help'].sort()).toEqual(commands.sort());
});

test('lists exactly the existing exit codes', () => {
  const stated = rowsOf('Commands').flatMap(([code = '']) =>
    /^\d+$/.test(code) ? [Number(code)] : [],
  );
  const all = [...new Set<number>(Object.values(exitCodes))];
  expect(stated).toEqual(all.sort((one, other) => one - other));
});

test('lists exactly the existing token scopes', () => {
  expect(rowsOf('Installation').flatMap(([name]) => codesIn(name))).toEqual([...scopes]);
});

test('contains a valid policy', () => {
  const [, policy = ''] = /```json\n([^]*?)```/.exec(readme) ?? [];
  expect(parsePolicy(policy).contracts).toHaveLength(2);
});

test('lists all routes of the API and mentions no unknown one', () => {
  const plain = (path: string) => path.replaceAll(/:\w+|\{\w+\}/g, '*');
  const known = operations.map(({ method, path }) => `${method.toUpperCase()} ${plain(path)}`);
  const stated = Array.from(
    readme.matchAll(/`(GET|POST|DELETE) (\/[\w/{}.-]*)/g),
    ([, method, path]) => `${method} ${plain(path ?? '')}`,
  );
  expect(stated.filter((one) => !known.includes(one))).toEqual([]);
  const ofCases = /^POST \/cases\/\*\/(?:note|resolve|ignore|reopen)$/;
  expect(known.filter((one) => !stated.includes(one) && !ofCases.test(one))).toEqual([]);
});

test('names only existing problems', () => {
  const stated = Array.from(readme.matchAll(/`503 ([a-z-]+)`/g), ([, code]) => code);
  expect(stated.length).toBeGreaterThan(1);
  for (const code of stated) expect(problemCodes).toContain(code);
});
