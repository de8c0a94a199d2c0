import type { Policy } from '@financing-checkout/reconciliation-rules';
import { isSyncing } from '../../fundings/under-way.ts';
import type { BulkConnection, BulkWriter, Value } from './bulk.ts';
import {
  type ChunkFindings,
  type ChunkResult,
  type ChunkTask,
  examineChunk,
  writeFindings,
} from './chunk.ts';
import { HelpedChunks, type Helper } from './helped-chunks.ts';
import { fence, type Holder, LeaseLostError, releaseLease, takeLease } from './lease.ts';
import {
  claimRange,
  finishRange,
  finishRun,
  openRanges,
  planRun,
  readRun,
  type Run,
  untoldUnexplained,
} from './ranges.ts';
import { keyAhead, type Scope } from './scope.ts';

/** What a worker is given for one pass: it can be sent to another thread. */
export interface PassRequest {
  /** `due`: orders that changed, or that time may have changed. `full`: all of them. */
  kind: 'due' | 'full';
  environment: string;
  policy: Policy;
  /** Version of the rules, and hash of the policy: another one means that all is computed again. */
  rules: string;
  /** Unique to this pass. */
  holder: string;
}

export interface PassResult {
  /** `busy`: another companion is at it; `helped`: it was, and this one has done its share. */
  state: 'done' | 'busy' | 'helped' | 'stopped';
  /** Whether all orders were computed. */
  full: boolean;
  /** Orders that were judged anew, and those of them that came out otherwise than they stood. */
  judged: number;
  changed: number;
  /** Orders that a full pass found otherwise though nothing of them had changed: an alarm. */
  unexplained: number;
  /** Those and others that nobody was told of yet: who found them may have died before it could. */
  untold: number;
  /** Orders that cannot be summed exactly, or have too many lines, and have no status. */
  failed: number;
}

/** How a pass works: what is the worker's own. */
export interface Workshop {
  bulk: BulkConnection;
  /** Milliseconds since 1970. */
  now: () => number;
  /** SHA-256 in hexadecimal. */
  hash: (text: string) => string;
  /** Whether to end at the next opportunity. */
  stopped: () => boolean;
  /** Another thread, for chunks that this one does not come to; a sync leaves no processor for it. */
  helper?: Helper;
  /** Lets others have their turn. */
  pause: (milliseconds: number) => Promise<void>;
  /** About how many lines are read, or orders marked, at once. */
  chunkRows: number;
  /** How many orders have to have changed for the plain ones to be told from the others first. */
  surveyFrom: number;
  /** About how many lines one companion takes on at a time; undefined: all, there is no other. */
  rangeRows: number | undefined;
}

/** How many times fewer orders are in a chunk of what changed. */
const DIRTY_SHARE = 4;
/** How often is looked whether those who help are done. */
const WAIT_MS = 250;
/** Longer than it takes to replace companions by newer ones, one after the other. */
const REPLACING_MS = 3_600_000;

/**
 * Brings statuses up to date with the lines. Killed at any moment it leaves each order as it was or
 * as it should be, and what is left to do is done by whoever comes next.
 */
export async function runPass(workshop: Workshop, request: PassRequest): Promise<PassResult> {
  const pass = new Pass(workshop, request);
  const result = await pass.run().catch((error: unknown) => {
    if (error instanceof LeaseLostError) return pass.result('busy');
    throw error;
  });
  return { ...result, untold: await untoldUnexplained(workshop.bulk, request.environment) };
}

/**
 * PostgreSQL plans by what it knows of its tables. Of one that has just been filled it knows nothing for
 * a minute or more, and would sort a million rows each time to find the next ten thousand.
 */
async function countRows(bulk: BulkConnection): Promise<void> {
  if (bulk.kind === 'sqlite') return;
  await bulk.rows('analyze fundings, ledger_lines, order_statuses, order_exceptions, dirty_orders');
}

type Result = Omit<PassResult, 'untold'>;

const versionOf = (rules: string) => Number.parseInt(rules, 10);

class Pass {
  readonly #workshop: Workshop;
  readonly #request: PassRequest;
  readonly #holder: Holder;
  readonly #sum: ChunkResult = { judged: 0, changed: 0, unexplained: 0, failed: 0 };
  #helper: Helper | undefined;
  #full = false;

  constructor(workshop: Workshop, request: PassRequest) {
    this.#workshop = workshop;
    this.#request = request;
    this.#holder = { environment: request.environment, name: request.holder };
  }

