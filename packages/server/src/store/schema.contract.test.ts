import {
  bytes,
  choice,
  flag,
  json,
  migrationStatements,
  moment,
  real,
  type Row,
  table,
  type TableDefinition,
  TableRows,
  text,
  whole,
} from '@financing-checkout/kit/sql';
import fc from 'fast-check';
import { Kysely, sql } from 'kysely';
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { closeSharedStores, databaseKinds, type TestDatabase } from './databases.fixture.ts';
import { tables } from './schema.ts';

afterAll(closeSharedStores);

const kinds = table(
  'kinds',
  {
    id: text().key(),
    letters: text().optional(),
    word: choice(['one', 'two']),
    number: whole(),
    count: whole().optional(),
    share: real().optional(),
    isOn: flag(),
    isOff: flag().optional(),
    at: moment().optional(),
    seal: bytes().optional(),
    pairs: json(z.array(z.object({ name: z.string(), value: z.number().optional() }))),
    amount: whole().optional(),
    currency: text().optional(),
    due: whole().optional(),
  },
  {
    groups: {
      total: { value: 'amount', currency: 'currency' },
      part: { of: { value: 'due', currency: 'currency' } },
    },
  },
);

// PostgreSQL stores no NUL in a text.
const anyText = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
// The driver of PostgreSQL sends numbers as text, and -0 as 0.
const withoutSign = (value: number) => value + 0;
const anyWhole = fc.maxSafeInteger();
const totals = fc
  .record({ total: anyWhole, part: optional(anyWhole), currency: anyText })
  .map(({ total, part, currency }) => ({
    total: { value: total, currency },
    part: part === undefined ? undefined : { of: { value: part, currency } },
  }));
const anyRow: fc.Arbitrary<Row<typeof kinds>> = fc
  .record({
    id: fc.uuid(),
    letters: optional(anyText),
    word: fc.constantFrom('one' as const, 'two' as const),
    number: anyWhole,
    count: optional(anyWhole),
    share: optional(fc.double({ noNaN: true, noDefaultInfinity: true }).map(withoutSign)),
    isOn: fc.boolean(),
    isOff: optional(fc.boolean()),
    at: optional(fc.nat()),
    seal: optional(fc.uint8Array()),
    pairs: fc.array(fc.record({ name: anyText, value: fc.nat() }, { requiredKeys: ['name'] })),
    totals: fc.oneof(fc.constant({ total: undefined, part: undefined }), totals),
  })
  .map(({ totals: fields, ...row }) => ({ ...row, ...fields }));

type Definitions = Readonly<Record<string, TableDefinition>>;

interface StoredColumn {
  table: string;
  name: string;
  type: string;
  /** SQLite returns 0 or 1. */
  isRequired: unknown;
  keyAt: number;
}

