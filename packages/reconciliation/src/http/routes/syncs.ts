import {
  syncListOperations,
  syncRequestSchema,
  syncSchema,
} from '@financing-checkout/contract/reconciliation';
import { addDays } from '@financing-checkout/contract/money';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { SyncBusyError } from '../../engine/errors.ts';
import type { Leader } from '../../engine/leader.ts';
import type { SyncRun } from '../../facts/store.ts';
import { isoTime, delay } from '@financing-checkout/kit';
import { daysBesideSeals } from '../../periods/seal.ts';
import { describeError } from '../../platform/log.ts';
import { ProblemError } from '../../platform/problem.ts';
import { INTERRUPTED } from '../../sync/sync.ts';
import { pageOf } from '../cursor.ts';
import { type Env, serve } from '../context.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { ofChange, operation, reading, routesOf } from '../operation.ts';
import { within } from '../period.ts';
import type { SyncRecord } from '../schemas.ts';
import { record } from '../trail.ts';

/** Number of syncs read at a time for a file. */
const PAGE_SIZE = 500;
/**
 * Every day after the first day read must be proven, so a range that begins much earlier is
 * probably a typo.
 */
const MAX_DAYS = 4_000;
/** Polling interval of a followed sync, in milliseconds. */
const EVENT_MS = 250;
/**
 * Number of polls without an event before a keep-alive is sent, because proxies close idle
 * connections.
 */
const SILENT_EVENTS = 60;

export const syncOperations = {
  start: operation({
    ...ofChange,
    path: '/syncs',
    summary: 'Read fundings from the companion',
    description:
      'Reads the days from `from` to `to`; without them, the days that are due by age. Resumes an interrupted run. The state is `running` until its orders are judged.',
    scope: 'sync',
    priorities: ['report'],
    body: { schema: syncRequestSchema },
    answers: { 202: { schema: syncSchema } },
    problems: ['sync-busy', 'standby'],
  }),
  ...routesOf(syncListOperations),
  read: reading('/syncs/:id', 'One sync with its progress', syncSchema, {
    problems: ['not-found'],
  }),
  events: reading('/syncs/:id/events', 'Follow a sync', z.string(), {
    description: 'Server-sent events named `sync`, each with the complete sync, until it ends.',
    answers: { 200: { contentTypes: ['text/event-stream'] } },
    problems: ['not-found'],
  }),
};

/** Routes for syncing fundings: runs and their progress. */
export function syncRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const app = new Hono<Env>();
  const view = syncView(engine);

  serve(app, syncOperations.start, async (c, input) => {
    const today = new Calendar(engine.config.sync.zone).dayOf(engine.clock.now());
    const earliest = addDays(today, -MAX_DAYS);
    const range = input.body();
    if (range.from !== undefined && range.from < earliest) {
      throw new ProblemError('invalid-request', {
        errors: [{ path: 'from', message: `must be ${earliest} or later` }],
      });
    }
    const leader = await engine.requireLeader();
    const { from = null, to = null } = range;
    const action = { kind: 'sync', subject: 'fundings', detail: { from, to } } as const;
    const started = (run: SyncRun) => ({ outcome: 'started', detail: { syncId: run.id } });
    const run = await record(engine, c, action, () => start(leader, range), started);
    return c.json(syncRecord(run, undefined), 202);
  });

  const tables = { engine, answerFile, rows: PAGE_SIZE };
  const { zone: own } = engine.config.sync;
  serveTable(app, tables, syncOperations.list, async (_, { after, limit, ...part }) => {
    const isWithin = within(part, part.zone ?? own);
    const { page, last } = pageOf(await engine.facts.syncs(limit + 1, after), limit);
    const syncs = await syncRecords(engine.facts, await Promise.all(page.map(view)));
    return { syncs: syncs.filter(({ startedAt }) => isWithin(startedAt)), next: last?.id };
  });

  serve(app, syncOperations.read, async (c) =>
    c.json(await recordOf(await find(c.req.param('id')))),
  );

  serve(app, syncOperations.events, async (c) => {
    const id = c.req.param('id');
    const first = await find(id);
    // Keeps nginx from buffering the events.
    c.header('x-accel-buffering', 'no');
    return streamSSE(
      c,
      async (stream) => {
        let sent = '';
        let silent = 0;
        for (let look = first; !stream.aborted; look = await find(id)) {
          const data = JSON.stringify(await recordOf(look));
          if (data !== sent) {
            await stream.writeSSE({ event: 'sync', data });
            [sent, silent] = [data, 0];
          } else if (++silent >= SILENT_EVENTS) {
            await stream.write(': still there\n\n');
            silent = 0;
          }
          // A sync that is not running here may continue in another process, where it can be followed.
          if (look.run.state !== 'running' || !look.isActive) return;
          await delay(engine.clock, EVENT_MS, engine.ending);
          if (engine.ending.aborted) return;
        }
      },
      (error) => {
        engine.logger.log('error', 'progress-cut-off', describeError(error));
        return Promise.resolve();
      },
    );
  });
  return app;

  async function recordOf(look: SyncView): Promise<SyncRecord | undefined> {
    return (await syncRecords(engine.facts, [look]))[0];
  }

  async function find(id: string): Promise<SyncView> {
    const run = await engine.facts.sync(id);
    if (run !== undefined) return view(run);
    throw new ProblemError('not-found', { detail: 'No sync has this id.' });
  }
}

