import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Companion,
  startCompanion,
  startService,
} from '../../tests/reconciliation/companion.ts';
import { policyOf } from '../../tests/reconciliation/history.ts';
import {
  type DayOfRecords,
  duckdbImportSeconds,
  duckdbPassSeconds,
  duckdbSeconds,
  type Fetched,
  fetchingAndParsing,
} from './alternatives.ts';
import { gradeAll, type Graded } from './grading.ts';
import { type BenchHistory, orderId } from './history.ts';
import { cpuSeconds, peakMb, timed, type Usage, usageOf, UsageSamples } from './processes.ts';
import { analyticsFile, type Pass, type Reconciliation, startReconciliation } from './program.ts';
import { type Answers, Clients } from './questions.ts';

export interface Measured {
  records: number;
  ledgerLines: number;
  importSeconds: number;
  /** Until all days are read. */
  syncSeconds: number;
  /** From then until all orders are judged. */
  catchUpSeconds: number;
  /** Microseconds of processor time per record, until all days are read, and until the end. */
  cpu: { reconciliation: number; companion: number; withJudging: number };
  /** Judges and writes all orders under another policy with the same results. */
  fullSeconds: number;
  /** What the program used for an import, for a sync until all orders are judged, and for a pass. */
  used: { import: Usage; sync: Usage; full: Usage };
  peakRssMb: number;
  companionPeakRssMb: number;
  graded: Graded;
}

/** Figures of the larger history only. */
export interface More extends Fetched {
  /** One order in a hundred gains a line, or loses it again. */
  incrementalSeconds: number;
  exportSeconds: number;
  rebuildSeconds: number;
  /** While idle, while all days are read again, and while all orders are judged. */
  answers: { idle: Answers; sync: Answers; pass: Answers };
  /** Processor time of the pass and of the import in DuckDB. */
  duckdbPassSeconds: number;
  duckdbImportSeconds: number;
  duckdbSeconds: number;
}

interface Run {
  history: BenchHistory;
  folder: string;
  /** URL of the record store. */
  store: string;
}

type Policed = <Result>(work: (program: Reconciliation) => Promise<Result>) => Promise<Result>;

/** Imports and syncs one generated history with the programs, as a merchant does, and times each step. */
export async function measure<Extra extends object>(
  run: Run,
  more: (steps: Steps) => Promise<Extra>,
): Promise<Measured & Extra> {
  const { history, folder } = run;
  const service = await startService(history);
  try {
    const companion = await startCompanion({
      folder: join(folder, 'companion'),
      service,
      history,
    });
    try {
      return await measureWith(run, companion, more);
    } finally {
      await companion.program.stop();
    }
  } finally {
    await service.program.stop();
  }
}

interface Steps {
  run: Run;
  companion: Companion;
  withProgram: Policed;
}

