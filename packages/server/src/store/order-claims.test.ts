import { Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { databaseKinds } from './databases.fixture.ts';
import { createKyselyStore } from './kysely-store.ts';
import { type Schema, storeRows } from './schema.ts';

test('releasing an order reads no claims of other orders', async () => {
  const kind = databaseKinds.find(({ name }) => name === 'PostgreSQL');
  if (!kind) throw new Error('There is no PostgreSQL.');
  const place = await kind.migrated();
  const db = new Kysely<Schema>({ dialect: place.dialect() });
  onTestFinished(() => db.destroy());
  await sql`insert into checkouts (id, environment, merchant_order_id, amount, currency, status,
      revision, session_token, secret_hash, order_hash, order_changed, tax_amount,
      shipping_tax_amount, origin, created_at, updated_at, expires_at, attention_tries, items)
    values ('chk_7', 'sandbox', 'A-7', 100, 'USD', 'confirming', 1, 'session', '', '', 0, 0,
      0, '', 1, 1, 2, 0, '[]')`.execute(db);
  await sql`insert into order_claims (environment, merchant_order_id, checkout_id)
    select 'sandbox', 'A-' || n, 'chk_' || n from generate_series(1, 20000) n`.execute(db);
  await sql`analyze order_claims`.execute(db);
  const read = async () => {
    const { rows } = await sql<{ entries: string }>`
      select seq_tup_read + idx_tup_fetch as entries from pg_stat_user_tables
      where relname = 'order_claims' and schemaname = current_schema()`.execute(db);
    return Number(rows[0]?.entries);
  };
  const before = await read();
  const store = createKyselyStore({ dialect: place.dialect() });
  const set = { status: 'failed' as const };
  await store.changeCheckout({ id: 'chk_7', revision: 1, now: 2, set, order: 'release' });
  // PostgreSQL reports the reads of a connection after it closes.
  await store.close();
  await expect.poll(async () => (await read()) - before).toBeGreaterThan(0);
  expect((await read()) - before).toBeLessThan(10);
  const left = await db
    .withPlugin(storeRows)
    .selectFrom('orderClaims')
    .select('merchantOrderId')
    .execute();
  expect(left).toHaveLength(19_999);
});
