import type { DuckDBConnection } from '../platform/duckdb.ts';
import { appendColumns } from './append.ts';
import type { Batch, JudgedBatch, PassTerms } from './judge-batch.ts';
import { type JudgedTableName, judgedTables } from './judged-tables.ts';
import { fundingColumns, ledgerColumns } from './order-lines.ts';
import type { BatchJudge } from './rules-thread.ts';

/** Temporary tables of {@link judgeOthers}, named `pass_…`. */
export const tablesOfOthers = ['batches', 'f', 'l', 'u'];

interface Work {
  rules: BatchJudge;
  terms: PassTerms;
  /** Number of lines per message to the rules. */
  batchLines: number;
  signal: AbortSignal | undefined;
}

/**
 * Judges the orders in the temporary table `pass_others` by the rules, in batches, and empties the
 * table.
 * @returns the number of judged orders, and of orders that cannot be judged
 */
export async function judgeOthers(
  connection: DuckDBConnection,
  work: Work,
): Promise<{ byRules: number; failed: number }> {
  await connection.run(`
    create or replace temp table pass_batches as
    select *, (sum(fundings + lines) over (order by order_key, currency
      rows between unbounded preceding and current row) // ${work.batchLines})::integer as batch
    from pass_others where not too_long`);
  const counts = await connection.runAndReadAll(`
    select count(*), coalesce(max(batch) + 1, 0),
      (select count(*) from pass_others where too_long) from pass_batches`);
  const [others = 0, batches = 0, tooLong = 0] = counts.getRows()[0]?.map(Number) ?? [];
  await connection.run('delete from pass_others');
  if (others === 0) return { byRules: 0, failed: tooLong };
  await stageLines(connection);
  let failed = tooLong;
  const append = async (judged: JudgedBatch) => {
    failed += judged.failed;
    for (const name of Object.keys(judgedTables) as JudgedTableName[]) {
      await appendColumns(connection, judgedTables[name], judged.rows[name]);
    }
  };
  // Reads the next batch's lines while the rules judge the current batch.
  let running: Promise<JudgedBatch> | undefined;
  try {
    for (let batch = 0; batch < batches; batch++) {
      work.signal?.throwIfAborted();
      const lines = await linesOf(connection, batch);
      const before = running;
      running = work.rules.judge(lines, work.terms);
      running.catch(() => undefined);
      if (before) await append(await before);
    }
    if (running) await append(await running);
  } finally {
    await running?.catch(() => undefined);
  }
  return { byRules: others, failed };
}

async function stageLines(connection: DuckDBConnection): Promise<void> {
  const of = (table: string, alias: string, columns: string, on: string) =>
    connection.run(`
      create or replace temp table pass_${alias} as select ${columns}, c.batch
      from ${table} ${alias} join pass_batches c on c.order_key = ${alias}.order_key and ${on}`);
  await of('fundings', 'f', fundingColumns, 'c.currency = f.currency where f.problem is null');
  await of('ledger_lines', 'l', ledgerColumns, 'c.currency = l.currency');
  // A funding of unknown currency may pay a line in any of its order's currencies.
  await of(
    'fundings',
    'u',
    'u.order_key, c.currency, u.transaction_type, u.status, u.transaction_amount::double',
    `c.currency <> '' where u.currency = '' and u.problem is null`,
  );
}

async function linesOf(connection: DuckDBConnection, batch: number): Promise<Batch> {
  const columnsOf = async (columns: string, table: string) =>
    (
      await connection.runAndReadAll(`select ${columns} from pass_${table} where batch = ${batch}`)
    ).getColumns();
  return {
    orders: await columnsOf(
      'order_key, hash_of_key(order_key), currency, headline, changed_at::double, unplaced, assumed',
      'batches',
    ),
    fundings: await columnsOf('* exclude (batch)', 'f'),
    ledger: await columnsOf('* exclude (batch)', 'l'),
    unplaced: await columnsOf('* exclude (batch)', 'u'),
  };
}
