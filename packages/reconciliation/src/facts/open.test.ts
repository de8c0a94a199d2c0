import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, inject, onTestFinished, test } from 'vitest';
import { fundingDay, MINUTE_MS, NOW, sqliteFacts, take, temporaryFolder } from './facts.fixture.ts';
import { FactsError, openFacts, readFactsVersion } from './open.ts';

const mode = (path: string) => statSync(path).mode & 0o777;

test('makes the file, its log and its folder private to this user', async () => {
  const file = join(temporaryFolder(), 'made', 'facts.db');
  const facts = await openFacts(file);
  onTestFinished(() => facts.close());
  await facts.writeDay(await take(facts), fundingDay('2026-11-18'));
  expect([file, `${file}-wal`, `${file}-shm`].map(mode)).toEqual([0o600, 0o600, 0o600]);
  expect(mode(join(file, '..'))).toBe(0o700);
});

test('keeps the id of a store, and assigns a different id to another store', async () => {
  const one = sqliteFacts();
  const first = await one.open();
  await first.close();
  expect((await one.open()).id).toBe(first.id);
  expect((await sqliteFacts().open()).id).not.toBe(first.id);
});

test('refuses a store from before 0.3.0 and leaves it unchanged', async () => {
  const { url, open, ask, meddle } = sqliteFacts();
  await (await open()).close();
  await meddle(`update kysely_migration set name = '0001-baseline'`);
  const refusal =
    'The store was written by a version of financing-reconcile before 0.3.0, which this version does not read: name a new, empty store in RECONCILIATION_STORE, sync, and import the ledgers again.';
  await expect(open()).rejects.toThrow(new FactsError(refusal));
  await expect(readFactsVersion(url)).rejects.toThrow(new FactsError(refusal));
  expect(await ask('select name from kysely_migration')).toEqual([{ name: '0001-baseline' }]);
});

test.each(['deleted', 'replaced'])('reports no write while the file is %s', async (how) => {
  const { url, open } = sqliteFacts();
  const facts = await open();
  const fence = await take(facts);
  await facts.writeDay(fence, fundingDay('2026-11-17'));
  const move = (from: string, to: string) => {
    for (const end of ['', '-wal', '-shm']) renameSync(from + end, to + end);
  };
  move(url, `${url}.away`);
  if (how === 'replaced') await (await openFacts(url)).close();
  await expect(facts.writeDay(fence, fundingDay('2026-11-18'))).rejects.toThrow(
    'was moved, replaced or deleted',
  );
  for (const end of ['', '-wal', '-shm']) rmSync(url + end, { force: true });
  move(`${url}.away`, url);
  expect(await facts.writeDay(fence, fundingDay('2026-11-18'))).toBe(2);
});

test('detects a deleted write-ahead log', async () => {
  const { url, open } = sqliteFacts();
  const facts = await open();
  const fence = await take(facts);
  rmSync(`${url}-wal`);
  await expect(facts.writeDay(fence, fundingDay('2026-11-18'))).rejects.toThrow(
    'was moved, replaced or deleted',
  );
});

test('waits for another writing process while queries are answered', async () => {
  const { url, open } = sqliteFacts();
  const facts = await open();
  const other = new DatabaseSync(url);
  onTestFinished(() => other.close());
  other.exec('begin immediate');
  const taken = facts.takeLease('one', undefined, NOW, NOW + MINUTE_MS);
  expect(await facts.leaseHolder()).toBeUndefined();
  other.exec('rollback');
  expect(await taken).toMatchObject({ holder: 'one' });
});

test('rejects a foreign file and a folder with advice', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'letter.txt');
  writeFileSync(file, 'Dear Sir or Madam, '.repeat(500));
  await expect(openFacts(file)).rejects.toThrow('The file is not a record store');
  await expect(openFacts(folder)).rejects.toThrow(FactsError);
  expect(existsSync(`${file}-wal`)).toBe(false);
});

test('rejects an unusable PostgreSQL URL without printing its password', async () => {
  const secret = 'open-sesame';
  for (const url of [
    `postgres://user:${secret}@127.0.0.1:1/none`,
    `postgres://user:${secret}@127.0.0.1:1/none?sslmode=prefer`,
    `postgres://user:${secret}@/`,
    inject('postgresUrl').replace(/:[^:@]*@/, `:${secret}@`),
  ]) {
    const error: unknown = await openFacts(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FactsError);
    expect((error as Error).message).not.toContain(secret);
  }
});