async function start(leader: Leader, range: Parameters<Leader['startSync']>[0]): Promise<SyncRun> {
  try {
    return await leader.startSync(range);
  } catch (error) {
    if (!(error instanceof SyncBusyError)) throw error;
    throw new ProblemError('sync-busy', {
      detail: 'Follow the running sync: it is the first of GET /syncs.',
      retrySafe: true,
    });
  }
}

/** A run's state as seen by this process. */
export interface SyncView {
  /**
   * `running` until this process has judged the run's orders. A run that no process continues is
   * `partial` and has not ended: the next request for the same days resumes it.
   */
  run: SyncRun;
  /** Whether the run continues, in this process or in the leader. */
  isActive: boolean;
}

/**
 * Returns a function that returns a run's state as seen by this process. An ended run still counts
 * as running until this process has judged its orders, so that the next response is not stale.
 */
export function syncView(engine: Engine): (run: SyncRun) => Promise<SyncView> {
  /** The newest run seen as ended, with the number of the last fact at that time. */
  let ended: { id: string; head: number } | undefined;
  return async function view(run) {
    const { leader } = engine;
    const active = leader?.activeSync;
    if (active?.id === run.id) {
      return { run: { ...active, state: 'running', endedAt: undefined }, isActive: true };
    }
    if (leader !== undefined) {
      return { run: leader.isSyncing ? run : interrupted(run), isActive: false };
    }
    const holder = await engine.facts.leaseHolder();
    const isLed = holder !== undefined && holder.until > engine.clock.now();
    if (run.state === 'running') {
      return { run: isLed ? run : interrupted(run), isActive: isLed };
    }
    const [newest] = await engine.facts.syncs(1);
    if (newest?.id !== run.id) return { run, isActive: false };
    if (ended?.id !== run.id) ended = { id: run.id, head: await engine.facts.head() };
    if (engine.data.status.caughtUp >= ended.head) return { run, isActive: false };
    return { run: { ...run, state: 'running', endedAt: undefined }, isActive: true };
  };
}

/** Returns the state of an interrupted run if it is not resumed. */
function interrupted(run: SyncRun): SyncRun {
  return run.state === 'running' ? { ...run, state: 'partial', reason: INTERRUPTED } : run;
}

/** Returns runs in the API's format. Ended runs include their changes to closed periods. */
export async function syncRecords(
  facts: Engine['facts'],
  views: readonly Pick<SyncView, 'run'>[],
): Promise<SyncRecord[]> {
  const runs = views.map(({ run }) => run);
  const closed = await daysBesideSeals(
    facts,
    runs.filter(({ state }) => state !== 'running'),
  );
  return runs.map((run) => syncRecord(run, closed.get(run.id)));
}

function syncRecord(run: SyncRun, closed: SyncRecord['closed']): SyncRecord {
  return {
    id: run.id,
    state: run.state,
    reason: run.reason,
    from: run.fromDay,
    to: run.toDay,
    zone: run.zone,
    startedAt: isoTime(run.startedAt),
    ...(run.endedAt === undefined ? {} : { endedAt: isoTime(run.endedAt) }),
    resumed: run.resumed,
    days: { planned: run.daysPlanned, done: run.daysDone, unproven: run.daysUnproven },
    records: run.records,
    changed: run.changed,
    gone: run.gone,
    quarantined: run.quarantined,
    closed,
  };
}