async function measureWith<Extra extends object>(
  run: Run,
  companion: Companion,
  more: (steps: Steps) => Promise<Extra>,
): Promise<Measured & Extra> {
  const { history, folder, store } = run;
  let peakRssMb = 0;
  let policies = 0;

  /** Runs the program under its own policy: a changed policy makes all orders be judged again. */
  const withProgram: Policed = async (work) => {
    // No lender has this name, so the policy changes but judges every order as before.
    const aliases = { [`no lender ${policies++}`]: 'None' };
    const program = await startReconciliation({
      folder: join(folder, 'reconciliation'),
      companionUrl: companion.url,
      history,
      store,
      policy: { ...policyOf(history), aliases },
    });
    try {
      return await work(program);
    } finally {
      if (!program.program.exited) peakRssMb = Math.max(peakRssMb, peakMb(program.program.pid));
      await program.stop();
    }
  };

  const first = await withProgram(async (program) => {
    const imported = await importAll(program, history);
    say('imported', seconds(imported.seconds), program);
    const synced = await syncAll(program, companion, history);
    say(
      'synced',
      `${seconds(synced.syncSeconds)}, caught up in ${seconds(synced.catchUpSeconds)}`,
      program,
    );
    const graded = await gradeAll(history, program);
    const { precision, recall, planted } = graded.grade;
    say('graded', `${planted} planted, precision ${precision}, recall ${recall}`, program);
    return { imported, synced, graded };
  });
  const extra = await more({ run, companion, withProgram });
  const full = await withProgram(async (program) => {
    const pass = fullPass(program, first.graded.orders);
    const { endedAt, seconds: taken } = pass;
    const { grade, wrongTotals } = await gradeAll(history, program);
    const isSame =
      grade.precision === first.graded.grade.precision &&
      grade.recall === first.graded.grade.recall &&
      wrongTotals.length === first.graded.wrongTotals.length;
    if (!isSame) throw new Error('Judged again, the orders came out otherwise.');
    say('judged anew', seconds(taken), program);
    return { seconds: taken, used: program.usage.between(endedAt - taken * 1000, endedAt) };
  });
  const { graded, imported, synced } = first;
  return {
    ...synced,
    ...extra,
    graded,
    records: history.summary.fundings,
    ledgerLines: history.summary.ledgerLines,
    importSeconds: imported.seconds,
    fullSeconds: full.seconds,
    used: { import: imported.used, sync: synced.used, full: full.used },
    peakRssMb,
    companionPeakRssMb: peakMb(companion.program.pid),
  };
}

async function importAll(program: Reconciliation, { ledger, summary }: BenchHistory) {
  const started = performance.now();
  const imported = await timed(() => program.importLedger(createReadStream(ledger)));
  if (imported.result.added !== summary.ledgerLines) {
    throw new Error(`The ledger was not imported: ${JSON.stringify(imported.result)}`);
  }
  return { seconds: imported.seconds, used: program.usage.between(started) };
}

async function syncAll(
  program: Reconciliation,
  companion: Companion,
  { summary }: BenchHistory,
): Promise<Pick<Measured, 'syncSeconds' | 'catchUpSeconds' | 'cpu'> & { used: Usage }> {
  const companionUsage = new UsageSamples(companion.program);
  const started = performance.now();
  const { result: run, seconds: inAll } = await timed(() => program.sync());
  const syncSeconds = (Date.parse(run.endedAt) - Date.parse(run.startedAt)) / 1000;
  if (run.state !== 'complete' || run.records !== summary.fundings) {
    throw new Error(`The sync is ${run.state} with ${run.records} records.`);
  }
  const read = started + syncSeconds * 1000;
  const used = program.usage.between(started);
  const usedByCompanion = companionUsage.between(started);
  const each = (...usages: Usage[]) =>
    (usages.reduce((sum, usage) => sum + cpuSeconds(usage), 0) / run.records) * 1e6;
  return {
    syncSeconds,
    catchUpSeconds: inAll - syncSeconds,
    used,
    cpu: {
      reconciliation: each(program.usage.between(started, read)),
      companion: each(companionUsage.between(started, read)),
      withJudging: each(used, usedByCompanion),
    },
  };
}

/** Returns the program's first pass, over all orders because of the changed policy. */
function fullPass(program: Reconciliation, orders: number): Pass {
  const pass = program.passes.find(({ count }) => count >= orders);
  if (!pass) throw new Error('Not all orders were judged again.');
  return pass;
}

