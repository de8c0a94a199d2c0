import type { DuckDBConnection } from '../platform/duckdb.ts';
import type { CaseFact } from '../facts/case-facts.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { cases as table } from './schema.ts';

/** The values of a row in the order of its columns, to whose types the insert casts them. */
const structure = JSON.stringify([
  Object.fromEntries(Object.keys(table.columns).map((name) => [name, 'VARCHAR'])),
]);

/** Updates mirrored cases from their facts. Runs inside a replay's transaction. */
export async function mirrorCases(
  connection: DuckDBConnection,
  cases: readonly CaseFact[],
): Promise<void> {
  await connection.run(
    `create or replace temp table changed_cases as
     select unnest(from_json($1, '${structure}'), recursive := true)`,
    [JSON.stringify(cases.map(rowOf))],
  );
  await connection.run('delete from cases where id in (select id from changed_cases)');
  await connection.run('insert into cases select * from changed_cases');
  await connection.run('drop table changed_cases');
}

const rowOf = (row: CaseFact) =>
  table.write({
    ...row,
    merchantOrderId: merchantOrderIdOf(row.orderKey),
    mentions: row.mentions.length === 0 ? undefined : row.mentions,
    body: JSON.stringify(row),
  });
