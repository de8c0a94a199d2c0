import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Database } from '../../store/database.ts';
import type { Schema } from '../../store/schema.ts';
import { isSqlite, jsonRows } from '../ledger/json-rows.ts';
import {
  type BulkConnection,
  type BulkTable,
  type BulkWriter,
  replaced,
  type Value,
  type ValueRow,
} from './bulk.ts';

/** Bulk work through the store's own connections: PostgreSQL's pool, or a database in memory. */
export function kyselyBulk({ db, transact }: Pick<Database, 'db' | 'transact'>): BulkConnection {
  const kind = isSqlite(db) ? 'sqlite' : 'postgres';
  const compiled = (text: string, parameters: readonly Value[]) =>
    CompiledQuery.raw(kind === 'sqlite' ? text : numbered(text), [...parameters]);

  function writerOf(tx: Kysely<Schema>): BulkWriter {
    return {
      async run(text, parameters = []) {
        const { numAffectedRows } = await tx.executeQuery(compiled(text, parameters));
        return Number(numAffectedRows ?? 0n);
      },
      async upsert(table, rows) {
        if (rows.length > 0) await upsert(tx, table, rows);
      },
      async remove(table, columns, rows) {
        if (rows.length === 0) return;
        const names = sql.join(columns.map(([column]) => sql.ref(column)));
        await sql`
          delete from ${sql.table(table)}
          where (${names}) in (select ${names} from ${jsonRows(tx, columns, rows)} as gone)
        `.execute(tx);
      },
    };
  }

  return {
    kind,
    async rows(text, parameters = []) {
      const { rows } = await db.executeQuery<Record<string, Value>>(compiled(text, parameters));
      return rows.map((row) => Object.values(row));
    },
    write: (work) => transact((tx) => work(writerOf(tx))),
  };
}

async function upsert(
  tx: Kysely<Schema>,
  table: BulkTable,
  rows: readonly ValueRow[],
): Promise<void> {
  const { name, columns, key, same = {} } = table;
  const own = columns.map(([column]) => column);
  const names = [...Object.keys(same), ...own];
  const values = [
    ...Object.values(same).map((value) => sql`${value}`),
    ...own.map((column) => sql.ref(`added.${column}`)),
  ];
  const others = names.filter((column) => !key.includes(column));
  const set = others.map((column) => sql`${sql.ref(column)} = ${sql.raw(replaced(table, column))}`);
  await sql`
    insert into ${sql.table(name)} (${sql.join(names.map((column) => sql.ref(column)))})
    select ${sql.join(values)}
    from ${jsonRows(tx, columns, rows)} as added
    where true
    on conflict (${sql.join(key.map((column) => sql.ref(column)))}) do update set ${sql.join(set)}
  `.execute(tx);
}

/** Placeholders as PostgreSQL wants them. Our statements hold no text with a question mark. */
function numbered(text: string): string {
  let count = 0;
  return text.replace(/\?/g, () => `$${++count}`);
}