/** Measures the figures of the larger history: alternatives, queries, exports, changes. */
export async function measureMore({ run, companion, withProgram }: Steps): Promise<More> {
  const { history, folder } = run;
  const file = analyticsFile(join(folder, 'reconciliation'));
  const duckdb = await duckdbSeconds(file);
  say('DuckDB', `joins the orders in ${seconds(duckdb)}`);
  const ofPass = await duckdbPassSeconds(file);
  const ofImport = await duckdbImportSeconds(history.ledger);
  say(
    'DuckDB',
    `takes ${seconds(ofPass)} of processor for a pass, ${seconds(ofImport)} for an import`,
  );
  return withProgram(async (program) => {
    const { days } = await program.get<{ days: DayOfRecords[] }>('/days');
    const fetched = await fetchingAndParsing(companion, days);
    say(
      'a client',
      `fetches both readings in ${seconds(fetched.fetchSeconds)}, ${seconds(fetched.fetchCpuSeconds)} of processor with the companion`,
    );
    const exported = await timed(() => program.countExported('orders'));
    say('exported', `${exported.result} orders in ${seconds(exported.seconds)}`, program);
    const { seconds: rebuildSeconds } = await timed(() => program.post('/rebuild', {}));
    if ((await program.countExported('orders')) !== exported.result) {
      throw new Error('The database that was made anew has other orders.');
    }
    say('rebuilt', seconds(rebuildSeconds), program);
    const answers = {
      idle: await answersWhile(program, history, () => pause(IDLE_MS)),
      sync: await answersWhile(program, history, () => program.sync()),
    };
    const incrementalSeconds = await changeSome(program, history, 100);
    say('changed 1 %', seconds(incrementalSeconds), program);
    const clients = new Clients(program.url, history);
    const passes: { from: number; to: number }[] = [];
    await changeSome(program, history, 3, (pass) => passes.push(pass));
    const pass = await clients.end((began, ended) =>
      passes.some(({ from, to }) => began <= to && ended >= from),
    );
    say('answered', JSON.stringify({ ...answers, pass }), program);
    return {
      incrementalSeconds,
      exportSeconds: exported.seconds,
      rebuildSeconds,
      answers: { ...answers, pass },
      duckdbSeconds: duckdb,
      duckdbPassSeconds: ofPass,
      duckdbImportSeconds: ofImport,
      ...fetched,
    };
  });
}

const IDLE_MS = 15_000;

async function answersWhile(
  program: Reconciliation,
  history: BenchHistory,
  work: () => Promise<unknown>,
): Promise<Answers> {
  const clients = new Clients(program.url, history);
  await work();
  return clients.end();
}

/**
 * Adds a refund of one unit to the ledger of every n-th order, and withdraws it.
 * @returns seconds of the faster of the two passes that judge those orders
 */
async function changeSome(
  program: Reconciliation,
  history: BenchHistory,
  every: number,
  onPass?: (pass: { from: number; to: number }) => void,
): Promise<number> {
  const { orders, asOf } = history.summary;
  const lines: string[] = [];
  for (let nth = 1; nth <= orders; nth += every) {
    const id = orderId(history, nth);
    const line = { merchantOrderId: id, type: 'refund', amount: 1, currency: 'USD', date: asOf };
    lines.push(`${JSON.stringify({ ...line, transactionId: `changed-${every}-${id}` })}\n`);
  }
  let best = Infinity;
  for (const withdraw of [false, true]) {
    const before = program.passes.length;
    await program.importLedger(Readable.from(lines), { withdraw });
    const to = performance.now();
    const passes = program.passes.slice(before);
    const judged = passes.reduce((sum, { count }) => sum + count, 0);
    if (judged < 0.9 * lines.length) {
      throw new Error(`${judged} orders were judged, of ${lines.length} that changed.`);
    }
    const taken = passes.reduce((sum, pass) => sum + pass.seconds, 0);
    onPass?.({ from: to - taken * 1000, to });
    best = Math.min(best, taken);
  }
  return best;
}

/** Prints a figure; for a program also its processor time and peak memory so far. */
function say(what: string, how: string, program?: Reconciliation): void {
  const { pid } = program?.program ?? {};
  const process =
    pid === undefined
      ? ''
      : `  [${seconds(cpuSeconds(usageOf(pid)))} of processor, ${peakMb(pid)} MB]`;
  console.log(`  ${what}: ${how}${process}`);
}

function seconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} s`;
}
