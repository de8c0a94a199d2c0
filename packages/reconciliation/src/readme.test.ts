/* Checks the facts in the README against the source. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemCodes } from '@financing-checkout/contract/storefront';
import { runProgram } from '@financing-checkout/kit/cli';
import {
  secretNamesOf,
  type Variable,
  withExitCodes,
  withVariables,
} from '@financing-checkout/kit/env';
import { describe, expect, it, test } from 'vitest';
import { reconcileProgram } from './cli/program.ts';
import { readConfiguration } from './config/config.ts';
import { scopes } from './config/tokens.ts';
import { variables } from './config/variables.ts';
import { operations } from './http/operations.ts';
import { parsePolicy } from './statuses/policy.ts';

const readmeFile = join(import.meta.dirname, '../README.md');
const readme = readFileSync(readmeFile, 'utf8');

/** Returns the cells of the tables under a heading. */
function rowsOf(heading: string): string[][] {
  const [, part = ''] = readme.split(`\n## ${heading}\n`);
  const [section = ''] = part.split('\n## ');
  return Array.from(section.matchAll(/^\|(.+)\|$/gm), ([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  );
}

const codesIn = (cell = '') => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);

const HOW =
  'The README differs from the code. Read what changes, then write it: UPDATE_README=1 npx vitest run --project @financing-checkout/reconciliation readme';

test('has the variables and the exit codes of the program', () => {
  const current = withExitCodes(withVariables(readme, variables), reconcileProgram.exits);
  if (process.env.UPDATE_README === '1') writeFileSync(readmeFile, current);
  else expect(readme, HOW).toBe(current);
});

test('mentions no unknown variable', () => {
  const stated = new Set(readme.match(/\b(?:RECONCILIATION|LOG)_[A-Z_]*[A-Z]\b/g));
  const isKnown = (name: string) =>
    Object.hasOwn(variables, name) || secretNamesOf(variables).includes(name.replace(/_FILE$/, ''));
  expect(stated.size).toBeGreaterThan(20);
  expect([...stated].filter((name) => !isKnown(name))).toEqual([]);
});

describe('setting the default of a variable has no effect', () => {
  const of = (change: Record<string, string>) =>
    readConfiguration({ RECONCILIATION_ENVIRONMENT: 'sandbox', ...change }, () => '');
  const defaults = Object.entries<Variable>(variables).flatMap(([name, { fallback }]) =>
    fallback === undefined ? [] : [[name, fallback] as const],
  );

  it.each(defaults)('%s', (name, fallback) => {
    expect(of({ [name]: fallback })).toEqual(of({}));
  });

  it('control: another value has an effect', () => {
    expect(of({ RECONCILIATION_THREADS: '3' })).not.toEqual(of({}));
  });
});

test('lists exactly the existing commands', async () => {
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  await runProgram(reconcileProgram, ['--help'], { env: {}, fetch, print, say: print });
  const [list = ''] = printed.join('\n').split('Commands:\n')[1]?.split('\n\n') ?? [];
  const commands = Array.from(list.matchAll(/^ {2}([a-z-]+) /gm), ([, name]) => name);
  const stated = rowsOf('Commands').flatMap(([name]) => codesIn(name));
  expect([...stated, 'help'].sort()).toEqual(commands.sort());
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
  const ofCases = /^POST \/cases\/\*\/(?:note|resolve|ignore|snooze|wake|merge|split|reopen)$/;
  expect(known.filter((one) => !stated.includes(one) && !ofCases.test(one))).toEqual([]);
});

test('names only existing problems', () => {
  const stated = Array.from(readme.matchAll(/`503 ([a-z-]+)`/g), ([, code]) => code);
  expect(stated.length).toBeGreaterThan(1);
  for (const code of stated) expect(problemCodes).toContain(code);
});
