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
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ORIGIN, PRIVATE_KEY, PUBLIC_KEY, TICKET_SECRET } from '../companion.fixture.ts';
import { makeStoreFile } from '../store/sqlite.fixture.ts';
import { run } from './command.fixture.ts';

/** A user without access to protected files; root has access to all. */
const OTHER = 1000;
const isRoot = process.getuid?.() === 0;

/** Creates a folder of that user. */
function theirs(): string {
  const path = mkdtempSync(join(tmpdir(), 'companion-'));
  if (isRoot) chownSync(path, OTHER, OTHER);
  return path;
}

/** A compile cache for that user: without it each start compiles everything. */
let compiled: string;
beforeAll(() => {
  compiled = theirs();
});
afterAll(() => rmSync(compiled, { recursive: true }));

let folder: string;
beforeEach(() => {
  folder = theirs();
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

/** Creates an up-to-date store. */
async function made(): Promise<string> {
  const file = join(folder, 'companion.db');
  await makeStoreFile(file);
  if (isRoot) chownSync(file, OTHER, OTHER);
  return file;
}

/** Runs a command on a store. @returns its exit code and output */
async function said(file: string, ...args: string[]) {
  const variables = {
    FINANCING_ENVIRONMENT: 'sandbox',
    FINANCING_BASE_URL: 'https://localhost:1',
    FINANCING_PUBLIC_API_KEY: PUBLIC_KEY,
    FINANCING_PRIVATE_API_KEY: PRIVATE_KEY,
    ORDER_TICKET_SECRET: TICKET_SECRET,
    COMPANION_ALLOWED_ORIGINS: ORIGIN,
    COMPANION_PORT: '0',
    COMPANION_BACK_OFFICE_PORT: '0',
    COMPANION_STORE: `sqlite:${file}`,
    NODE_COMPILE_CACHE: compiled,
  };
  const { exit, output } = run(args, variables, [], isRoot ? { uid: OTHER, gid: OTHER } : {});
  const code = await exit;
  expect(output.text).not.toMatch(/^ +at /m);
  return { code, text: output.text };
}

test.each([
  ['a file that can only be read', 'able to write', (file: string) => chmodSync(file, 0o400)],
  ['a folder that can only be read', 'able to write', () => chmodSync(folder, 0o500)],
  [
    'a file of something else',
    'check COMPANION_STORE',
    (file: string) => writeFileSync(file, 'this is no database, however long it is'),
  ],
  ['a file that was cut off', 'start from a backup', (file: string) => truncateSync(file, 20_000)],
  [
    'a folder',
    'has to be a file',
    (file: string) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
])('serve exits at once with a store in %s and states what to do', async (_, advice, spoil) => {
  const file = await made();
  spoil(file);
  const { code, text } = await said(file, 'serve');
  expect([code, text]).toEqual([69, expect.stringContaining(advice)]);
  expect(text).toMatch(
    /^The companion could not start: The store .*companion\.db cannot be used: /,
  );
});

test('serve refuses a store of a newer version in one sentence', async () => {
  const file = await made();
  const database = new DatabaseSync(file);
  database.exec(`insert into kysely_migration values ('9999-next', '2030-01-01T00:00:00.000Z')`);
  database.close();
  const { code, text } = await said(file, 'serve');
  expect([code, text.split('9999-next')]).toEqual([69, [expect.anything(), expect.anything()]]);
});

test.each([
  ['explain', 'req_1'],
  ['migrate', '--check'],
])('reports "permission denied" instead of a missing store: %s %s', async (...args) => {
  const file = await made();
  chmodSync(folder, 0o000);
  const { code, text } = await said(file, ...args);
  expect([code, text]).toEqual([69, expect.stringContaining('permission denied')]);
});
