import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeError } from '../platform/logger.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import { makeStoreFile } from '../store/sqlite.fixture.ts';
import { StoreUnavailableError } from '../platform/store-errors.ts';
import { sqliteDialect } from '@financing-checkout/kit/sqlite';

const environment = 'sandbox';

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'moved-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'companion.db');
  const backup = join(folder, 'backup.db');
  await makeStoreFile(file);
  copyFileSync(file, backup);
  const store = createKyselyStore({ dialect: sqliteDialect(file) });
  const prime = (key: string) =>
    store.beginPrime({
      key,
      fingerprint: key,
      attempt: {
        id: `att_${key}`,
        kind: 'prime',
        checkoutId: undefined,
        merchantTransactionId: undefined,
        requestId: undefined,
      },
      order: { environment, merchantOrderId: key },
      now: 1,
      leaseUntil: 2,
    });
  const enter = (key: string) =>
    store.putNotification({
      id: key,
      environment,
      event: 'application.approved',
      applicationId: key,
      confirmationToken: undefined,
      receivedAt: 1,
      dueAt: 1,
    });
  const writes = (key: string) => [prime(key), enter(key)];
  await Promise.all(writes('before'));
  return { store, writes, file, backup };
}

const nothing = () => undefined;
const another = (file: string, backup: string) => copyFileSync(backup, file);

test.each([
  ['deleted', nothing],
  ['replaced by another file', another],
])('confirms no write while its file is %s and recovers once it is back', async (_, replace) => {
  const { store, writes, file, backup } = await setUp();
  const ending = ['', '-wal', '-shm'];
  const move = (from: string, to: string) => {
    for (const end of ending) renameSync(from + end, to + end);
  };
  move(file, `${file}.away`);
  replace(file, backup);
  const errors = await Promise.all(
    writes('meanwhile').map((write) => write.catch((error: unknown) => error)),
  );
  for (const error of errors) {
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(describeError(error).code).toBe('SQLITE_READONLY_DBMOVED');
  }
  await expect(store.ping()).rejects.toThrow('was moved, replaced or deleted');
  move(`${file}.away`, file);
  await store.ping();
  await Promise.all(writes('after'));
  await store.close();
});

test('detects a deleted log file, and the store can be closed', async () => {
  const { store, writes, file } = await setUp();
  rmSync(`${file}-wal`);
  const failures = writes('meanwhile').map((write) =>
    expect(write).rejects.toThrow(StoreUnavailableError),
  );
  await Promise.all(failures);
  await store.close();
});
