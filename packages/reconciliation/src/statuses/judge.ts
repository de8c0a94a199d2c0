import type { DuckDBConnection } from '@duckdb/node-api';
import type { Policy } from '@financing-checkout/reconciliation-rules';
import { meta, setMeta } from '../analytics/database.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Database } from '../analytics/session.ts';
import { appendColumns } from './append.ts';
import type { JudgedChunk } from './judge-chunk.ts';
import { type JudgedTableName, judgedTables, tablesOfOrders } from './judged-tables.ts';
import { fundingColumns, ledgerColumns, MOST_LINES_OF_ONE } from './order-lines.ts';
import { type JudgingPolicy, policyHash } from './policy.ts';
import type { ChunkJudge } from './rules-thread.ts';
import { listOrders, type Sources, triage, writePaid, writeTerms } from './triage.ts';

/**
 * Changes with the rules of @financing-checkout/reconciliation-rules: after it all orders are judged
 * again.
 */
export const RULES_VERSION = 9;

export interface JudgeOptions {
  policy: JudgingPolicy;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether every day since the oldest line of the ledger is proven: see `Policy`. */
  complete: boolean;
  /** Judges all orders, whatever changed, and compares: once a day. @default false */
  all?: boolean;
  rules: ChunkJudge;
  signal?: AbortSignal;
  /** Orders and lines in memory at once; smaller ones in tests. */
  sizes?: Partial<Sizes>;
}

interface Sizes {
  /** Rows of fundings and ledger that one statement takes on. */
  partRows: number;
  /** Lines that the rules are given at once. */
  chunkLines: number;
}

/** Joins of as many rows stay within 256 MB of memory. */
const defaultSizes: Sizes = { partRows: 300_000, chunkLines: 20_000 };

export interface JudgeResult {
  /** Whether all orders were judged. */
  all: boolean;
  /** Orders judged, and those of them that the rules judged one by one. */
  judged: number;
  byRules: number;
  /** Orders whose headline is another one than before. */
  changed: number;
  /** Orders that cannot be summed exactly, or have too many lines: they have no status. */
  failed: number;
  /** Orders that stood otherwise although no line, hour or rule had changed: an alarm. */
  unexplained: number;
}

/**
 * Brings statuses up to date with the lines: orders that are marked, and those that time may have
 * changed; all of them after the rules, the policy or the completeness of the data changed. The rows of
 * the judged orders are replaced and their marks removed in one transaction; a mark that another
 * connection makes in between is not seen by it, and stays.
 */
export function judge(database: Database, options: JudgeOptions): Promise<JudgeResult> {
  return database.write((connection) => new Pass(connection, options).run(), options.signal);
}

/** Whether a pass would judge an order. */
export function isJudgingDue(
  database: Pick<Database, 'read'>,
  { policy, now, complete }: Pick<JudgeOptions, 'policy' | 'now' | 'complete'>,
): Promise<boolean> {
  return database.read(async (connection) => {
    if ((await meta(connection, metaKeys.judgedBy)) !== rulesOf(policy)) return true;
    if ((await meta(connection, metaKeys.judgedComplete)) !== String(complete)) return true;
    const found = await connection.runAndReadAll(
      `select exists (from dirty_orders) or exists (from order_statuses where recheck_at <= ${now})`,
    );
    return found.getRows()[0]?.[0] === true;
  });
}

function rulesOf(policy: JudgingPolicy): string {
  return `${RULES_VERSION} ${policyHash(policy)}`;
}

/** Beyond this share of all orders it is faster to judge them all. */
const MOST_MARKED = 0.25;

