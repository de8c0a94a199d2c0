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

/** The cells of each row of the tables under a heading. */
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

  it('are all in the table, and no other is anywhere', () => {
    expect(read.size).toBeGreaterThan(20);
    expect(new Set(rows.flatMap(([names]) => codesIn(names)))).toEqual(read);
    const stated = new Set(readme.match(named));
    expect(
      [...stated].filter((name) => !read.has(name.replace(/_FILE$/, '')) && !read.has(name)),
    ).toEqual([]);
  });

  it('that may be given as a file are marked', () => {
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

  it('have defaults in the table', () => {
    expect(defaults.length).toBeGreaterThan(14);
  });

  it.each(defaults)('%s: its default, when it is set, changes nothing', (name, value) => {
    expect(of({ [name]: value })).toEqual(of({}));
  });

  it('control: another value does', () => {
    expect(of({ RECONCILIATION_THREADS: '3' })).not.toEqual(of({}));
  });
});

test('the commands are those there are', async () => {
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  await runCommand(['--help'], { env: {}, fetch, print, say: print });
  const [list = ''] = printed.join('\n').split('Commands:\n')[1]?.split('\n\n') ?? [];
  const commands = Array.from(list.matchAll(/^ {2}([a-z-]+) /gm), ([, name]) => name);
  const stated = rowsOf('Commands').flatMap(([name]) => codesIn(name));
  expect([...stated, 'help'].sort()).toEqual(commands.sort());
});

test('the exit codes are those there are', () => {
  const stated = rowsOf('Commands').flatMap(([code = '']) =>
    /^\d+$/.test(code) ? [Number(code)] : [],
  );
  const all = [...new Set<number>(Object.values(exitCodes))];
  expect(stated).toEqual(all.sort((one, other) => one - other));
});

test('the scopes of tokens are those there are', () => {
  expect(rowsOf('Installation').flatMap(([name]) => codesIn(name))).toEqual([...scopes]);
});

test('the policy is one', () => {
  const [, policy = ''] = /```json\n([^]*?)```/.exec(readme) ?? [];
  expect(parsePolicy(policy).contracts).toHaveLength(2);
});

test('the table of the API names all routes, and the text no other', () => {
  const plain = (path: string) => path.replaceAll(/:\w+|\{\w+\}/g, '*');
  const known = operations.map(({ method, path }) => `${method.toUpperCase()} ${plain(path)}`);
  const stated = Array.from(
    readme.matchAll(/`(GET|POST) (\/[\w/{}.-]*)/g),
    ([, method, path]) => `${method} ${plain(path ?? '')}`,
  );
  expect(stated.filter((one) => !known.includes(one))).toEqual([]);
  const ofCases = /^POST \/cases\/\*\/(?:note|resolve|ignore|reopen)$/;
  expect(known.filter((one) => !stated.includes(one) && !ofCases.test(one))).toEqual([]);
});

test('the problems it names are those there are', () => {
  const stated = Array.from(readme.matchAll(/`503 ([a-z-]+)`/g), ([, code]) => code);
  expect(stated.length).toBeGreaterThan(1);
  for (const code of stated) expect(problemCodes).toContain(code);
});
