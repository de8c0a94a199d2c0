import type { DuckDBConnection } from '@duckdb/node-api';

/**
 * Columns of an imported line, in the order of {@link lineText}; `id` is the result of `lineId`.
 */
export const lineColumns = `{
  number: 'BIGINT', id: 'VARCHAR', order_key: 'VARCHAR', merchant_order_id: 'VARCHAR', currency: 'VARCHAR',
  type: 'VARCHAR', amount: 'BIGINT', occurred_at: 'BIGINT', transaction_id: 'VARCHAR',
  merchant_transaction_id: 'VARCHAR', charge_id: 'VARCHAR', lender_reference_id: 'VARCHAR'
}`;

/**
 * Returns an SQL condition for whether two lines with the same id contradict each other. Ignores
 * dates, because sources round them, and absent fields.
 */
const differs = (one: string, other: string) => `coalesce(
  ${one}.order_key <> ${other}.order_key or ${one}.currency <> ${other}.currency
  or ${one}.amount <> ${other}.amount or ${one}.transaction_id <> ${other}.transaction_id, false)`;

/**
 * Creates `checked`: each line of the table `staged`, compared with the ledger and the file.
 *
 * - `first`: number of the first line of the file with the same id.
 * - `present`, `conflicts`: an existing line has the same id, or has it with different content.
 * - `duplicate`, `duplicate_conflicts`: another line of the ledger or file refers to the same
 *   transaction by another id, or does so with different content.
 * - `own`, `own_alone`: the companion has the line, and no import does.
 * - `other`: number of the line of the file that this line repeats or contradicts.
 */
export const checkStaged = `
create or replace temp table checked as
with ranked as (
  select s.*, min(s.number) over (partition by s.id) as first,
    row_number() over (partition by s.id order by s.number) as ordinal
  from staged s
),
firsts as (select * from ranked where ordinal = 1),
-- Lines with only the service's id of a transaction that the ledger has under the merchant's id.
named as (
  select s.id, count(*) > 0 as duplicate,
    coalesce(sum(b.amount) filter (where b.currency = s.currency), 0) <> any_value(s.amount) as conflicts
  from firsts s join ledger_lines b on b.transaction_id = s.transaction_id
    and b.order_key = s.order_key and b.type = s.type and b.merchant_transaction_id is not null
  where starts_with(s.id, 't:') group by s.id
),
-- The reverse: the ledger or the file has only the service's id.
nameless as (
  select s.id, true as duplicate,
    bool_or(s.currency <> b.currency or s.amount <> b.amount) as conflicts, min(b.number) as number
  from firsts s join (
    select id, order_key, currency, amount, null::bigint as number from ledger_lines where starts_with(id, 't:')
    union all
    select id, order_key, currency, amount, number from firsts where starts_with(id, 't:')
  ) b on b.id = 't:' || s.type || ':' || s.transaction_id and b.order_key = s.order_key
  where starts_with(s.id, 'm:') and s.transaction_id is not null group by s.id
),
-- The settle that the companion made with the charge shares no id with a line of the file. It
-- settles the whole order, which has one charge: no other settle of that amount exists.
charged as (
  select distinct s.id
  from firsts s
  join authorizations a on a.order_key = s.order_key
  join ledger_lines b on b.id = 'm:Settle:' || a.merchant_transaction_id
    and b.order_key = s.order_key and b.currency = s.currency and b.amount = s.amount
    and b.transaction_id is null
  where s.type = 'Settle' and s.merchant_transaction_id is null
)
select r.*,
  b.id is not null as present,
  b.id is not null and ${differs('r', 'b')} as conflicts,
  coalesce(b.own, false) as own,
  coalesce(b.own and b.source = 'companion', false) as own_alone,
  coalesce(n.duplicate, false) or coalesce(l.duplicate, false) or c.id is not null as duplicate,
  coalesce(n.conflicts, false) or coalesce(l.conflicts, false) as duplicate_conflicts,
  r.ordinal > 1 and ${differs('r', 'f')} as conflicts_with_first,
  coalesce(nullif(r.first, r.number), l.number) as other
from ranked r
join firsts f on f.id = r.id
left join ledger_lines b on b.id = r.id
left join named n on n.id = r.id
left join nameless l on l.id = r.id
left join charged c on c.id = r.id`;

/** Lines of `checked` to add: each once, and only those that do not exist yet. */
const added = `from checked where ordinal = 1 and not present and not duplicate`;
/** Lines of `checked` to withdraw: existing lines that the companion does not have. */
const withdrawn = `from checked where ordinal = 1 and present and not own and not conflicts`;

/** Effect of an import on the staged lines. */
export const effects = {
  add: {
    lines: added,
    content: added,
    differs: 'conflicts or duplicate_conflicts or conflicts_with_first',
    repeated: 'present or duplicate or ordinal > 1',
  },
  withdraw: {
    lines: withdrawn,
    /** Includes lines that the companion has as well: the import no longer contains them. */
    content: 'from checked where ordinal = 1 and present and not own_alone and not conflicts',
    differs: '(not own and conflicts) or conflicts_with_first',
    repeated: 'not present or own or conflicts or ordinal > 1',
  },
} as const;

/** Writes selected lines of `checked` as the content of an import. @returns the number of lines */
export async function writeContent(
  connection: DuckDBConnection,
  selected: string,
  file: string,
): Promise<number> {
  const written = await connection.runAndReadAll(
    `copy (select * exclude (first, ordinal, present, conflicts, own, own_alone, duplicate,
       duplicate_conflicts, conflicts_with_first, other) ${selected} order by number)
     to '${file}' (format json, compression zstd)`,
  );
  return Number(written.getRows()[0]?.[0]);
}

export type ImportAction = keyof typeof effects;

/**
 * Applies the result of an import to `staged`, which has one of the import's contents. Later
 * entries of the companion take precedence, so the order in which the two are read does not matter.
 */
export async function applyLines(
  connection: DuckDBConnection,
  action: ImportAction,
  { source, actor, at }: { source: string; actor: string | undefined; at: number },
): Promise<void> {
  await connection.run(checkStaged);
  await connection.run(
    `create or replace temp table effective as select * ${effects[action].lines}`,
  );
  await connection.run('insert into dirty_orders select distinct order_key from effective');
  if (action === 'add') {
    await connection.run(
      `insert into ledger_lines
       select order_key, currency, id, merchant_order_id, type, amount, occurred_at, transaction_id,
         merchant_transaction_id, charge_id, lender_reference_id, $1, false from effective`,
      [source],
    );
  } else {
    await connection.run(
      `insert into withdrawn_lines
       select b.order_key, b.id, b.type, b.amount, b.currency, $1::bigint, $2
       from ledger_lines b join effective e on e.id = b.id`,
      [BigInt(at), actor ?? null],
    );
    await connection.run('delete from ledger_lines where id in (select id from effective)');
    // Lines that the companion has stay, but only as its own.
    await connection.run(
      `update ledger_lines set source = 'companion'
       where own and id in (select id from checked where own)`,
    );
  }
  for (const table of ['effective', 'checked']) await connection.run(`drop table ${table}`);
}
