import type { Environment } from '@financing-checkout/contract';
import { randomId } from '../../checkout/id.ts';
import type { Clock } from '../../clock/clock.ts';
import { isSyncing } from '../../fundings/under-way.ts';
import type { Counters } from '../../observe/counters.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Store } from '../../store/store.ts';
import type { JudgingPolicy } from '../policy.ts';
import type { ProjectionStep } from '../ledger/projection.ts';
import type { PassRequest, PassResult } from './engine.ts';
import { endTelling } from './ranges.ts';

/**
 * Changes with the rules of @financing-checkout/reconciliation: statuses by other rules are computed
 * again.
 */
export const RULES_VERSION = 9;

/** Does passes: in a thread of its own on SQLite, in this one on PostgreSQL. */
export interface RecomputeWorker {
  run(request: PassRequest): Promise<PassResult>;
  /** Ends what is under way at the next opportunity, and then the worker. */
  close(): Promise<void>;
}

export interface RecomputeContext {
  environment: Environment;
  store: Pick<Store, 'projectLedger' | 'bulk'>;
  worker: RecomputeWorker;
  policy: JudgingPolicy;
  /** Of the policy: `policyHash`. */
  policyHash: string;
  /** Whether all there is to know is known: every day since the oldest ledger line is proven. */
  isComplete: () => Promise<boolean>;
  clock: Clock;
  logger: Logger;
  counters: Pick<Counters, 'increment'>;
  /** From then on no pass begins. */
  signal?: AbortSignal;
}

export type RecomputeResult = PassResult;

export interface Recompute {
  /** Turns what the companion's own ledger has since then into ledger lines. @returns how many changed */
  projectLedger(): Promise<number>;
  /** Computes what changed, and what time may have changed; all of it where the rules did. */
  dirty(): Promise<RecomputeResult>;
  /** Computes all, and raises an alarm where that differs from what stands. */
  full(): Promise<RecomputeResult>;
}

/**
 * How long after a pass changes wait for the end of a sync: it changes the same orders again, and
 * both write to the same place. After the first pass the next take about a tenth of the time.
 */
const patienceMs = (lastPassMs: number) => Math.max(60_000, 10 * lastPassMs);

const nothingDone: Omit<RecomputeResult, 'state'> = {
  full: false,
  judged: 0,
  changed: 0,
  unexplained: 0,
  untold: 0,
  failed: 0,
};

/** Statuses of orders: a pure function of their lines, kept in tables. */
export function createRecompute(ctx: RecomputeContext): Recompute {
  const { environment, store, worker, clock, counters, logger } = ctx;
  let patientUntil = -Infinity;

  async function pass(kind: PassRequest['kind']): Promise<RecomputeResult> {
    const complete = await ctx.isComplete();
    const startedAt = clock.now();
    const isPatient = kind === 'due' && startedAt < patientUntil;
    // Asked here: to start a thread for it would cost the sync memory.
    if (isPatient && (await isSyncing(store.bulk, environment, startedAt))) {
      return { state: 'busy', ...nothingDone };
    }
    // Last of all: the worker has been closed by then, and would be started again.
    if (ctx.signal?.aborted) return { state: 'stopped', ...nothingDone };
    const { tolerance, slaDays, aliases, contracts } = ctx.policy;
    const result = await worker.run({
      kind,
      environment,
      policy: { tolerance, slaDays, aliases, contracts, now: startedAt, complete },
      rules: `${RULES_VERSION} ${ctx.policyHash}`,
      holder: randomId('req'),
    });
    const endedAt = clock.now();
    const durationMs = endedAt - startedAt;
    if (result.state === 'done') patientUntil = endedAt + patienceMs(durationMs);
    if (result.untold > 0) {
      // Statuses that the lines do not explain: something changed lines, or statuses, behind our back.
      counters.increment('reconciliation-differs');
      logger.log('error', 'reconciliation-differs', {
        count: result.untold,
        reason: 'a full recompute found other statuses than stood',
      });
      // Afterwards: it is told once more where this process dies in between.
      await endTelling(store.bulk, environment, result.untold);
    }
    if (result.failed > 0) {
      counters.increment('reconciliation-not-judged');
      logger.log('error', 'reconciliation-not-judged', {
        count: result.failed,
        reason: 'orders have too many lines, or amounts that cannot be summed exactly',
      });
    }
    if (result.full || result.changed > 0) {
      logger.log('info', 'reconciliation-recomputed', {
        count: result.changed,
        outcome: result.full ? 'full' : 'changed',
        durationMs,
      });
    }
    return result;
  }

  function tellOf({ differing, unreadable }: ProjectionStep): void {
    if (differing > 0) {
      logger.log('warn', 'ledger-line-differs', {
        count: differing,
        reason: 'imported lines stated otherwise what the companion did',
      });
    }
    if (unreadable > 0) {
      logger.log('warn', 'ledger-entry-unreadable', {
        count: unreadable,
        reason: 'transactions without an exact amount are in no order',
      });
    }
  }

  return {
    async projectLedger() {
      let changed = 0;
      while (!ctx.signal?.aborted) {
        const step = await store.projectLedger(environment, clock.now(), tellOf);
        changed += step.changed;
        if (step.entries === 0) break;
      }
      return changed;
    },
    dirty: () => pass('due'),
    full: () => pass('full'),
  };
}
