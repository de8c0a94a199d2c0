import { chmodSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  databases,
  fundingDay,
  MINUTE_MS,
  NOW,
  sqliteFacts,
  syncRun,
  take,
  temporaryFolder,
} from './facts.fixture.ts';
import { backUpFacts, openFacts } from './open.ts';
import type { FactStore } from './store.ts';
import { isUsable } from './usable.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

async function setUp() {
  const folder = temporaryFolder();
  const { url, open } = sqliteFacts();
  const facts = await open();
  const fence = await take(facts);
  await facts.writeDay(fence, fundingDay('2026-11-17'), { content: bytes(1) });
  await facts.writeDay(
    fence,
    fundingDay('2026-11-17'),
    {
      content: bytes(2),
      superseded: { count: 1, digest: 'b'.repeat(32), content: bytes(1) },
    },
    syncRun(),
  );
  const entry = { action: 'add', source: 'api', actor: 'finance', digest: 'd' } as const;
  const fact = { id: 'imp-1', ...entry, count: 1, at: NOW };
  await facts.writeImports(fence, [{ fact, content: bytes(3) }]);
  return { url, facts, fence, folder, file: join(folder, 'backup.db') };
}

async function everything(facts: FactStore) {
  const days = await facts.days();
  return {
    head: await facts.head(),
    days,
    contents: await Promise.all(days.map(({ day }) => facts.content(day))),
    superseded: await Promise.all(days.map(({ day }) => facts.superseded(day))),
    syncs: await facts.syncs(100),
    imports: await facts.importsAfter(0, 100),
    content: await facts.importContent('imp-1'),
    cases: await facts.casesAfter(0, 100),
    trail: await facts.trailHead(),
  };
}

async function restored(backup: string): Promise<FactStore> {
  const file = join(temporaryFolder(), 'facts.db');
  copyFileSync(backup, file);
  const facts = await openFacts(file);
  onTestFinished(() => facts.close());
  return facts;
}

test('restores a backup with the same facts and no lease holder', async () => {
  const { url, facts, file } = await setUp();
  await backUpFacts(url, file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await restored(file);
  expect(await everything(again)).toEqual(await everything(facts));
  expect(await again.leaseHolder()).toBeUndefined();
  const fence = await take(again, 'next');
  expect(await again.writeDay(fence, fundingDay('2026-11-18'))).toBe(4);
});

test('makes a backup during writes, and replaces an older one atomically', async () => {
  const { url, facts, fence, folder, file } = await setUp();
  writeFileSync(file, 'an older backup');
  const [, number] = await Promise.all([
    backUpFacts(url, file),
    facts.writeDay(fence, fundingDay('2026-11-18'), { content: new Uint8Array(9_000_000) }),
  ]);
  expect(number).toBe(4);
  expect(readdirSync(folder)).toEqual(['backup.db']);
  const again = await restored(file);
  expect([3, 4]).toContain(await again.head());
  expect(await again.days()).toHaveLength((await again.head()) - 2);
});

test('rejects an analytics file that is ahead of the store or belongs to another store', async () => {
  const { url, facts, fence, file } = await setUp();
  const meta = { store: facts.id, applied: 3 };
  expect(await isUsable(meta, facts)).toBe(true);
  expect(await isUsable({ ...meta, applied: 0 }, facts)).toBe(true);
  expect(await isUsable(undefined, facts)).toBe(false);
  expect(await isUsable({ ...meta, applied: NaN }, facts)).toBe(false);
  await backUpFacts(url, file);
  await facts.writeDay(fence, fundingDay('2026-11-18'));
  const later = { store: facts.id, applied: 4 };
  expect(await isUsable(later, facts)).toBe(true);
  const again = await restored(file);
  expect(await isUsable(later, again)).toBe(false);
  // Different facts now have the numbers that the analytics file has applied.
  const next = await take(again, 'next', NOW + MINUTE_MS);
  await again.writeDay(next, fundingDay('2026-11-19'));
  await again.writeDay(next, fundingDay('2026-11-20'));
  expect(await isUsable(later, again)).toBe(false);
  expect(await isUsable({ store: again.id, applied: 5 }, again)).toBe(true);
  expect(await isUsable({ store: again.id, applied: 6 }, again)).toBe(false);
});

test('leaves nothing behind when a backup fails, and explains what to do', async () => {
  const { url, folder } = await setUp();
  const taken = join(folder, 'folder');
  mkdirSync(taken);
  for (const file of [join(folder, 'none', 'backup.db'), taken]) {
    await expect(backUpFacts(url, file)).rejects.toMatchObject({ code: 'backup-file' });
  }
  expect(readdirSync(folder)).toEqual(['folder']);
});

test('rejects copying a store onto itself', async () => {
  const { url, open } = sqliteFacts();
  const facts = await open();
  await expect(backUpFacts(url, url)).rejects.toThrow('a separate file');
  expect(await take(facts)).toMatchObject({ number: 1 });
});

test('refers a PostgreSQL store to pg_dump', async () => {
  const [, make] = databases[1] ?? [];
  const { url = '' } = (await make?.()) ?? {};
  await expect(backUpFacts(url, '/tmp/none.db')).rejects.toMatchObject({
    code: 'backup-of-postgres',
    message: expect.stringContaining('pg_dump') as string,
  });
});

test('refuses a folder in which another user could exchange the file', async () => {
  const { url, folder, file } = await setUp();
  chmodSync(folder, 0o777);
  await expect(backUpFacts(url, file)).rejects.toMatchObject({
    code: 'backup-file',
    message: expect.stringContaining('is writable for every user') as string,
  });
  expect(readdirSync(folder)).toEqual([]);
});
