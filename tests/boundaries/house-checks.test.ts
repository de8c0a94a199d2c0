/* `npm test` leaves out slow checks only while nothing that they look at has changed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HouseChecks, houseChecks } from '../../scripts/unchanged.ts';
import { root } from './tree.ts';

let folder: string;
const check = 'tests/boundaries/slow.test.ts';
const write = (name: string, text: string) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const open = () =>
  new HouseChecks(folder, join(folder, '.data/house.json'), { [check]: ['scripts'] });
const pass = () => open().record(new Map([[check, true]]));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'house-'));
  execFileSync('git', ['init', '-q'], { cwd: folder });
  write('.gitignore', '.data\n');
  write(check, 'a test');
  write('scripts/tool.ts', 'a tool');
  write('pnpm-lock.yaml', 'a lockfile');
  write('docs/page.md', 'a page');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('leaves out a check after it has passed, whatever else changes', () => {
  expect(open().unchanged).toEqual([]);
  pass();
  write('docs/page.md', 'another page');
  expect(open().unchanged).toEqual([check]);
});

test.each([
  ['the check', () => write(check, 'another test')],
  ['a file that it looks at', () => write('scripts/tool.ts', 'another tool')],
  ['a new file that it looks at', () => write('scripts/new.ts', 'a tool')],
  ['a file that is gone', () => rmSync(join(folder, 'scripts/tool.ts'))],
  ['the lockfile', () => write('pnpm-lock.yaml', 'another lockfile')],
])('runs a check again after a change of %s', (_, change) => {
  pass();
  change();
  expect(open().unchanged).toEqual([]);
});

test('runs a check again until it passes', () => {
  pass();
  open().record(new Map([[check, false]]));
  expect(open().unchanged).toEqual([]);
});

test('runs all checks without git', () => {
  pass();
  rmSync(join(folder, '.git'), { recursive: true });
  expect(open().unchanged).toEqual([]);
});

test('names checks that exist', () => {
  expect(Object.keys(houseChecks).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
