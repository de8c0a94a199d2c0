import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeStoreFile } from '../store/sqlite.fixture.ts';
import { runHere } from './command.fixture.ts';
import { openStore } from './store.ts';

/** A user without access to protected files; root has access to all. */
const OTHER = 1000;
const isRoot = process.getuid?.() === 0;

/** Runs `work` with the file permissions of an unprivileged user. */
async function asOther<Result>(work: () => Promise<Result>): Promise<Result> {
  if (!isRoot) return work();
  process.seteuid?.(OTHER);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'companion-'));
  if (isRoot) chownSync(folder, OTHER, OTHER);
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

/** Creates an up-to-date store. */
async function createStoreFile(): Promise<string> {
  const file = join(folder, 'companion.db');
  await makeStoreFile(file);
  if (isRoot) chownSync(file, OTHER, OTHER);
  return file;
}

test.each([
  ['a read-only file', 'able to write', (file: string) => chmodSync(file, 0o400)],
  ['a read-only folder', 'able to write', () => chmodSync(folder, 0o500)],
  [
    'a file of another kind',
    'check COMPANION_STORE',
    (file: string) => writeFileSync(file, 'this is no database, however long it is'),
  ],
  ['a truncated file', 'start from a backup', (file: string) => truncateSync(file, 20_000)],
  [
    'a folder',
    'has to be a file',
    (file: string) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
])('refuses to open a store in %s and states what to do', async (_, advice, spoil) => {
  const file = await createStoreFile();
  spoil(file);
  const opened = asOther(() => openStore({ kind: 'sqlite', file }, 'on-start'));
  await expect(opened).rejects.toThrow(/^The store .*companion\.db cannot be used: /);
  await expect(opened).rejects.toThrow(advice);
});

test.each([
  ['explain', 'req_1'],
  ['migrate', '--check'],
])('reports "permission denied" instead of a missing store: %s %s', async (...words) => {
  const file = await createStoreFile();
  chmodSync(folder, 0o000);
  const { code, text } = await asOther(() => runHere(words, { COMPANION_STORE: `sqlite:${file}` }));
  expect([code, text]).toEqual([69, expect.stringContaining('permission denied')]);
  expect(text).not.toMatch(/^ +at /m);
});