/** Returns the columns that a database has, and its indexes with their columns. */
async function schemaOf(place: TestDatabase, isSqlite: boolean) {
  const db = new Kysely<unknown>({ dialect: place.dialect() });
  onTestFinished(() => db.destroy());
  const columns = isSqlite
    ? sql<StoredColumn>`select tables.name as "table", columns.name, lower(columns.type) as type,
          "notnull" as "isRequired", pk as "keyAt"
        from sqlite_master as tables, pragma_table_info(tables.name) as columns
        where tables.type = 'table'`
    : sql<StoredColumn>`select columns.table_name as "table", columns.column_name as name,
          data_type || coalesce(' ' || collation_name, '') as type, is_nullable = 'NO' as "isRequired",
          coalesce(keys.ordinal_position, 0)::integer as "keyAt"
        from information_schema.columns left join information_schema.key_column_usage as keys
          on keys.table_schema = columns.table_schema and keys.table_name = columns.table_name
            and keys.column_name = columns.column_name and keys.position_in_unique_constraint is null
            and keys.constraint_name like '%_pkey'
        where columns.table_schema = 'public'`;
  const indexes = isSqlite
    ? sql<{ name: string; sql: string }>`select name, sql from sqlite_master
        where type = 'index' and sql is not null`
    : sql<{ name: string; sql: string }>`select indexname as name, indexdef as sql from pg_indexes
        where schemaname = 'public' and indexname not like '%_pkey' and indexname not like '%_key'`;
  const isOwn = ({ table: of }: StoredColumn) => !of.startsWith('kysely_');
  return {
    columns: (await columns.execute(db)).rows
      .filter(isOwn)
      .map((column) => ({ ...column, isRequired: Number(column.isRequired) === 1 })),
    indexes: (await indexes.execute(db)).rows,
  };
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const types = {
  SQLite: { text: 'text', whole: 'integer', flag: 'integer', real: 'real', bytes: 'blob' },
  PostgreSQL: {
    text: 'text C',
    whole: 'bigint',
    flag: 'smallint',
    real: 'double precision',
    bytes: 'bytea',
  },
};
const inOrder = (one: StoredColumn, other: StoredColumn) =>
  `${one.table} ${one.name}` < `${other.table} ${other.name}` ? -1 : 1;

describe.each(databaseKinds)('tables on $name', (kind) => {
  test('reads back every value of every kind of column', async () => {
    const place = await kind.unmade();
    const db = new Kysely<{ kinds: never }>({ dialect: place.dialect() });
    const own = new Kysely<{ kinds: Record<string, unknown> }>({
      dialect: place.dialect(),
      plugins: [new TableRows({ kinds })],
    });
    onTestFinished(async () => {
      await db.destroy();
      await own.destroy();
    });
    const dialect = kind.name === 'SQLite' ? 'sqlite' : 'postgres';
    for (const statement of migrationStatements({ kinds }, dialect)) {
      await sql.raw(statement).execute(db);
    }
    await fc.assert(
      fc.asyncProperty(anyRow, async (row) => {
        await own.deleteFrom('kinds').execute();
        await own.insertInto('kinds').values(kinds.write(row)).execute();
        const query = own.selectFrom('kinds').selectAll().where('id', '=', row.id);
        const [stored] = await query.execute();
        const read = kinds.read(stored as Parameters<typeof kinds.read>[0]);
        expect({ ...read, seal: read.seal && new Uint8Array(read.seal) }).toEqual(row);
      }),
      { numRuns: 100 },
    );
  });

  test('the migrations create each column and index of the definitions, and no other', async () => {
    const { columns, indexes } = await schemaOf(await kind.migrated(), kind.name === 'SQLite');
    const defined = Object.values(tables as Definitions).flatMap(({ name, columns: of }) => {
      const keys = Object.keys(of).filter((column) => of[column]?.terms.isKey);
      return Object.entries(of).map(([column, { codec, terms }]) => ({
        table: snake(name),
        name: snake(column),
        type: types[kind.name][codec.storage],
        isRequired: !terms.isOptional,
        keyAt: keys.indexOf(column) + 1,
      }));
    });
    expect(columns.toSorted(inOrder)).toEqual(defined.toSorted(inOrder));
    const definedIndexes = Object.values(tables).flatMap((of) =>
      Object.entries(of.indexes).map(([index, { on }]) => ({
        name: snake(index),
        on: `(${on.map(snake).join(', ')})`,
      })),
    );
    const found = indexes.map(({ name, sql: text }) => ({
      name,
      on: /\([^)]*\)/.exec(text.replaceAll('"', ''))?.[0],
    }));
    expect(new Set(found)).toEqual(new Set(definedIndexes));
  });
});

test('the released baseline does not change', () => {
  const digests = (['sqlite', 'postgres'] as const).map((kind) => {
    const statements = migrationStatements(tables, kind).join(';\n');
    return createHash('sha256').update(statements).digest('hex').slice(0, 16);
  });
  // A stored field that is added names its migration with `since`.
  expect(digests).toEqual(['5ffdc53dafa9edf5', 'f4fa1efb6f177881']);
});
