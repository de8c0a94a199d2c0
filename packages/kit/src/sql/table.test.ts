import { type ColumnType, createQueryId, Kysely, sql } from 'kysely';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { migrationsOf, migrationStatements } from './ddl.ts';
import { applyPending } from './migrations.ts';
import { TableRows } from './rows.ts';
import { sqliteDialect } from './sqlite.ts';
import {
  bytes,
  choice,
  flag,
  json,
  type KyselyTables,
  moment,
  real,
  type Row,
  table,
  text,
  whole,
} from './table.ts';
import { worklist } from './worklist.ts';

const orders = table(
  'openOrders',
  {
    shop: text().key(),
    orderId: text().key(),
    position: whole().unique(),
    state: choice(['open', 'paid']),
    isGift: flag(),
    amount: whole().optional(),
    currency: text().optional(),
    paid: whole().optional(),
    weight: real().optional().as({ duckdb: 'float' }),
    lines: json(z.array(z.string())),
    seal: bytes().optional(),
    one: whole().check('one = 1'),
    openedAt: moment(),
    note: text().since('0002-notes'),
  },
  {
    groups: {
      amount: { value: 'amount', currency: 'currency' },
      payment: { of: { value: 'paid', currency: 'currency' } },
    },
    indexes: {
      openOrdersByAge: ['openedAt', 'orderId'],
      openOrdersPaid: { on: ['paid'], where: 'paid is not null', isUnique: true },
      openOrdersByNote: ['note'],
    },
  },
);
const notes = table('notes', { id: text().key() }, { since: '0002-notes' });
const jobs = table(
  'jobs',
  { jobId: text().key(), runAt: moment().optional(), tries: whole() },
  { work: { dueAt: 'runAt', tries: 'tries' } },
);
const tables = { orders, notes, jobs };
type Order = Row<typeof orders>;

const order: Order = {
  shop: 's',
  orderId: 'o-1',
  position: 1,
  state: 'open',
  isGift: true,
  amount: { value: 1_000, currency: 'USD' },
  payment: { of: { value: 900, currency: 'USD' } },
  weight: 0.5,
  lines: ['chair'],
  seal: new Uint8Array([1, 2]),
  one: 1,
  openedAt: 1_795_176_000_000,
  note: undefined,
};

async function open(names: readonly string[] = ['0001-baseline', '0002-notes']) {
  const all = migrationsOf(tables, '0001-baseline');
  const migrations = Object.fromEntries(names.map((name) => [name, all[name] ?? { up: never }]));
  const db = new Kysely<
    KyselyTables<{ openOrders: typeof orders; jobs: typeof jobs; notes: typeof notes }>
  >({ dialect: sqliteDialect(':memory:'), plugins: [new TableRows(tables)] });
  onTestFinished(() => db.destroy());
  const schema = { migrations, program: 'a test', oldest: '0001-baseline', replacement: 'stop' };
  await applyPending(db.withoutPlugins(), schema);
  return { db, schema };
}
const never = () => Promise.reject(new Error('There is no such migration.'));

test('types rows by their columns', () => {
  expectTypeOf<Order['state']>().toEqualTypeOf<'open' | 'paid'>();
  expectTypeOf<Order['isGift']>().toEqualTypeOf<boolean>();
  expectTypeOf<Order['lines']>().toEqualTypeOf<string[]>();
  expectTypeOf<Order['amount']>().toEqualTypeOf<{ value: number; currency: string } | undefined>();
  expectTypeOf<Order>().not.toHaveProperty('currency');
  expectTypeOf(orders.write).returns.toHaveProperty('note').toEqualTypeOf<string | null>();
  expectTypeOf<KyselyTables<{ jobs: typeof jobs }>['jobs']['runAt']>().toEqualTypeOf<
    ColumnType<number | undefined, number | null | undefined, number | null>
  >();
});

test('creates a table of each database from one definition', () => {
  const statements = (['sqlite', 'postgres', 'duckdb'] as const).map(
    (kind) => migrationStatements({ orders }, kind)[0],
  );
  expect(statements).toMatchInlineSnapshot(`
    [
      "create table "open_orders" ("shop" text not null, "order_id" text not null, "position" integer not null unique, "state" text not null, "is_gift" integer not null, "amount" integer, "currency" text, "paid" integer, "weight" real, "lines" text not null, "seal" blob, "one" integer not null check (one = 1), "opened_at" integer not null, primary key ("shop", "order_id")) strict",
      "create table "open_orders" ("shop" text collate "C" not null, "order_id" text collate "C" not null, "position" bigint not null unique, "state" text collate "C" not null, "is_gift" smallint not null, "amount" bigint, "currency" text collate "C", "paid" bigint, "weight" double precision, "lines" text collate "C" not null, "seal" bytea, "one" bigint not null check (one = 1), "opened_at" bigint not null, primary key ("shop", "order_id"))",
      "create table "open_orders" ("shop" varchar not null, "order_id" varchar not null, "position" bigint not null unique, "state" varchar not null, "is_gift" boolean not null, "amount" bigint, "currency" varchar, "paid" bigint, "weight" float, "lines" varchar not null, "seal" blob, "one" bigint not null check (one = 1), "opened_at" bigint not null, primary key ("shop", "order_id"))",
    ]
  `);
});

