import type { DuckDBConnection } from '../platform/duckdb.ts';
import type { CaseFact } from '../facts/case-facts.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';

const structure = JSON.stringify([
  {
    id: 'VARCHAR',
    number: 'BIGINT',
    order_key: 'VARCHAR',
    currency: 'VARCHAR',
    code: 'VARCHAR',
    merchant_order_id: 'VARCHAR',
    state: 'VARCHAR',
    amount: 'BIGINT',
    count: 'INTEGER',
    since: 'BIGINT',
    content_hash: 'VARCHAR',
    assignee: 'VARCHAR',
    reason: 'VARCHAR',
    opened_at: 'BIGINT',
    open_since: 'BIGINT',
    updated_at: 'BIGINT',
    alerted_at: 'BIGINT',
    snoozed_until: 'BIGINT',
    snoozed_content: 'VARCHAR',
    mentions: 'VARCHAR',
    merged_into: 'VARCHAR',
    body: 'VARCHAR',
  },
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
  await connection.run('insert into cases by name select * from changed_cases');
  await connection.run('drop table changed_cases');
}

function rowOf(row: CaseFact) {
  return {
    id: row.id,
    number: row.number,
    order_key: row.orderKey,
    currency: row.currency,
    code: row.code,
    merchant_order_id: merchantOrderIdOf(row.orderKey) ?? null,
    state: row.state,
    amount: row.amount,
    count: row.count,
    since: row.since,
    content_hash: row.contentHash,
    assignee: row.assignee ?? null,
    reason: row.reason ?? null,
    opened_at: row.openedAt,
    open_since: row.openSince,
    updated_at: row.updatedAt,
    alerted_at: row.alertedAt ?? null,
    snoozed_until: row.snoozedUntil ?? null,
    snoozed_content: row.snoozedContent ?? null,
    mentions: row.mentions.length === 0 ? null : JSON.stringify(row.mentions),
    merged_into: row.mergedInto ?? null,
    body: JSON.stringify(row),
  };
}
