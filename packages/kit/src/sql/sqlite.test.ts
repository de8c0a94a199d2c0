import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteDialect } from './sqlite.ts';

interface Tables {
  notes: { id: number; text: string };
}

let folder: string;
let file: string;
const cleanups: (() => Promise<void> | void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'companion-'));
  file = join(folder, 'companion.db');
  cleanups.push(() => rmSync(folder, { recursive: true }));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function opened(name = file): Promise<Kysely<Tables>> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(name) });
  cleanups.push(() => db.destroy());
  await sql`create table if not exists notes (id integer primary key, text text not null)`.execute(
    db,
  );
  return db;
}

const insert = (db: Kysely<Tables>, id: number) =>
  db
    .insertInto('notes')
    .values({ id, text: `note ${id}` })
    .execute();
const ids = async (db: Kysely<Tables>) =>
  (await db.selectFrom('notes').select('id').orderBy('id').execute()).map(({ id }) => id);

/** Returns the rows that another process sees, which are the committed rows. */
function seenOutside(): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('select count(*) as count from notes').get();
  database.close();
  return Number(row?.count);
}

test('creates the file readable by its owner only, and syncs every commit', async () => {
  const db = await opened();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const pragma = async (name: string) =>
    (await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db)).rows[0]?.[name];
  expect(await pragma('journal_mode')).toBe('wal');
  // 2 is FULL: every commit syncs the disk.
  expect(await pragma('synchronous')).toBe(2);
});

test('truncates a log that grew during a long read', async () => {
  const db = await opened();
  await insert(db, 1);
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('begin');
  reader.prepare('select count(*) from notes').get();
  const text = 'x'.repeat(4_000_000);
  for (let id = 2; id <= 22; id++) await db.insertInto('notes').values({ id, text }).execute();
  const size = () => statSync(`${file}-wal`).size;
  expect(size()).toBeGreaterThan(80_000_000);
  reader.close();
  // The first write checkpoints the WAL, and the next one restarts it.
  for (const id of [23, 24, 25]) await insert(db, id);
  expect(size()).toBeLessThanOrEqual(64 * 1_048_576);
});

describe.each(['a file', ':memory:'])('transactions that share a COMMIT, in %s', (place) => {
  const open = () => opened(place === ':memory:' ? place : file);

  test('commits many concurrent transactions in the order in which they began', async () => {
    const db = await open();
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, (_, id) =>
        db.transaction().execute(async (tx) => {
          order.push(id);
          await insert(tx, id);
        }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 50 }, (_, id) => id));
    expect(await ids(db)).toEqual(order);
  });

  test('rolls back a failed transaction and no other', async () => {
    const db = await open();
    const results = await Promise.allSettled(
      Array.from({ length: 9 }, (_, id) =>
        db.transaction().execute(async (tx) => {
          await insert(tx, id);
          if (id % 3 === 0) throw new Error('No.');
        }),
      ),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    expect(await ids(db)).toEqual([1, 2, 4, 5, 7, 8]);
  });

  test('commits a single statement although another one in its group fails', async () => {
    const db = await open();
    const [alone, together] = await Promise.allSettled([
      insert(db, 1),
      db.transaction().execute(async (tx) => {
        await insert(tx, 2);
        throw new Error('No.');
      }),
    ]);
    expect([alone.status, together.status]).toEqual(['fulfilled', 'rejected']);
    await expect(insert(db, 1)).rejects.toThrow(/UNIQUE/);
    await insert(db, 3);
    expect(await ids(db)).toEqual([1, 3]);
  });

  test('makes writers wait for a suspended transaction and then commits both', async () => {
    const db = await open();
    let go: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (go = resolve));
    const slow = db.transaction().execute(async (tx) => {
      await insert(tx, 1);
      await gone;
      await insert(tx, 2);
    });
    const next = insert(db, 3);
    setImmediate(go);
    await Promise.all([slow, next]);
    expect(await ids(db)).toEqual([1, 2, 3]);
  });
});

test('resolves after the commit: another process sees the write', async () => {
  const db = await opened();
  await Promise.all(
    Array.from({ length: 20 }, async (_, id) => {
      await insert(db, id);
      expect(seenOutside()).toBeGreaterThan(0);
    }),
  );
  expect(seenOutside()).toBe(20);
});

test('no other process deletes the WAL that is in use', async () => {
  const db = await opened();
  await insert(db, 1);
  // A second connection, as every import opens one.
  await opened();
  const alone = `const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(file)});
    database.exec('pragma locking_mode = exclusive; select count(*) from notes');`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', alone], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('database is locked')]);
  await insert(db, 2);
  expect(seenOutside()).toBe(2);
});

test('hides a transaction from readers before its COMMIT', async () => {
  const db = await opened();
  await db.transaction().execute(async (tx) => {
    await insert(tx, 1);
    expect(await ids(tx)).toEqual([1]);
    expect(await ids(db)).toEqual([]);
  });
  expect(await ids(db)).toEqual([1]);
});

test('commits a write during a loop of reads', async () => {
  const db = await opened();
  let written = false;
  const isDone = () => written;
  void insert(db, 1).then(() => (written = true));
  while (!isDone()) await ids(db);
  expect(await ids(db)).toEqual([1]);
});

test('fails every transaction of a failed COMMIT, and the next COMMIT works', async () => {
  const db = await opened();
  await sql`create table child (id integer references notes (id) deferrable initially deferred)`.execute(
    db,
  );
  // SQLite detects this at COMMIT, like a disk that is full at that time.
  const orphan = db
    .transaction()
    .execute((tx) => sql`insert into child values (99)`.execute(tx).then(() => undefined));
  const results = await Promise.allSettled([insert(db, 1), orphan, insert(db, 2)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(seenOutside()).toBe(0);
  await insert(db, 3);
  expect(await ids(db)).toEqual([3]);
});

test('only writers wait while another process writes', async () => {
  const db = await opened();
  const other = new DatabaseSync(file);
  cleanups.push(() => other.close());
  other.exec('begin immediate');
  let written = false;
  const write = insert(db, 1).then(() => (written = true));
  expect(await ids(db)).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBe(false);
  other.exec('commit');
  await write;
  expect(await ids(db)).toEqual([1]);
});

test('every confirmed write of a killed process is on disk', async () => {
  const script = `
    import { Kysely, sql } from 'kysely';
    import { sqliteDialect } from ${JSON.stringify(join(import.meta.dirname, 'sqlite.ts'))};
    const db = new Kysely({ dialect: sqliteDialect(${JSON.stringify(file)}) });
    await sql\`create table notes (id integer primary key)\`.execute(db);
    let next = 0;
    const worker = async () => {
      for (;;) {
        const id = next++;
        await db.insertInto('notes').values({ id }).execute();
        process.stdout.write(id + '\\n');
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.length > 2_000) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const claimed = said.split('\n').slice(0, -1).map(Number);
  expect(claimed.length).toBeGreaterThan(100);
  const database = new DatabaseSync(file);
  const kept = new Set(
    database
      .prepare('select id from notes')
      .all()
      .map(({ id }) => id),
  );
  database.close();
  expect(claimed.filter((id) => !kept.has(id))).toEqual([]);
});
