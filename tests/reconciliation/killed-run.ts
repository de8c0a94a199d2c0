import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Program } from '../../scripts/processes.ts';
import { type History, policyOf } from './history.ts';
import { type Reconciler, startReconciler } from './reconciler.ts';

export const works = ['import', 'sync', 'cases', 'rebuild', 'judging'] as const;
export type Work = (typeof works)[number];
const DECISIONS = 40;

/** One of the two runs, with its progress and durations. */
export interface Run {
  folder: string;
  facts: string;
  /** Advances its clock so that the lease of a killed process has expired. */
  aheadMs: number;
  round: number;
  decisions: Decision[] | undefined;
  start(): Promise<Reconciler>;
  /** The latest process, also before it is ready. */
  process: Program | undefined;
  reconciler: Reconciler | undefined;
}

interface Decision {
  path: string;
  key: string;
  body: object;
}

/** Returns a run that has not started yet. */
export function makeRun(folder: string, companionUrl: string, history: History): Run {
  const run: Run = {
    folder,
    facts: join(folder, 'facts.db'),
    aheadMs: 0,
    round: 0,
    decisions: undefined,
    process: undefined,
    reconciler: undefined,
    async start() {
      run.reconciler = undefined;
      run.reconciler = await startReconciler({
        folder,
        companionUrl,
        history,
        aheadMs: run.aheadMs,
        // Each round has its own policy, so that all orders are judged again.
        policy: { ...policyOf(history), tolerance: { minorUnits: run.round } },
        // Many small pages, so that a kill comes between two.
        env: { RECONCILIATION_PAGE_SIZE: '100' },
        onStart: (program) => {
          run.process = program;
        },
      });
      return run.reconciler;
    },
  };
  return run;
}

/** Returns the program of a run. @throws {Error} when it does not run */
export function running(run: Run): Reconciler {
  if (run.reconciler === undefined) throw new Error('The program does not run.');
  return run.reconciler;
}

/** Completes one piece of work, which may be partly done already. */
export async function doWork(run: Run, work: Work, ledger: string): Promise<void> {
  if (work === 'judging') {
    await run.process?.stop();
    await run.start();
    return;
  }
  const reconciler = run.reconciler ?? (await run.start());
  await reconciler.leads();
  if (work === 'import') {
    const report = await reconciler.importLedger(ledger);
    if (report.applied !== true) throw new Error(`No import: ${JSON.stringify(report)}`);
  } else if (work === 'sync') {
    const { state } = await reconciler.sync();
    if (state !== 'complete') throw new Error(`The sync is ${state}.`);
  } else if (work === 'rebuild') {
    await reconciler.post('/rebuild', {});
  } else {
    run.decisions ??= await decisionsOf(run);
    for (const { path, key, body } of run.decisions) {
      await reconciler.post(path, body, { 'idempotency-key': key });
    }
  }
}

/** Chooses the same cases for decisions in each run. */
async function decisionsOf(run: Run): Promise<Decision[]> {
  const all: { id: string; orderKey: string; currency: string; code: string }[] = [];
  for (let cursor = ''; ;) {
    const page = await running(run).get<{ cases: typeof all; next?: string }>(
      `/cases?state=open&sort=opened&limit=500${cursor}`,
    );
    all.push(...page.cases);
    if (page.next === undefined) break;
    cursor = `&after=${encodeURIComponent(page.next)}`;
  }
  const named = all.map((one) => ({ ...one, name: `${one.orderKey} ${one.currency} ${one.code}` }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const stride = Math.max(1, Math.floor(named.length / DECISIONS));
  return named
    .filter((_, index) => index % stride === 0)
    .map(({ id, name }, index) => {
      // An order id may have any characters.
      const key = `${run.round}-${hash('sha256', name)}`;
      const by = 'Ada';
      const kind = ['ignore', 'note', 'resolve', 'assign'][index % 4] ?? '';
      const body =
        kind === 'note'
          ? { note: 'asked', by }
          : kind === 'assign'
            ? { assignee: 'Finance', by }
            : { reason: 'small', by };
      return { path: `/cases/${id}/${kind}`, key, body };
    });
}