class Pass {
  readonly #connection: DuckDBConnection;
  readonly #options: JudgeOptions;
  readonly #policy: Policy;
  readonly #sizes: Sizes;
  #judged = 0;
  readonly #result: JudgeResult = {
    ...{ all: false, judged: 0, byRules: 0, changed: 0, failed: 0, unexplained: 0 },
  };

  constructor(connection: DuckDBConnection, options: JudgeOptions) {
    const { tolerance, slaDays, aliases, contracts } = options.policy;
    const { now, complete } = options;
    this.#connection = connection;
    this.#options = options;
    this.#policy = { tolerance, slaDays, aliases, contracts, now, complete };
    this.#sizes = { ...defaultSizes, ...options.sizes };
  }

  async run(): Promise<JudgeResult> {
    const connection = this.#connection;
    const { policy, now, complete, all = false } = this.#options;
    const rules = rulesOf(policy);
    const isAsBefore =
      (await meta(connection, metaKeys.judgedBy)) === rules &&
      (await meta(connection, metaKeys.judgedComplete)) === String(complete);
    this.#judged = Number((await meta(connection, metaKeys.judged)) ?? 0) + 1;
    await this.#listMarked();
    const marked = await this.#count('pass_keys');
    const isMost = marked > 1_000 && marked > MOST_MARKED * (await this.#count('order_statuses'));
    this.#result.all = all || !isAsBefore || isMost;
    await setMeta(connection, metaKeys.judgedAt, String(now));
    if (this.#result.all) {
      await this.#judgeAll(all && isAsBefore);
      await setMeta(connection, metaKeys.judgedBy, rules);
      await setMeta(connection, metaKeys.judgedComplete, String(complete));
      await setMeta(connection, metaKeys.judgedAllAt, String(now));
    } else if (marked > 0) {
      await this.#judgeMarked(marked);
    } else {
      return this.#result;
    }
    await setMeta(connection, metaKeys.judged, String(this.#judged));
    for (const table of ['keys', 'terms', 'orders', 'paid', 'others', 'fundings', 'ledger']) {
      await connection.run(`drop table if exists temp.pass_${table}`);
    }
    return this.#result;
  }

  /** Lists the orders that are marked, and those that time may have changed, in `pass_keys`. */
  async #listMarked(): Promise<void> {
    await this.#connection.run(`
      create or replace temp table pass_keys as
      select order_key from dirty_orders
      union select order_key from order_statuses where recheck_at <= ${this.#policy.now}`);
  }

  /** @param isCheck whether statuses that differ without a reason are counted */
  async #judgeAll(isCheck: boolean): Promise<void> {
    const connection = this.#connection;
    for (const table of tablesOfOrders) {
      if (table !== 'order_statuses') await connection.run(`delete from ${table}`);
    }
    await writeTerms(connection, 'fundings', this.#policy);
    const rows = (await this.#count('fundings')) + (await this.#count('ledger_lines'));
    const before = `judged < ${this.#judged}`;
    await this.#parts(rows, async (part) => {
      await this.#judgePart({
        fundings: `(select * from fundings ${where(part)})`,
        ledger: `(select * from ledger_lines ${where(part)})`,
        statuses: `(select * from order_statuses ${where(part, before)})`,
      });
      if (isCheck) await this.#countUnexplained(part);
    });
    await connection.run(`delete from order_statuses where ${before}`);
    await connection.run('delete from dirty_orders');
  }

  async #judgeMarked(marked: number): Promise<void> {
    const connection = this.#connection;
    await this.#parts(marked * 4, async (part) => {
      const keys = `(select order_key from pass_keys ${where(part)})`;
      for (const [name, table] of [
        ['pass_fundings', 'fundings'],
        ['pass_ledger', 'ledger_lines'],
      ] as const) {
        await connection.run(
          `create or replace temp table ${name} as
          select t.* from ${table} t semi join ${keys} k on k.order_key = t.order_key`,
        );
      }
      await writeTerms(connection, 'pass_fundings', this.#policy);
      await this.#judgePart(
        {
          fundings: 'pass_fundings',
          ledger: 'pass_ledger',
          statuses: `(select t.* from order_statuses t semi join ${keys} k on k.order_key = t.order_key)`,
        },
        async () => {
          for (const table of tablesOfOrders) {
            await connection.run(`delete from ${table} where order_key in ${keys}`);
          }
        },
      );
    });
    await connection.run('delete from dirty_orders where order_key in (from pass_keys)');
  }

  /** Works through all orders in parts, by a hash of their keys, so that no join outgrows the memory. */
  async #parts(rows: number, work: (part: string) => Promise<void>): Promise<void> {
    const count = Math.max(1, Math.ceil(rows / this.#sizes.partRows));
    for (let part = 0; part < count; part++) {
      this.#options.signal?.throwIfAborted();
      await work(count === 1 ? '' : `hash(order_key) % ${count} = ${part}`);
    }
  }

  /** @param replace removes what the orders had, once their old statuses are known */
  async #judgePart(sources: Sources, replace?: () => Promise<void>): Promise<void> {
    const connection = this.#connection;
    const terms = { judged: this.#judged, now: this.#policy.now };
    await listOrders(connection, sources);
    await replace?.();
    await triage(connection, sources, this.#policy);
    await writePaid(connection, terms);
    const [paid] = await this.#row(
      `select count(distinct (order_key, currency)) from pass_paid where paired
      union all select count(*) from pass_paid where not paired`,
      'sum',
    );
    await this.#judgeOthers(sources);
    const [changed] = await this.#row(
      `select count(*) from pass_orders o
      left join (select * from order_statuses where judged = ${this.#judged}) s
        on s.order_key = o.order_key and s.currency = o.currency
      where s.headline is distinct from o.headline`,
    );
    this.#result.judged += paid ?? 0;
    this.#result.changed += changed ?? 0;
  }

  /** Lists the orders that are not plainly paid in `pass_others`, and has them judged by the rules. */
  async #judgeOthers(sources: Sources): Promise<void> {
    const connection = this.#connection;
    const { chunkLines } = this.#sizes;
    await connection.run(`
      create or replace temp table pass_others as
      select *, (sum(fundings + lines) over (order by order_key, currency
          rows between unbounded preceding and current row) // ${chunkLines})::integer as chunk
      from (
        select o.*, u.order_key is not null as unplaced,
          greatest(sum(o.fundings) over (partition by o.order_key),
            sum(o.lines) over (partition by o.order_key)) > ${MOST_LINES_OF_ONE} as too_long
        from pass_orders o
        anti join pass_paid p on p.order_key = o.order_key and p.currency = o.currency
        left join (select distinct order_key from ${sources.fundings}
          where problem is not null or currency = '' or assumed) u on u.order_key = o.order_key
        where o.fundings + o.lines > 0)
      where not too_long`);
    const [others = 0, chunks = 0] = await this.#row(
      'select count(*), coalesce(max(chunk) + 1, 0) from pass_others',
    );
    const [tooLong = 0] = await this.#row(`
      select count(*) from pass_orders o
      anti join pass_paid p on p.order_key = o.order_key and p.currency = o.currency
      anti join pass_others r on r.order_key = o.order_key and r.currency = o.currency
      where o.fundings + o.lines > 0`);
    this.#result.judged += others;
    this.#result.byRules += others;
    this.#result.failed += tooLong;
    // While the rules judge one chunk, the lines of the next one are read.
    let underWay: Promise<JudgedChunk> | undefined;
    try {
      for (let chunk = 0; chunk < chunks; chunk++) {
        this.#options.signal?.throwIfAborted();
        const lines = await this.#linesOf(sources, chunk);
        const before = underWay;
        underWay = this.#options.rules.judge(lines, { policy: this.#policy, judged: this.#judged });
        underWay.catch(() => undefined);
        if (before) await this.#append(await before);
      }
      if (underWay) await this.#append(await underWay);
    } finally {
      await underWay?.catch(() => undefined);
    }
  }

  async #linesOf(sources: Sources, chunk: number) {
    const columnsOf = async (sql: string) =>
      (await this.#connection.runAndReadAll(sql)).getColumns();
    const of = (table: string, alias: string) =>
      `from ${table} ${alias} semi join (select * from pass_others where chunk = ${chunk}) o
      on o.order_key = ${alias}.order_key and o.currency = ${alias}.currency`;
    return {
      orders: await columnsOf(`select order_key, currency, headline, changed_at::double, unplaced
        from pass_others where chunk = ${chunk}`),
      fundings: await columnsOf(
        `select ${fundingColumns} ${of(sources.fundings, 'f')} where f.problem is null`,
      ),
      ledger: await columnsOf(`select ${ledgerColumns} ${of(sources.ledger, 'l')}`),
    };
  }

  async #append({ rows, failed }: JudgedChunk): Promise<void> {
    this.#result.failed += failed;
    for (const name of Object.keys(judgedTables) as JudgedTableName[]) {
      await appendColumns(this.#connection, judgedTables[name], rows[name]);
    }
  }

  /** Counts orders without a mark whose status is not the one that was there. */
  async #countUnexplained(part: string): Promise<void> {
    const compared = ['funding', 'returns', 'headline', 'expected_settle', 'expected_refund']
      .concat(['funded_settle', 'funded_refund', 'funded_chargeback', 'funded_reversal'])
      .concat(['discount', 'net', 'awaiting', 'recheck_at']);
    const is = (sign: string) => `judged ${sign} ${this.#judged}`;
    const [count = 0] = await this.#row(`
      select count(*)
      from (select * from order_statuses ${where(part, is('<'))}) b
      full join (select * from order_statuses ${where(part, is('='))}) n
        on n.order_key = b.order_key and n.currency = b.currency
      where coalesce(b.order_key, n.order_key) not in (from pass_keys)
        and (b.order_key is null or n.order_key is null
          or ${compared.map((name) => `b.${name} is distinct from n.${name}`).join(' or ')})`);
    this.#result.unexplained += count;
  }

  async #count(table: string): Promise<number> {
    const [count = 0] = await this.#row(`select count(*) from ${table}`);
    return count;
  }

  /** The numbers of the first row; with `sum`, the sum of the first numbers of all rows. */
  async #row(sql: string, how: 'first' | 'sum' = 'first'): Promise<number[]> {
    const rows = (await this.#connection.runAndReadAll(sql)).getRows();
    const numbers = rows.map((row) => row.map(Number));
    return how === 'first'
      ? (numbers[0] ?? [])
      : [numbers.reduce((sum, [first = 0]) => sum + first, 0)];
  }
}

function where(...conditions: string[]): string {
  const all = conditions.filter((condition) => condition !== '');
  return all.length === 0 ? '' : `where ${all.join(' and ')}`;
}
