import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKyselyStore } from '../store/kysely-store.ts';
import type { Begun } from '../store/prime-units.ts';
import type { BeginPrime } from '../store/store.ts';
import { isUnavailable, StoreUnavailableError } from '../platform/store-errors.ts';
import { sqliteDialect } from './sqlite.ts';
import { UnitThread } from './unit-thread.ts';

let folder: string;
let file: string;
let thread: UnitThread;
const cleanups: (() => Promise<void> | void)[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'units-'));
  file = join(folder, 'companion.db');
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const store = createKyselyStore({ dialect: sqliteDialect(file) });
  await store.migrate();
  await store.close();
  thread = new UnitThread(file);
  cleanups.push(() => thread.close());
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function prime(key: string): BeginPrime {
  return {
    key,
    fingerprint: `fingerprint of ${key}`,
    attempt: {
      id: `att_${key}`,
      kind: 'prime',
      checkoutId: undefined,
      merchantTransactionId: undefined,
      requestId: undefined,
    },
    order: { environment: 'sandbox', merchantOrderId: `order of ${key}` },
    now: 1,
    leaseUntil: 2,
  };
}

function begin(input: BeginPrime, by = thread): Promise<Begun> {
  return by.write({ name: 'beginPrime', input });
}

/** Returns the committed keys of the file. */
function keysOnDisk(): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('select key from idempotency order by key').all();
  database.close();
  return rows.map(({ key }) => key);
}

test('commits every confirmed write and begins a key once', async () => {
  const begun = await Promise.all(
    ['a', 'b', 'a'].map(async (key) => {
      const result = await begin(prime(key));
      expect(keysOnDisk()).toContain(key);
      return result;
    }),
  );
  expect(begun.slice(0, 2)).toEqual([{ kind: 'begun' }, { kind: 'begun' }]);
  expect(begun[2]).toMatchObject({
    kind: 'known',
    row: { key: 'a', attempt_id: 'att_a', state: 'in-flight', lease_until: 2 },
  });
  expect(keysOnDisk()).toEqual(['a', 'b']);
});

test('rolls back a failed unit and no other', async () => {
  await begin(prime('a'));
  const sameAttempt = { ...prime('b'), attempt: prime('a').attempt };
  const results = await Promise.allSettled([begin(sameAttempt), begin(prime('c'))]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(keysOnDisk()).toEqual(['a', 'c']);
});

test('waits for another writer without blocking this thread', async () => {
  const other = new DatabaseSync(file);
  cleanups.push(() => other.close());
  other.exec('begin immediate');
  let written = false;
  const write = begin(prime('a')).then(() => (written = true));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBe(false);
  other.exec('commit');
  await write;
  expect(keysOnDisk()).toEqual(['a']);
});

test('keeps the error code that states whether the database is usable', async () => {
  await begin(prime('a'));
  const other = new DatabaseSync(file);
  cleanups.push(() => other.close());
  other.exec(
    "create trigger full before insert on attempts begin select raise(abort, 'no room'); end",
  );
  const error = await begin(prime('b')).catch((error: unknown) => error);
  expect(error).toMatchObject({ code: 'ERR_SQLITE_ERROR', message: 'no room' });
  expect(isUnavailable(error)).toBe(false);
  other.exec('drop trigger full; alter table attempts rename to gone');
  await expect(begin(prime('c'))).rejects.toThrow(/no such table/);
  other.exec('alter table gone rename to attempts');
  await begin(prime('c'));
  expect(keysOnDisk()).toEqual(['a', 'c']);
});

test('fails waiting units while its file cannot be opened, and recovers', async () => {
  const place = join(folder, 'later');
  const late = new UnitThread(join(place, 'companion.db'));
  cleanups.push(() => late.close());
  const results = await Promise.allSettled(['a', 'b'].map((key) => begin(prime(key), late)));
  for (const result of results) {
    expect(result).toMatchObject({ status: 'rejected' });
    expect((result as PromiseRejectedResult).reason).toBeInstanceOf(StoreUnavailableError);
  }
  mkdirSync(place);
  const store = createKyselyStore({ dialect: sqliteDialect(join(place, 'companion.db')) });
  await store.migrate();
  await store.close();
  expect(await begin(prime('a'), late)).toEqual({ kind: 'begun' });
});

test('waits for units in flight when it closes', async () => {
  const writes = ['a', 'b', 'c'].map((key) => begin(prime(key)));
  await thread.close();
  expect(await Promise.all(writes)).toHaveLength(3);
  expect(keysOnDisk()).toEqual(['a', 'b', 'c']);
});
