import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { bookPlaces } from '../../fundings/books.fixture.ts';
import { fundingsLease, LeaseLostError } from '../../fundings/books.ts';
import { emptySlice } from '../../fundings/slice.ts';

const environment = 'sandbox';

async function openBooks() {
  const [, open] = bookPlaces.find(([name]) => name === 'PostgreSQL') ?? [];
  if (!open) throw new Error('There is no PostgreSQL.');
  return open();
}

/** Books which give up the first transactions that mark an order. */
async function openGivingUp(times: number) {
  const place = await openBooks();
  const { db } = place;
  // A sequence counts on where its transaction is undone.
  await sql`create sequence marks`.execute(db);
  await sql`
    create function give_up() returns trigger language plpgsql as $$ begin
      if nextval('marks') <= ${sql.lit(times)} then
        raise exception 'deadlock detected' using errcode = 'deadlock_detected';
      end if;
      return new;
    end $$`.execute(db);
  await sql`create trigger give_up before insert on dirty_orders
    for each row execute function give_up()`.execute(db);
  onTestFinished(async () => {
    await sql`drop function give_up cascade`.execute(db);
    await sql`drop sequence marks`.execute(db);
  });
  const fence = { lease: fundingsLease(environment), holder: 'one' };
  await place.books.takeLease(fence, 1, 2);
  return {
    ...place,
    fence,
    marks: () => db.selectFrom('dirty_orders').select(['order_key', 'generation']).execute(),
  };
}

const stored = { id: '2026-03-01:r.1.Settle', hash: '', orderKey: 'order:A-1', currency: 'USD' };
const batch = { now: 1, changed: [], gone: [{ stored, reason: 'gone' as const }] };

// A pass takes marks away in an order of its own while a day is written that sets the same ones.
test('a day whose transaction was given up for another one is written again', async () => {
  const { books, fence, marks } = await openGivingUp(2);
  await books.write(fence, batch);
  await books.rewrite([], () => batch);
  expect(await marks()).toEqual([{ order_key: 'order:A-1', generation: 2 }]);
});

test('what is given up each time is told', async () => {
  const { books, fence, marks } = await openGivingUp(1_000);
  await expect(books.write(fence, batch)).rejects.toMatchObject({ code: '40P01' });
  expect(await marks()).toEqual([]);
});

test('a connection to a server that keeps nothing is left: the next write has another one', async () => {
  const { books, db } = await openBooks();
  const fence = { lease: fundingsLease(environment), holder: 'one' };
  const readOnly = async (setting: 'on' | 'off') => {
    // A session keeps what it began with, as one with a primary that has become a standby does.
    await sql`do $$ begin execute format('alter database %I set default_transaction_read_only = %s',
      current_database(), ${sql.lit(setting)}); end $$`.execute(db);
  };
  await db.insertInto('leases').values({ name: fence.lease, holder: 'one', until: 2 }).execute();
  onTestFinished(() => readOnly('off'));
  await readOnly('on');
  await expect(books.write(fence, batch)).rejects.toMatchObject({ code: '25006' });
  await readOnly('off');
  await books.write(fence, batch);
  expect(await db.selectFrom('dirty_orders').select('order_key').execute()).toHaveLength(1);
});

test('who writes waits for whoever takes the lease at that moment, and then writes nothing', async () => {
  const { books, db } = await openBooks();
  const fence = { lease: fundingsLease(environment), holder: 'one' };
  await books.takeLease(fence, 1, 2);
  let hasEnded = false;
  const written = await db.transaction().execute(async (tx) => {
    await tx.updateTable('leases').set({ holder: 'two' }).execute();
    const writing = books
      .write(fence, batch)
      .catch((error: unknown) => error)
      .finally(() => (hasEnded = true));
    const isWaiting = async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted`.execute(tx);
      return rows.length > 0;
    };
    await expect.poll(async () => hasEnded || (await isWaiting())).toBe(true);
    return { writing };
  });
  expect(await written.writing).toBeInstanceOf(LeaseLostError);
  expect(await db.selectFrom('dirty_orders').selectAll().execute()).toEqual([]);
});

test.each(['somebody', 'nobody'])(
  'who files orders anew waits for whoever writes at that moment: %s had the lease',
  async (who) => {
    const { books, db } = await openBooks();
    const lease = fundingsLease(environment);
    if (who === 'somebody') await books.takeLease({ lease, holder: 'one' }, 1, 2);
    let isAtWork = false;
    const work = () => {
      isAtWork = true;
      return batch;
    };
    const { filing } = await db.transaction().execute(async (tx) => {
      // As who writes a day holds it, and as who is the first of all makes it.
      if (who === 'somebody') await tx.selectFrom('leases').selectAll().forUpdate().execute();
      else await tx.insertInto('leases').values({ name: lease, holder: '', until: 0 }).execute();
      const filing = books.rewrite([], work);
      const isWaiting = async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted`.execute(tx);
        return rows.length > 0;
      };
      await expect.poll(async () => isAtWork || (await isWaiting())).toBe(true);
      expect(isAtWork).toBe(false);
      return { filing };
    });
    await filing;
    expect(isAtWork).toBe(true);
  },
);

test('who sums a day up waits for whoever writes at that moment, and counts what was written', async () => {
  const { books, db } = await openBooks();
  const fence = { lease: fundingsLease(environment), holder: 'one' };
  const day = '2026-03-01';
  await books.takeLease(fence, 1, 2);
  const slice = { ...emptySlice(day, 'UTC'), rows: 1 };
  await books.write(fence, { now: 1, changed: [], gone: [], slice });
  let hasEnded = false;
  const { summing } = await db.transaction().execute(async (tx) => {
    await tx.selectFrom('leases').selectAll().forUpdate().execute();
    const summing = books.sumAgain().finally(() => (hasEnded = true));
    const isWaiting = async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted`.execute(tx);
      return rows.length > 0;
    };
    await expect.poll(async () => hasEnded || (await isWaiting())).toBe(true);
    const held = { environment, id: '1', slice_day: day, reason: 'no', raw: '{}', seen_at: 1 };
    await tx.insertInto('funding_quarantine').values(held).execute();
    return { summing };
  });
  await summing;
  expect(await books.slices(day, day)).toMatchObject([{ quarantined: 1 }]);
});

test('records that a day has left are taken away, and those of other days are not looked at', async () => {
  const { db, another } = await openBooks();
  await sql`
    insert into funding_records (environment, id, raw)
    select ${environment}, (date '2026-02-10' + n % 30)::text || ':r.' || n || '.Settle', '{}'
    from generate_series(1, 30000) n`.execute(db);
  await sql`analyze funding_records`.execute(db);
  const read = async () => {
    const { rows } = await sql<{ entries: string }>`
      select seq_tup_read + idx_tup_fetch as entries from pg_stat_user_tables
      where relname = 'funding_records' and schemaname = current_schema()`.execute(db);
    return Number(rows[0]?.entries);
  };
  const before = await read();
  const books = another();
  const fence = { lease: fundingsLease(environment), holder: 'one' };
  await books.takeLease(fence, 1, 2);
  await books.write(fence, { now: 1, changed: [], gone: [], sweep: '2026-03-01' });
  // PostgreSQL tells what a connection has read once it is closed.
  await books.close();
  await expect.poll(async () => (await read()) - before, { timeout: 5_000 }).toBeGreaterThan(0);
  expect((await read()) - before).toBeLessThan(3_000);
  const left = await db.selectFrom('funding_records').select('id').execute();
  expect(left).toHaveLength(29_000);
  expect(left.filter(({ id }) => id.startsWith('2026-03-01'))).toEqual([]);
});
