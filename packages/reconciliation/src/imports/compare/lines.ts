import { PARQUET_OPTIONS } from '../read/index.ts';
import { rm } from 'node:fs/promises';
import { openToRead, writeNewFile } from '@financing-checkout/kit/files';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import type { FactStore, LedgerImportFact } from '../../facts/store.ts';
import { sqlText } from '../../platform/temporary-files.ts';

/** Columns of an imported line; `id` is the result of `lineId`. */
const lineColumns = `{
  number: 'BIGINT', id: 'VARCHAR', order_key: 'VARCHAR', merchant_order_id: 'VARCHAR', currency: 'VARCHAR',
  type: 'VARCHAR', amount: 'BIGINT', occurred_at: 'BIGINT', transaction_id: 'VARCHAR',
  merchant_transaction_id: 'VARCHAR', charge_id: 'VARCHAR', lender_reference_id: 'VARCHAR'
}`;
const lineNames = `number, id, order_key, merchant_order_id, currency, type, amount, occurred_at,
  transaction_id, merchant_transaction_id, charge_id, lender_reference_id`;

const PARQUET = 'PAR1';
const ZSTD = '28b52ffd';

/** Returns whether a file of lines is Parquet, judging by its first bytes. */
export async function isParquet(file: string): Promise<boolean> {
  return (await firstBytes(file)).toString('latin1') === PARQUET;
}

/**
 * Returns SQL that reads a file of lines: Parquet, NDJSON, or the compressed NDJSON of an import's
 * content.
 */
