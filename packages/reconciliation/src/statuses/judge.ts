import type { DuckDBConnection } from '../platform/duckdb.ts';
import type { Policy } from '@financing-checkout/reconciliation-rules';
import { meta, setMeta } from '../analytics/database.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Database } from '../analytics/session.ts';
import { compareTexts } from '@financing-checkout/reconciliation-rules';
import { tablesOfOrders } from './judged-tables.ts';
import { type LedgerStartAnswers, readLedgerStarts } from './ledger-starts.ts';
import { judgeOthers, tablesOfOthers } from './judge-others.ts';
import { MOST_LINES_OF_ONE } from './order-lines.ts';
import { type JudgingPolicy, policyHash } from './policy.ts';
import type { BatchJudge } from './rules-thread.ts';
import { rulesVersion } from './rules-version.ts';
import { type Part, stagePart, triage, writePaid, writeTerms, writeWaiting } from './triage.ts';

export interface JudgeOptions {
  policy: JudgingPolicy;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether every day since the oldest ledger line is proven: see `Policy`. */
  complete: boolean;
  /** @default none */
  ledgerAnswers?: LedgerStartAnswers;
  /**
   * Whether to judge all orders, changed or not, and compare the results; done once a day. @default
   * false
   */
  all?: boolean;
  /**
   * Whether to judge only the marked orders: during a sync, the next page would make a pass over
   * all orders obsolete. @default false
   */
  defersAll?: boolean;
  rules: BatchJudge;
  signal?: AbortSignal;
  /** Limits for orders and lines in memory; smaller in tests. */
  sizes?: Partial<Sizes>;
}

interface Sizes {
  /** Number of funding and ledger rows per statement. */
  shardRows: number;
  /** Number of lines per message to the rules. No request is served while a message is converted. */
  batchLines: number;
  /** Number of order lines to collect for the rules. */
  pendingLines: number;
}

/** Joins of this many rows take less than 256 MB of memory. */
const defaultSizes: Sizes = { shardRows: 400_000, batchLines: 5_000, pendingLines: 200_000 };

export interface JudgeResult {
  /** Whether a pass over all orders is pending. */
  deferred: boolean;
  /** Whether all orders were judged. */
  all: boolean;
  /** Number of judged orders, and of those that the rules judged individually. */
  judged: number;
  byRules: number;
  /** Number of orders with a new headline. */
  changed: number;
  /**
   * Number of orders that have no status because their totals are not exact or they have too many
   * lines.
   */
  failed: number;
  /**
   * Number of orders whose status changed although no line, time or rule did; should raise an
   * alarm.
   */
  unexplained: number;
}

/**
 * Updates the statuses of marked orders and of orders whose status may have changed over time; of
 * all orders if the rules, the policy or the completeness of the data changed. One transaction
 * replaces the judged orders' rows and removes their marks; a mark that another connection sets in
 * the meantime stays.
 */
export function judge(database: Database, options: JudgeOptions): Promise<JudgeResult> {
  return database.write((connection) => new Pass(connection, options).run(), options.signal);
}

/** Returns whether a pass would judge an order. */
export function isJudgingDue(
  database: Pick<Database, 'read'>,
  options: Pick<JudgeOptions, 'policy' | 'now' | 'complete' | 'ledgerAnswers'>,
): Promise<boolean> {
  const { policy, now, complete, ledgerAnswers } = options;
  return database.read(async (connection) => {
    const isStated = (await meta(connection, metaKeys.defaultStated)) === 'true';
    if ((await meta(connection, metaKeys.judgedBy)) !== rulesOf(policy, isStated)) return true;
    if ((await meta(connection, metaKeys.judgedComplete)) !== String(complete)) return true;
    const answers = answersText(ledgerAnswers);
    if (((await meta(connection, metaKeys.judgedAnswers)) ?? answersText()) !== answers)
      return true;
    const found = await connection.runAndReadAll(
      `select exists (from dirty_orders) or exists (from order_statuses where recheck_at <= ${now})`,
    );
    return found.getRows()[0]?.[0] === true;
  });
}

/** @param isStated whether the merchant declared the default currency */
function rulesOf(policy: JudgingPolicy, isStated: boolean): string {
  return `${rulesVersion()} ${policyHash(policy)} ${isStated ? 'stated' : 'guessed'}`;
}

function answersText(answers: LedgerStartAnswers = new Map()): string {
  return JSON.stringify([...answers].sort(([a], [b]) => compareTexts(a, b)));
}

/**
 * If a larger fraction of all orders is marked, judging all of them is faster, unless that would
 * soon be repeated.
 */
const MOST_MARKED = 0.25;
/** Estimated cost of judging a marked order, in lines. */
const LINES_OF_ORDER = 4;

/** Temporary tables of a pass, named `pass_…`. */
const passTables = ['keys', 'terms', 'fundings', 'ledger', 'orders', 'joined', 'paid'].concat(
  'waiting',
  'late',
  'others',
  tablesOfOthers,
);

