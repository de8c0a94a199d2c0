import { type Kysely, sql } from 'kysely';
import { isSqlite, type Migrations } from './migrations.ts';
import type { DatabaseKind, Storage, TableDefinition } from './table.ts';

type Definitions = Readonly<Record<string, TableDefinition>>;

/** Column types. Text sorts by code unit in every database. */
const types: Readonly<Record<DatabaseKind, Record<Storage, string>>> = {
  sqlite: { text: 'text', whole: 'integer', real: 'real', flag: 'integer', bytes: 'blob' },
  postgres: {
    text: 'text collate "C"',
    whole: 'bigint',
    real: 'double precision',
    flag: 'smallint',
    bytes: 'bytea',
  },
  duckdb: { text: 'varchar', whole: 'bigint', real: 'double', flag: 'boolean', bytes: 'blob' },
};

const quoted = (name: string) =>
  `"${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
const listOf = (names: readonly string[]) => `(${names.map(quoted).join(', ')})`;

/**
 * Returns a migration's statements, which create the tables, columns and indexes that name it.
 * @param migration undefined for the baseline, which creates those that name none
 */
export function migrationStatements(
  tables: Definitions,
  kind: DatabaseKind,
  migration?: string,
): string[] {
  return Object.values(tables).flatMap(({ name, columns, indexes, since }) => {
    const sinceOf = (column: string) => columns[column]?.terms.since ?? since;
    const lines = Object.entries(columns)
      .filter(([column]) => sinceOf(column) === migration)
      .map(([column, { codec, terms }]) => {
        const type = terms.types?.[kind] ?? types[kind][codec.storage];
        const required = terms.isOptional ? '' : ' not null';
        const check = terms.check === undefined ? '' : ` check (${terms.check})`;
        return `${quoted(column)} ${type}${required}${terms.isUnique ? ' unique' : ''}${check}`;
      });
    const key = Object.keys(columns).filter((column) => columns[column]?.terms.isKey);
    const body = [...lines, ...(key.length === 0 ? [] : [`primary key ${listOf(key)}`])].join(', ');
    const newIndexes = Object.entries(indexes).filter(([, index]) => {
      const named = index.on.map(sinceOf).filter((own) => own !== undefined);
      return (index.since ?? named.sort().at(-1)) === migration;
    });
    return [
      ...(since === migration
        ? [`create table ${quoted(name)} (${body})${kind === 'sqlite' ? ' strict' : ''}`]
        : lines.map((line) => `alter table ${quoted(name)} add column ${line}`)),
      ...newIndexes.map(([index, { on, isUnique, where }]) => {
        const created = `create ${isUnique ? 'unique ' : ''}index ${quoted(index)}`;
        const condition = where === undefined ? '' : ` where ${where}`;
        return `${created} on ${quoted(name)} ${listOf(on)}${condition}`;
      }),
    ];
  });
}

/**
 * Returns the migrations of a store: the baseline, and each migration that a table, a column or an
 * index names. Migrations only add, because programs of the previous version keep running until
 * they are replaced.
 * @param baseline name of the migration that creates everything that names none
 * @param steps work that a migration does after its statements, such as inserting rows
 */
export function migrationsOf(
  tables: Definitions,
  baseline: string,
  steps: Readonly<Record<string, (db: Kysely<unknown>) => Promise<unknown>>> = {},
): Migrations {
  const named = Object.values(tables).flatMap(({ columns, indexes, since }) => [
    since,
    ...Object.values(columns).map(({ terms }) => terms.since),
    ...Object.values(indexes).map((index) => index.since),
  ]);
  const names = [baseline, ...named, ...Object.keys(steps)].filter((name) => name !== undefined);
  const [first, ...later] = [...new Set(names)].sort();
  if (first !== baseline) throw new Error(`The migration ${first} precedes the baseline.`);
  const migrationOf = (name: string, own?: string) => ({
    async up(db: Kysely<unknown>) {
      const kind = isSqlite(db) ? 'sqlite' : 'postgres';
      for (const statement of migrationStatements(tables, kind, own)) {
        await sql.raw(statement).execute(db);
      }
      await steps[name]?.(db);
    },
  });
  const added = later.map((name) => [name, migrationOf(name, name)] as const);
  return { [baseline]: migrationOf(baseline), ...Object.fromEntries(added) };
}