  result(state: PassResult['state']): Result {
    return { state, full: this.#full, ...this.#sum };
  }

  async run(): Promise<Result> {
    const { bulk, now } = this.#workshop;
    const { environment } = this.#request;
    const syncing = await isSyncing(bulk, environment, now());
    this.#helper = syncing ? undefined : this.#workshop.helper;
    if (!(await takeLease(bulk, this.#holder, now()))) {
      const run = await readRun(bulk, environment);
      return run?.state === 'running' ? await this.#help(run) : this.result('busy');
    }
    try {
      return await this.#lead(await readRun(bulk, environment));
    } finally {
      await releaseLease(bulk, this.#holder);
    }
  }

  /**
   * Whether a newer companion has just judged all orders by its rules. It is left to judge them: each
   * would undo what the other one does, with cases and alerts for every order of which they differ.
   */
  #isOutdated(last: Run | undefined): boolean {
    const { rules, policy } = this.#request;
    if (last === undefined || policy.now >= last.now + REPLACING_MS) return false;
    return versionOf(last.rules) > versionOf(rules);
  }

  async #lead(last: Run | undefined): Promise<Result> {
    if (this.#isOutdated(last)) return this.result('busy');
    const { kind, rules, policy } = this.#request;
    const stale = last?.rules !== rules;
    if (last?.state === 'running' && !stale) {
      // Somebody began it and is gone: what is done of it holds.
      if (!(await this.#finish(last))) return this.result('stopped');
      if (kind === 'full') return this.result('done');
    }
    if (kind === 'due' && !stale) {
      if (last.complete !== policy.complete && !(await this.#markOpen())) {
        return this.result('stopped');
      }
      return this.result((await this.#dirty(policy.now)) ? 'done' : 'stopped');
    }
    // What is known to have changed comes first, so that what is left is what nobody knew of.
    const isCheck = !stale && last.complete === policy.complete;
    if (isCheck && !(await this.#dirty(policy.now))) return this.result('stopped');
    return this.result((await this.#all(isCheck)) ? 'done' : 'stopped');
  }

  /** Orders that changed, and those that time may have changed. @returns false when stopped */
  async #dirty(now: number): Promise<boolean> {
    const { environment } = this.#request;
    if (!(await this.#mark(['recheck_at', 'order_key'], `recheck_at <= ?`, [now]))) return false;
    const scope: Scope = { environment, kind: 'dirty', after: '', last: undefined };
    const { bulk, surveyFrom } = this.#workshop;
    // Of few, all there is to each is read at once in less time than a survey takes.
    const isSurveyed = (await keyAhead(bulk, scope, surveyFrom)) !== undefined;
    const done = await this.#chunks({ scope, leads: true, range: undefined, isSurveyed });
    return done;
  }

  /**
   * Complete data has become incomplete, or the reverse: what may be called missing is another.
   * @returns false when stopped
   */
  async #markOpen(): Promise<boolean> {
    if (!(await this.#mark(['order_key'], `lines_hash <> ''`, []))) return false;
    await this.#workshop.bulk.write(async (writer) => {
      await this.#fence(writer);
      await writer.run(`update recomputes set complete = ? where environment = ?`, [
        this.#request.policy.complete ? 1 : 0,
        this.#request.environment,
      ]);
    });
    return true;
  }

  /**
   * Marks the orders whose status meets a condition, some at a time: a checkout would wait for all of
   * them, and they would be in memory together.
   * @param by columns of an index, in whose order they are read
   * @returns false when stopped
   */
  async #mark(by: readonly string[], condition: string, parameters: Value[]): Promise<boolean> {
    const { bulk, chunkRows, stopped } = this.#workshop;
    const columns = by.join(', ');
    const values = by.map(() => '?').join(', ');
    let statuses = `from order_statuses where environment = ? and ${condition}`;
    let bounds: Value[] = [this.#request.environment, ...parameters];
    for (;;) {
      const [end] = await bulk.rows(
        `select ${columns} ${statuses} order by ${columns} limit 1 offset ${chunkRows - 1}`,
        bounds,
      );
      const upTo = end === undefined ? '' : `and (${columns}) <= (${values})`;
      await bulk.write(async (writer) => {
        await this.#fence(writer);
        await writer.run(
          `insert into dirty_orders (environment, order_key, generation)
          select environment, order_key, 1 ${statuses} ${upTo}
          on conflict (environment, order_key) do nothing`,
          [...bounds, ...(end ?? [])],
        );
      });
      if (end === undefined) return true;
      if (stopped()) return false;
      statuses = `from order_statuses where environment = ? and ${condition} and (${columns}) > (${values})`;
      bounds = [this.#request.environment, ...parameters, ...end];
    }
  }

  async #all(isCheck: boolean): Promise<boolean> {
    const { bulk, now, rangeRows } = this.#workshop;
    const { environment, rules, policy, holder } = this.#request;
    const { complete } = policy;
    const run: Run = { run: holder, rules, complete, now: policy.now, state: 'running', isCheck };
    const fenced = (writer: BulkWriter) => fence(writer, this.#holder, now());
    await countRows(bulk);
    await planRun(bulk, environment, run, rangeRows, fenced);
    return this.#finish(run);
  }

  /** Does all ranges that nobody else does, and waits for the others. @returns false when stopped */
  async #finish(run: Run): Promise<boolean> {
    const { bulk, now, pause, stopped } = this.#workshop;
    const { environment } = this.#request;
    this.#full = true;
    for (;;) {
      if (!(await this.#ranges(run, true))) return false;
      if ((await openRanges(bulk, environment, run)) === 0) break;
      if (stopped()) return false;
      await pause(WAIT_MS);
      await bulk.write((writer) => this.#fence(writer));
    }
    await bulk.write(async (writer) => {
      await this.#fence(writer);
      await finishRun(writer, environment, run, now());
    });
    return true;
  }

  /** Takes ranges of a pass that another companion leads. */
  async #help(run: Run): Promise<Result> {
    if (run.rules !== this.#request.rules) return this.result('busy');
    const done = await this.#ranges(run, false);
    return this.result(done ? 'helped' : 'stopped');
  }

  async #ranges(run: Run, leads: boolean): Promise<boolean> {
    const { bulk, now } = this.#workshop;
    const { environment } = this.#request;
    for (;;) {
      const range = await claimRange(bulk, this.#holder, run, now());
      if (!range) return true;
      const before = { ...this.#sum };
      const scope: Scope = { environment, kind: 'all', after: range.after, last: range.last };
      if (!(await this.#chunks({ scope, leads, range, isSurveyed: true }, run))) return false;
      await finishRange(bulk, this.#holder, range, {
        judged: this.#sum.judged - before.judged,
        changed: this.#sum.changed - before.changed,
      });
    }
  }

  /** @returns false when stopped */
  async #chunks(whole: Omit<ChunkTask, 'policy' | 'holder'>, run?: Run): Promise<boolean> {
    const helped = new HelpedChunks(this.#helper, (task, findings) =>
      this.#write(task, findings, run),
    );
    try {
      return await this.#cut(whole, helped, run);
    } finally {
      // Also after a failure: the lease is not given back while somebody works under it.
      await helped.ended();
    }
  }

  /** Cuts a scope into chunks; the helper takes what it can. */
  async #cut(
    whole: Omit<ChunkTask, 'policy' | 'holder'>,
    helped: HelpedChunks,
    run: Run | undefined,
  ): Promise<boolean> {
    const { bulk, stopped, pause, chunkRows } = this.#workshop;
    // All of a run is of one moment, whoever does it and when.
    const policy = run
      ? { ...this.#request.policy, now: run.now, complete: run.complete }
      : this.#request.policy;
    // Orders that changed lie apart: all pages of a chunk are to fit into memory.
    const rows = whole.scope.kind === 'all' ? chunkRows : Math.ceil(chunkRows / DIRTY_SHARE);
    let { after } = whole.scope;
    for (;;) {
      const scope = { ...whole.scope, after };
      const last = await keyAhead(bulk, scope, rows);
      const isLast = last === undefined || last === scope.last;
      const end = last ?? scope.last;
      const task = { ...whole, scope: { ...scope, last: end }, policy, holder: this.#holder };
      if (isLast || !helped.give(task)) {
        await this.#write(task, await examineChunk(this.#workshop, task), run);
        await pause(0);
      }
      if (isLast || helped.hasFailed) return true;
      if (stopped()) return false;
      after = last;
    }
  }

  async #write(task: ChunkTask, findings: ChunkFindings, run: Run | undefined): Promise<void> {
    const isCheck = run?.isCheck === true;
    await writeFindings(this.#workshop, task, findings, isCheck);
    const { judged, changed, unexplained, failed } = findings.result;
    this.#sum.judged += judged;
    this.#sum.changed += changed;
    if (isCheck) this.#sum.unexplained += unexplained;
    this.#sum.failed += failed;
  }

  #fence(writer: BulkWriter): Promise<void> {
    return fence(writer, this.#holder, this.#workshop.now());
  }
}
