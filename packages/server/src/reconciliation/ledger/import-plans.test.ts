import { type Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Schema } from '../../store/schema.ts';
import { places } from '../places.fixture.ts';
import type { NewLedgerLine } from './line.ts';

const LINES = 1_000;
const place = { environment: 'sandbox', id: 'import' };
const until = Date.UTC(2026, 3, 1);

function line(index: number, name: string, order: string): NewLedgerLine {
  return {
    merchantOrderId: order === 'of one order' ? 'NULL' : `A-${index}`,
    type: 'Settle',
    amount: 100,
    currency: 'USD',
    occurredAt: index,
    transactionId: `t-${index}`,
    ...(name === 'named' ? { merchantTransactionId: `m-${index}` } : {}),
  };
}

/**
 * A vacuum between two imports would take away the rows that are gone, which this is about; and while
 * any table of the database is analysed, no scan may mark the entries of such rows as dead.
 */
async function stopAutovacuum(db: Kysely<Schema>): Promise<void> {
  onTestFinished(async () => {
    await sql`alter system reset autovacuum`.execute(db);
    await sql`select pg_reload_conf()`.execute(db);
  });
  await sql`alter system set autovacuum = off`.execute(db);
  await sql`select pg_reload_conf()`.execute(db);
  const atIt = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where backend_type in ('autovacuum launcher', 'autovacuum worker')`.execute(db);
    return rows.length;
  };
  await expect.poll(atIt, { timeout: 20_000 }).toBe(0);
}

test.each([
  ['named', 'of many orders'],
  ['nameless', 'of many orders'],
  ['named', 'of one order'],
  ['nameless', 'of one order'],
])(
  'PostgreSQL reads no line for another one, also where it takes the books for empty: %s, %s',
  async (name, order) => {
    const open = places.find(([kind]) => kind === 'PostgreSQL')?.[1];
    if (!open) throw new Error('PostgreSQL is one of the places.');
    const { db, another } = await open();
    await stopAutovacuum(db);
    const others = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and backend_type = 'client backend'`.execute(db);
      return rows.length;
    };
    const run = async (action: 'add' | 'withdraw', names: string) => {
      const store = another();
      const staged = Array.from({ length: LINES }, (_, at) => ({
        number: at + 1,
        line: line(at, names, order),
      }));
      await store.beginImport(place, { action, source: 'import' }, 0, until);
      await store.stageLines(place, staged, until);
      await store.countLines();
      const limit = LINES / 4;
      let after: string | undefined = '';
      while (after !== undefined) {
        const page = await store.checkStaged(place, action, { after, limit, until });
        after = page?.last;
      }
      await store.decideImport(place, until);
      let count = 0;
      let done: number | undefined = 0;
      while (done !== undefined) {
        done = await store.applyStaged(place, limit, 0, until);
        count += done ?? 0;
      }
      await store.endImport(place, 0);
      // PostgreSQL tells what a connection has read once it has ended.
      await store.close();
      await expect.poll(others, { timeout: 5_000 }).toBe(0);
      return count;
    };
    /** Entries of the indexes of the books that have been read so far. */
    const read = async () => {
      const { rows } = await sql<{ entries: string }>`
        select sum(idx_tup_read) + (select seq_tup_read from pg_stat_user_tables
          where relname = 'ledger_lines' and schemaname = current_schema()) as entries
        from pg_stat_user_indexes
        where relname = 'ledger_lines' and schemaname = current_schema()`.execute(db);
      return Number(rows[0]?.entries);
    };

    // Rows that are gone leave their pages, and PostgreSQL counts that there is nothing in them.
    for (const names of ['named', 'nameless']) {
      expect(await run('add', names)).toBe(LINES);
      expect(await run('withdraw', names)).toBe(LINES);
    }
    const before = await read();
    expect(await run('add', name)).toBe(LINES);
    const entries = (await read()) - before;
    expect(entries).toBeGreaterThan(0);
    expect(entries).toBeLessThan(LINES * 3);
  },
);
