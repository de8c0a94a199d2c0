import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { unusableSqlite } from './errors.ts';
import { BUSY_TIMEOUT_MS, GroupCommit } from './group-commit.ts';

/** A database whose statements fail on demand. */
class FailingDatabase extends DatabaseSync {
  readonly #errors = new Map<string, Error[]>();

  /** Errors for the next executions. */
  fail(sql: string, ...errors: Error[]): void {
    this.#errors.set(sql, errors);
  }

  override exec(sql: string): void {
    this.#check(sql);
    super.exec(sql);
  }

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    const run = statement.run.bind(statement);
    const checked = (...values: SQLInputValue[]) => {
      this.#check(sql);
      return run(...values);
    };
    return Object.defineProperty(statement, 'run', { value: checked });
  }

  #check(sql: string): void {
    const error = this.#errors.get(sql)?.shift();
    if (error) throw error;
  }
}

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'group-'));
  const file = join(folder, 'notes.db');
  const database = new FailingDatabase(file, { timeout: 0 });
  const other = new DatabaseSync(file, { timeout: 0 });
  database.exec('pragma journal_mode = wal; create table notes (id integer primary key)');
  const writes = new GroupCommit(database);
  onTestFinished(async () => {
    await writes.close();
    database.close();
    other.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const insert = (id: number) => void database.prepare('insert into notes values (?)').run(id);
  const onDisk = () =>
    other
      .prepare('select id from notes order by id')
      .all()
      .map(({ id }) => id);
  /** A transaction that is waiting for its COMMIT. */
  async function done(id: number): Promise<{ committed: Promise<void> }> {
    await writes.begin();
    insert(id);
    return { committed: writes.commit() };
  }
  return { database, other, writes, insert, onDisk, done };
}

const broken = new Error('disk I/O error');
/** SQLITE_BUSY_RECOVERY: another process is recovering the WAL. */
const recovering = Object.assign(new Error('database is locked'), { errcode: 261 });

const hasFailed = (ended: readonly PromiseSettledResult<unknown>[]) =>
  ended.map(({ status }) => status === 'rejected');

test('a transaction that cannot begin fails, and the next ones run', async () => {
  const { database, writes, onDisk, done } = open();
  database.fail('begin immediate', broken);
  const first = writes.begin();
  const next = done(2);
  await expect(first).rejects.toBe(broken);
  await (
    await next
  ).committed;
  expect(onDisk()).toEqual([2]);
});

test('waits a limited time for a busy database, for any variant of the busy error', async () => {
  const { database, other, writes, onDisk, done } = open();
  database.fail('begin immediate', recovering, recovering);
  await (
    await done(1)
  ).committed;
  other.exec('begin immediate');
  const start = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValueOnce(start);
  onTestFinished(() => clock.mockRestore());
  clock.mockReturnValue(start + BUSY_TIMEOUT_MS + 1);
  await expect(writes.begin()).rejects.toThrow('database is locked');
  other.exec('commit');
  await (
    await done(2)
  ).committed;
  expect(onDisk()).toEqual([1, 2]);
});

test('concurrent transactions wait together for a busy database, not one after the other', async () => {
  const { other, writes } = open();
  other.exec('begin immediate');
  const start = Date.now();
  let now = start;
  // Each reading advances the clock by one second.
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 1_000));
  onTestFinished(() => clock.mockRestore());
  const all = await Promise.allSettled([1, 2, 3, 4].map(() => writes.begin()));
  expect(hasFailed(all)).toEqual([true, true, true, true]);
  expect(now - start).toBeLessThan(3 * BUSY_TIMEOUT_MS);
  other.exec('commit');
});

test.each(['savepoint one', 'release one'])(
  'rolls back a transaction whose "%s" fails, and the next one runs',
  async (statement) => {
    const { database, onDisk, done } = open();
    database.fail(statement, broken);
    const first = done(1).then(({ committed }) => committed);
    const next = done(2).then(({ committed }) => committed);
    await expect(first).rejects.toBe(broken);
    await next;
    expect(onDisk()).toEqual([2]);
  },
);

test('earlier transactions wait until a suspended transaction ends, and then commit', async () => {
  const { writes, insert, onDisk, done } = open();
  const { committed } = await done(1);
  await writes.begin();
  insert(2);
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  expect(onDisk()).toEqual([]);
  writes.rollback();
  await committed;
  expect(onDisk()).toEqual([1]);
});

test('when a rollback to a savepoint fails, all transactions of the group fail', async () => {
  const { database, writes, insert, onDisk, done } = open();
  const { committed } = await done(1);
  await writes.begin();
  insert(2);
  database.fail('rollback to one; release one', broken);
  writes.rollback();
  await expect(committed).rejects.toThrow();
  expect(onDisk()).toEqual([]);
  await (
    await done(3)
  ).committed;
  expect(onDisk()).toEqual([3]);
});

test('a full disk fails the whole group', async () => {
  const { database, writes, onDisk, done } = open();
  database.exec('create table texts (text); pragma max_page_count = 5');
  const fill = () => void database.prepare('insert into texts values (?)').run('x'.repeat(50_000));
  const { committed } = await done(1);
  await writes.begin();
  expect(fill).toThrow('full');
  writes.rollback();
  const error = await committed.catch((reason: unknown) => reason);
  expect(unusableSqlite(error)).toBe('SQLITE_ABORT_ROLLBACK');
  await (
    await done(2)
  ).committed;
  expect(onDisk()).toEqual([2]);
});