export async function linesIn(file: string): Promise<string> {
  if (await isParquet(file)) return `read_parquet(${sqlText(file)})`;
  const compression = (await firstBytes(file)).toString('hex') === ZSTD ? 'zstd' : 'uncompressed';
  return `read_json(${sqlText(file)}, format = 'newline_delimited', columns = ${lineColumns},
    compression = '${compression}')`;
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await openToRead(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Writes an import's content to a private file for the duration of a task. */
export async function withContent(
  facts: Pick<FactStore, 'importContent'>,
  id: string,
  base: string,
  read: (lines: string) => Promise<unknown>,
): Promise<void> {
  // DuckDB caches file contents by name, so each file has a unique name.
  const file = `${base}.${id}`;
  try {
    await writeNewFile(file, await facts.importContent(id));
    await read(await linesIn(file));
  } finally {
    await rm(file, { force: true });
  }
}

/** Writes the lines of several files to one. */
export async function joinLines(
  connection: DuckDBConnection,
  files: readonly string[],
  to: string,
): Promise<void> {
  const parts = await Promise.all(files.map(linesIn));
  const selected = parts.map((part) => `select ${lineNames} from ${part} where id is not null`);
  await connection.run(
    `copy (${selected.join(' union all ')}) to ${sqlText(to)} ${PARQUET_OPTIONS}`,
  );
}

/**
 * Creates the view `incoming` of all lines in a file, and the table `staged` of lines that need a
 * comparison, because one of their IDs or their order is in the ledger, or in the file more than
 * once. {@link dropStaged} removes them.
 */
export async function stageLines(connection: DuckDBConnection, file: string): Promise<void> {
  const source = await linesIn(file);
  if (await isParquet(file)) {
    await connection.run(`create temp view incoming as from ${source}`);
  } else {
    // NDJSON takes longer to read than a table, and the view is read several times.
    await connection.run(`create temp table incoming_lines as from ${source}`);
    await connection.run('create temp view incoming as from incoming_lines');
  }
  // A hash collision only adds lines to the comparison.
  await connection.run(`
    create or replace temp table staged as
    with meeting as (
      select number from incoming where hash(id) in (
        select hash(id) from incoming group by all having count(*) > 1)
      union all
      select number from incoming where hash(order_key) in (
        select hash(order_key) from incoming group by all
        having bool_or(starts_with(id, 'm:')) and bool_or(starts_with(id, 't:')))
      union all select number from incoming semi join ledger_lines using (id)
      union all select number from incoming semi join ledger_lines using (order_key)
      union all select number from incoming semi join authorizations using (order_key)
    )
    from incoming semi join meeting using (number)`);
}

/** Drops what {@link stageLines}, {@link checkStaged} and {@link compareAll} created. */
export async function dropStaged(connection: DuckDBConnection): Promise<void> {
  await connection.run('drop view if exists compared');
  await connection.run('drop table if exists checked');
  await connection.run('drop table if exists staged');
  await connection.run('drop view if exists incoming');
  await connection.run('drop table if exists incoming_lines');
}

/**
 * Returns an SQL condition that is true if two lines with the same id contradict each other.
 * Ignores dates, because sources round them, and absent fields.
 */
const differs = (one: string, other: string) => `coalesce(
  ${one}.order_key <> ${other}.order_key or ${one}.currency <> ${other}.currency
  or ${one}.amount <> ${other}.amount or ${one}.transaction_id <> ${other}.transaction_id, false)`;

/**
 * Creates `checked`: each line of the table `staged`, compared with the ledger and the file.
 *
 * - `first`: number of the file's first line with the same id.
 * - `present`, `conflicts`: an existing line has the same id, or has it with different content.
 * - `duplicate`, `duplicate_conflicts`: another line in the ledger or file refers to the same
 *   transaction by another id, or does so with different content.
 * - `own`, `own_alone`: the companion has the line, or only the companion has it.
 * - `other`: number of the line in the file that this line repeats or contradicts.
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

/** Creates the view `compared`: the lines of `checked`, and all other lines of `incoming`. */
export const compareAll = `
create or replace temp view compared as
from checked
union all by name
select *, number as first, 1::bigint as ordinal, false as present, false as conflicts, false as own,
  false as own_alone, false as duplicate, false as duplicate_conflicts,
  false as conflicts_with_first, null::bigint as other
from incoming anti join staged using (number)`;

/** Lines of `compared` to add: each once, and only those that do not exist yet. */
const added = `from compared where ordinal = 1 and not present and not duplicate`;
/** Lines of `compared` to withdraw: existing lines that the companion does not have. */
const withdrawn = `from compared where ordinal = 1 and present and not own and not conflicts`;

/** Effects of an import on the staged lines. */
export const effects = {
  add: {
    lines: added,
    content: added,
    differs: 'conflicts or duplicate_conflicts or conflicts_with_first',
    repeated: 'present or duplicate or ordinal > 1',
  },
  withdraw: {
    lines: withdrawn,
    /** Includes lines that the companion also has: the import no longer contains them. */
    content: 'from compared where ordinal = 1 and present and not own_alone and not conflicts',
    differs: '(not own and conflicts) or conflicts_with_first',
    repeated: 'not present or own or conflicts or ordinal > 1',
  },
} as const;

/**
 * Permanent format of an import's content. NDJSON is smaller than Parquet, but takes a third longer
 * to write and read.
 */
export const CONTENT_OPTIONS = '(format json, compression zstd, use_tmp_file false)';

/** Writes all lines of a file as an import's content. */
export async function copyToContent(
  connection: DuckDBConnection,
  from: string,
  to: string,
): Promise<void> {
  await connection.run(
    `copy (select ${lineNames} from ${await linesIn(from)}) to ${sqlText(to)} ${CONTENT_OPTIONS}`,
  );
}

/** Writes selected lines of `compared` as an import's content. @returns the number of lines */
export async function writeContent(
  connection: DuckDBConnection,
  selected: string,
  file: string,
): Promise<number> {
  const written = await connection.runAndReadAll(
    `copy (select * exclude (first, ordinal, present, conflicts, own, own_alone, duplicate,
       duplicate_conflicts, conflicts_with_first, other) ${selected})
     to ${sqlText(file)} ${CONTENT_OPTIONS}`,
  );
  return Number(written.getRows()[0]?.[0]);
}

export type ImportAction = keyof typeof effects;

/**
 * Applies an import's content. Later entries from the companion take precedence, so it does not
 * matter which of the two is read first.
 * @param file file with the lines that take effect
 */
export async function applyLines(
  connection: DuckDBConnection,
  file: string,
  { action, source, actor, at }: Pick<LedgerImportFact, 'action' | 'source' | 'actor' | 'at'>,
): Promise<void> {
  await stageLines(connection, file);
  await connection.run(checkStaged);
  await connection.run(compareAll);
  const { lines } = effects[action];
  await connection.run(`insert into dirty_orders select distinct order_key ${lines}`);
  if (action === 'add') {
    await connection.run(
      `insert into ledger_lines
       select order_key, hash_of_key(order_key), currency, id, merchant_order_id, type, amount,
         occurred_at, transaction_id, merchant_transaction_id, charge_id, lender_reference_id, $1, false ${lines}`,
      [source],
    );
  } else {
    await connection.run(
      `insert into withdrawn_lines
       select b.order_key, b.id, b.type, b.amount, b.currency, $1::bigint, $2
       from ledger_lines b where b.id in (select id ${lines})`,
      [BigInt(at), actor ?? null],
    );
    await connection.run(`delete from ledger_lines where id in (select id ${lines})`);
    // Lines that the companion also has stay, but only as its own.
    await connection.run(
      `update ledger_lines set source = 'companion'
       where own and id in (select id from checked where own)`,
    );
  }
  await dropStaged(connection);
}