test('creates indexes, unique and partial ones, with the newest of their columns', () => {
  expect(migrationStatements({ orders }, 'sqlite').slice(1)).toEqual([
    'create index "open_orders_by_age" on "open_orders" ("opened_at", "order_id")',
    'create unique index "open_orders_paid" on "open_orders" ("paid") where paid is not null',
  ]);
  expect(migrationStatements(tables, 'sqlite', '0002-notes')).toEqual([
    'alter table "open_orders" add column "note" text',
    'create index "open_orders_by_note" on "open_orders" ("note")',
    'create table "notes" ("id" text not null, primary key ("id")) strict',
  ]);
});

test('adds the tables and columns that a store lacks, and keeps its rows', async () => {
  const { db, schema } = await open(['0001-baseline']);
  const { note, ...columns } = orders.write(order);
  expect(note).toBeNull();
  await db.insertInto('openOrders').values(columns).execute();
  const migrations = migrationsOf(tables, '0001-baseline', {
    '0003-first-note': (own) => sql`insert into notes (id) values ('first')`.execute(own),
  });
  expect(await applyPending(db.withoutPlugins(), { ...schema, migrations })).toEqual([
    '0002-notes',
    '0003-first-note',
  ]);
  const row = await db.selectFrom('openOrders').selectAll().executeTakeFirstOrThrow();
  expect(orders.read(row)).toEqual(order);
  expect(await db.selectFrom('notes').selectAll().execute()).toEqual([{ id: 'first' }]);
});

test('refuses a definition that is older than the baseline', () => {
  expect(() => migrationsOf(tables, '0003-baseline')).toThrow('0002-notes precedes the baseline');
});

test('refuses a value that a column does not permit', async () => {
  const { db } = await open();
  const insert = (row: Order) => db.insertInto('openOrders').values(orders.write(row)).execute();
  await expect(insert({ ...order, one: 2 })).rejects.toThrow('CHECK constraint');
  await insert(order);
  await expect(insert({ ...order, orderId: 'o-2' })).rejects.toThrow('UNIQUE constraint');
  await expect(insert({ ...order, position: 2 })).rejects.toThrow('UNIQUE constraint');
});

test('reads an unknown choice or an invalid document as an error', async () => {
  const { db } = await open();
  await db.insertInto('openOrders').values(orders.write(order)).execute();
  const row = await db.selectFrom('openOrders').selectAll().executeTakeFirstOrThrow();
  expect(() => orders.read({ ...row, state: 'lost' })).toThrow(
    'The store has an unknown value in openOrders.state.',
  );
  expect(() => orders.read({ ...row, lines: '[1]' })).toThrow('expected string');
});

test('reads a field of several columns only if all of them have values', () => {
  const columns = { ...orders.write(order), amount: undefined, note: undefined };
  const row = orders.read({
    ...columns,
    seal: undefined,
    weight: undefined,
    paid: 900,
    currency: 'USD',
  });
  expect(row).toMatchObject({ amount: undefined, payment: order.payment });
});

test('updates the columns of the fields that are given', () => {
  expect(orders.change({ state: 'paid', note: undefined })).toEqual({ state: 'paid', note: null });
  expect(orders.change({ amount: undefined })).toEqual({ amount: null, currency: null });
  // The currency belongs to the amount.
  expect(orders.change({ payment: undefined })).toEqual({ paid: null });
});

test("reads null as undefined, and a whole number that a merchant's driver returns as text as a number", async () => {
  const rows = new TableRows({
    orders,
    jobs: table('jobs', { note: whole(), openedAt: moment() }),
  });
  const row = { order_id: '17', opened_at: '1795176000000', note: '5', paid: null, position: 2 };
  const result = await rows.transformResult({ result: { rows: [row] }, queryId: createQueryId() });
  expect(result.rows).toStrictEqual([
    // `note` is text in another table, so that only `read` of its table can tell.
    { orderId: '17', openedAt: 1_795_176_000_000, note: '5', paid: undefined, position: 2 },
  ]);
});

test.each(['9007199254740992', 9_007_199_254_740_992n])(
  'refuses the whole number %s, which JavaScript cannot represent exactly',
  (large) => {
    const own = table('own', { id: whole() });
    expect(() => own.read({ id: large as never })).toThrow(RangeError);
  },
);

test('claims work that is due for one program at a time', async () => {
  const { db } = await open();
  for (const [jobId, runAt] of [
    ['a', 5],
    ['b', 3],
    ['c', undefined],
  ] as const) {
    await db
      .insertInto('jobs')
      .values(jobs.write({ jobId, runAt, tries: 0 }))
      .execute();
  }
  const work = worklist(db, jobs);
  expect(await work.due(9, 10)).toEqual(['b', 'a']);
  const claims = await Promise.all([1, 2].map(() => work.claim('b', 3, 20)));
  expect(claims).toEqual([true, false]);
  expect(await work.claimDue(['jobId', 'tries'], [9, 20, 10], sql`tries < 5`)).toEqual([
    { jobId: 'a', tries: 1 },
  ]);
  expect(await work.due(19, 10)).toEqual([]);
});