class Pass {
  readonly #connection: DuckDBConnection;
  readonly #options: JudgeOptions;
  #policy: Policy;
  readonly #sizes: Sizes;
  #judged = 0;
  #isStated = false;
  readonly #result: JudgeResult = {
    deferred: false,
    all: false,
    judged: 0,
    byRules: 0,
    changed: 0,
    failed: 0,
    unexplained: 0,
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
    const { policy, now, complete, all = false, defersAll = false, ledgerAnswers } = this.#options;
    this.#isStated = (await meta(connection, metaKeys.defaultStated)) === 'true';
    const rules = rulesOf(policy, this.#isStated);
    const isAsBefore = (await meta(connection, metaKeys.judgedBy)) === rules;
    if (defersAll && !isAsBefore) return { ...this.#result, deferred: true };
    const isAsComplete = (await meta(connection, metaKeys.judgedComplete)) === String(complete);
    const { starts, text: ledger } = await readLedgerStarts(connection, ledgerAnswers);
    const isAsLedger = (await meta(connection, metaKeys.judgedLedger)) === ledger;
    this.#policy = { ...this.#policy, ledgerStarts: starts };
    this.#judged = Number((await meta(connection, metaKeys.judged)) ?? 0) + 1;
    for (const table of passTables) await connection.run(`drop table if exists temp.pass_${table}`);
    await this.#listMarked();
    if (!isAsComplete) await this.#listUnpaid();
    if (!isAsLedger) await this.#listUnrecorded();
    const marked = await this.#count('pass_keys');
    const isMost = marked > 1_000 && marked > MOST_MARKED * (await this.#count('order_statuses'));
    this.#result.all = all || !isAsBefore || (isMost && !defersAll);
    await setMeta(connection, metaKeys.judgedAt, String(now));
    await setMeta(connection, metaKeys.judgedComplete, String(complete));
    await setMeta(connection, metaKeys.judgedLedger, ledger);
    await setMeta(connection, metaKeys.judgedAnswers, answersText(ledgerAnswers));
    if (this.#result.all) {
      await this.#judgeAll(all && isAsBefore && isAsComplete && isAsLedger);
      await setMeta(connection, metaKeys.judgedBy, rules);
      await setMeta(connection, metaKeys.judgedAllAt, String(now));
    } else if (marked > 0) {
      await this.#judgeMarked(marked);
    } else {
      return this.#result;
    }
    await this.#judgeBeforeLedger(ledger);
    const [changed = 0] = await this.#row(
      `select count(*) from order_statuses where judged = ${this.#judged} and changed_at = ${now}`,
    );
    this.#result.changed += changed;
    await setMeta(connection, metaKeys.judged, String(this.#judged));
    for (const table of passTables) {
      await connection.run(`drop table if exists temp.pass_${table}`);
    }
    return this.#result;
  }

  /** Lists marked orders, and orders whose status may have changed over time, in `pass_keys`. */
  async #listMarked(): Promise<void> {
    await this.#connection.run(`
      create or replace temp table pass_keys as
      select order_key from dirty_orders
      union select order_key from order_statuses where recheck_at <= ${this.#policy.now}`);
  }

  /**
   * Adds the orders that are not plainly paid to `pass_keys`. The completeness of the data does not
   * affect the others.
   */
  async #listUnpaid(): Promise<void> {
    await this.#connection.run(`
      insert into pass_keys
      select distinct order_key from order_statuses s
      where not exists (select 1 from paid_lines p
          where p.order_key = s.order_key and p.currency = s.currency)
        and order_key not in (from pass_keys)`);
  }

  /** Adds orders with fundings that no ledger line expects to `pass_keys`. */
  async #listUnrecorded(): Promise<void> {
    await this.#connection.run(`
      insert into pass_keys
      from (select order_key from order_statuses where expected_settle = 0
        union select order_key from cash_flows where step = 'other')
      where order_key not in (from pass_keys)`);
  }

  /**
   * Judges orders with unexpected fundings again if the pass has determined a lender's ledger
   * start. Only a matched funding names a ledger line's lender.
   */
  async #judgeBeforeLedger(before: string): Promise<void> {
    const { ledgerAnswers } = this.#options;
    const { starts, text } = await readLedgerStarts(this.#connection, ledgerAnswers);
    if (text === before) return;
    this.#policy = { ...this.#policy, ledgerStarts: starts };
    await setMeta(this.#connection, metaKeys.judgedLedger, text);
    await this.#connection.run('delete from pass_keys');
    await this.#listUnrecorded();
    const marked = await this.#count('pass_keys');
    if (marked === 0) return;
    // The pass has already counted these orders.
    const { judged, byRules } = this.#result;
    await this.#judgeMarked(marked);
    Object.assign(this.#result, { judged, byRules });
  }

  /** @param isCheck whether to count statuses that changed without a reason */
  async #judgeAll(isCheck: boolean): Promise<void> {
    const connection = this.#connection;
    for (const table of tablesOfOrders) {
      if (table !== 'order_statuses') await connection.run(`delete from ${table}`);
    }
    await writeTerms(connection, 'fundings', this.#policy);
    const rows = (await this.#count('fundings')) + (await this.#count('ledger_lines'));
    const before = `judged < ${this.#judged}`;
    await this.#parts(rows, async (condition) => {
      await this.#judgePart({ condition, keys: undefined, before });
    });
    await this.#judgeOthers();
    if (isCheck) await this.#parts(rows, (condition) => this.#countUnexplained(condition));
    await connection.run(`delete from order_statuses where ${before}`);
    await connection.run('delete from dirty_orders');
  }

  async #judgeMarked(marked: number): Promise<void> {
    const connection = this.#connection;
    await writeTerms(
      connection,
      '(from fundings where order_key in (from pass_keys))',
      this.#policy,
    );
    await this.#parts(marked * LINES_OF_ORDER, async (condition) => {
      const keys = `(select order_key from pass_keys ${where(condition)})`;
      await this.#judgePart({ condition: '', keys, before: 'true' }, async () => {
        for (const table of tablesOfOrders) {
          await connection.run(`delete from ${table} where order_key in ${keys}`);
        }
      });
    });
    await this.#judgeOthers();
    await connection.run('delete from dirty_orders where order_key in (from pass_keys)');
  }

  /** Processes all orders in shards by key hash, so that no join exceeds the memory limit. */
  async #parts(rows: number, work: (condition: string) => Promise<void>): Promise<void> {
    const count = Math.max(1, Math.ceil(rows / this.#sizes.shardRows));
    for (let part = 0; part < count; part++) {
      this.#options.signal?.throwIfAborted();
      await work(count === 1 ? '' : `hash(order_key) % ${count} = ${part}`);
    }
  }

  /** @param replace removes the orders' old rows after their old statuses have been read */
  async #judgePart(part: Part, replace?: () => Promise<void>): Promise<void> {
    const connection = this.#connection;
    const policy = this.#policy;
    await stagePart(connection, { ...part, isStated: this.#isStated, policy });
    await replace?.();
    await triage(connection, policy);
    await writePaid(connection, { judged: this.#judged, now: policy.now });
    await writeWaiting(connection, policy, { judged: this.#judged, now: policy.now });
    const [orders = 0, gone = 0] = await this.#row(`
      select count(*), count(*) filter (fundings + lines = 0) from pass_orders`);
    const lines = await this.#addOthers();
    this.#result.judged += orders - gone;
    this.#result.changed += gone;
    if (lines >= this.#sizes.pendingLines) await this.#judgeOthers();
  }

  /**
   * Adds a shard's orders that are not plainly paid to `pass_others`.
   * @returns the number of lines of all orders in `pass_others`
   */
  async #addOthers(): Promise<number> {
    await this.#connection.run(`
      create temp table if not exists pass_others (order_key varchar, currency varchar, fundings integer,
        lines integer, headline varchar, changed_at bigint, assumed boolean, unplaced boolean,
        too_long boolean)`);
    await this.#connection.run(`
      insert into pass_others
      select o.order_key, o.currency, o.fundings, o.lines, o.headline, o.changed_at, o.assumed,
        u.order_key is not null,
        greatest(sum(o.fundings) over (partition by o.order_key),
          sum(o.lines) over (partition by o.order_key)) > ${MOST_LINES_OF_ONE}
      from pass_orders o
      anti join (
        select order_key, currency from pass_paid union all select order_key, currency from pass_waiting
      ) p on p.order_key = o.order_key and p.currency = o.currency
      left join (select distinct order_key from pass_fundings where unplaced) u
        on u.order_key = o.order_key
      where o.fundings + o.lines > 0`);
    const [lines = 0] = await this.#row(
      'select coalesce(sum(fundings + lines), 0) from pass_others where not too_long',
    );
    return lines;
  }

  /** Judges the orders in `pass_others` by the rules, in batches, and empties the table. */
  async #judgeOthers(): Promise<void> {
    const { rules, signal } = this.#options;
    const terms = { policy: this.#policy, judged: this.#judged };
    const { batchLines } = this.#sizes;
    const done = await judgeOthers(this.#connection, { rules, terms, batchLines, signal });
    this.#result.byRules += done.byRules;
    this.#result.failed += done.failed;
  }

  /** Counts unmarked orders whose status differs from the stored one. */
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

  /** Returns the numbers of the first row. */
  async #row(sql: string): Promise<number[]> {
    const reader = await this.#connection.runAndReadAll(sql);
    return reader.getRows()[0]?.map(Number) ?? [];
  }
}

function where(...conditions: string[]): string {
  const all = conditions.filter((condition) => condition !== '');
  return all.length === 0 ? '' : `where ${all.join(' and ')}`;
}
