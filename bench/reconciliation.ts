// `npm run bench:reconciliation [-- --records 1000000 --seed 7 --store sqlite|postgres]`: runs a
// seeded history through the sandbox over HTTPS, the companion and `financing-reconcile serve`, all
// built: import of the ledger, sync, passes over all orders and over 1 % of them, queries from five
// clients, export, rebuild; graded against the truth of the history. The same run also measures
// what DuckDB takes for a pass over the same rows and for an import of the same file, a plain
// JSON.parse of the pages, and a client that fetches both readings from the companion and discards
// them: machines differ, so compare `ratio`. The first run creates the history in .data/bench.
// Exits with 1 if an exception or a sum is wrong; figures never fail the run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compile } from '../scripts/compile.ts';
import { goalLines } from './reconciliation/goals.ts';
import { historyOf } from './reconciliation/history.ts';
import { type Measured, measure, measureMore, type More } from './reconciliation/measure.ts';
import { cpuSeconds } from './reconciliation/processes.ts';
import { questions } from './reconciliation/questions.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '7' },
    store: { type: 'string', default: 'sqlite' },
  },
});
const records = Number(values.records);
if (!Number.isInteger(records) || records < 10_000 || records > 10_000_000) {
  console.error('--records must be a whole number from 10000 to 10000000.');
  process.exit(2);
}
const seed = Number(values.seed);
if (!Number.isInteger(seed) || seed < 0 || seed > 1_000_000) {
  console.error('--seed must be a whole number from 0 to 1000000.');
  process.exit(2);
}
if (values.store !== 'sqlite' && values.store !== 'postgres') {
  console.error('--store must be sqlite or postgres.');
  process.exit(2);
}

compile();
const folder = mkdtempSync(join(tmpdir(), 'bench-reconciliation-'));
const postgres =
  values.store === 'postgres'
    ? await (await import('./reconciliation/postgres.ts')).postgresPlaces()
    : undefined;
try {
  const small = await run(records / 10, () => Promise.resolve({}));
  report(small, await run(records, measureMore));
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function run<Extra extends object>(
  wanted: number,
  more: Parameters<typeof measure<Extra>>[1],
): Promise<Measured & Extra> {
  const history = historyOf(wanted, seed);
  const { fundings, orders } = history.summary;
  console.log(`${fundings} fundings of ${orders} orders`);
  const own = join(folder, String(orders));
  const store = postgres
    ? await postgres.database(`orders_${orders}`)
    : `sqlite:${join(own, 'facts.db')}`;
  return measure({ history, folder: own, store }, more);
}

function report(small: Measured, large: Measured & More): void {
  const { graded, cpu, answers, used } = large;
  const total = ({ syncSeconds, fullSeconds }: Measured) => syncSeconds + fullSeconds;
  const growth = total(large) / total(small) / (large.records / small.records / 10);
  const answersP95Ms = Object.fromEntries(
    questions.map((question) => [
      question,
      Math.max(...Object.values(answers).map(({ p95Ms }) => p95Ms[question])),
    ]),
  );
  const precision = Math.min(graded.grade.precision, small.graded.grade.precision);
  const recall = Math.min(graded.grade.recall, small.graded.grade.recall);
  const cpuMicrosPerRecord = round(cpu.reconciliation + cpu.companion);
  const ratio = {
    cpuVsFetch: round(cpuSeconds(used.sync) / large.fetchCpuSeconds),
    catchUpVsSync: round(large.catchUpSeconds / large.syncSeconds),
    importVsDuckdb: round(cpuSeconds(used.import) / large.duckdbImportSeconds),
    fullVsDuckdb: round(cpuSeconds(used.full) / large.duckdbPassSeconds),
    incrementalVsDuckdb: round(large.incrementalSeconds / large.duckdbSeconds),
    incrementalVsFull: round(large.incrementalSeconds / large.fullSeconds),
    syncVsParse: round(large.syncSeconds / large.parseSeconds),
    syncVsFetch: round(large.fetchSeconds / large.syncSeconds),
    growth10x: round(growth),
  };
  // Goals in seconds apply to a million records or fewer; a larger history may take longer.
  const scale = Math.max(1, large.records / 1_000_000);
  const importSecondsOf900000 = round((large.importSeconds / large.ledgerLines) * 900_000);
  const worst = Math.max(...Object.values(answersP95Ms));
  const goals = [
    { name: 'cpuVsFetch', is: ratio.cpuVsFetch, most: 3 },
    { name: 'catchUpVsSync', is: ratio.catchUpVsSync, most: 0.25 },
    { name: 'importVsDuckdb', is: ratio.importVsDuckdb, most: 4 },
    { name: 'fullVsDuckdb', is: ratio.fullVsDuckdb, most: 1.5 },
    { name: 'syncVsFetch', is: ratio.syncVsFetch, least: 0.5 },
    { name: 'cpuMicrosPerRecord', is: cpuMicrosPerRecord, most: 45 },
    { name: 'catchUpSeconds', is: round(large.catchUpSeconds), most: round(5 * scale) },
    { name: 'importSecondsOf900000', is: importSecondsOf900000, most: 15 },
    { name: 'incrementalVsDuckdb', is: ratio.incrementalVsDuckdb, most: 0.4 },
    { name: 'answersP95Ms, the slowest', is: worst, most: 200 },
    { name: 'exportSeconds', is: round(large.exportSeconds), most: round(4 * scale) },
    { name: 'rebuildSeconds', is: round(large.rebuildSeconds), most: round(30 * scale) },
    { name: 'peakRssMb', is: large.peakRssMb, most: large.records > 2_000_000 ? 640 : 512 },
    { name: 'growth10x', is: ratio.growth10x, most: 11 },
    { name: 'precision', is: precision, least: 1 },
    { name: 'recall', is: recall, least: 1 },
  ];
  console.log(goalLines(goals).join('\n'));
  console.log(
    JSON.stringify({
      bench: 'reconciliation',
      store: values.store,
      records: large.records,
      syncPerSecond: Math.round(large.records / large.syncSeconds),
      cpuMicrosPerRecord,
      cpuMicros: {
        reconciliation: round(cpu.reconciliation),
        companion: round(cpu.companion),
        bothWithJudging: round(cpu.withJudging),
      },
      catchUpSeconds: round(large.catchUpSeconds),
      fullSeconds: round(large.fullSeconds),
      incrementalSeconds: round(large.incrementalSeconds),
      importSeconds: round(large.importSeconds),
      importSecondsOf900000,
      exportSeconds: round(large.exportSeconds),
      rebuildSeconds: round(large.rebuildSeconds),
      answersP95Ms,
      answersP95MsIdle: answers.idle.p95Ms,
      answersP95MsDuringSync: answers.sync.p95Ms,
      answersP95MsDuringPass: answers.pass.p95Ms,
      peakRssMb: large.peakRssMb,
      peakRssMbOfATenth: small.peakRssMb,
      companionPeakRssMb: large.companionPeakRssMb,
      duckdbSeconds: round(large.duckdbSeconds),
      duckdbPassCpuSeconds: round(large.duckdbPassSeconds),
      duckdbImportCpuSeconds: round(large.duckdbImportSeconds),
      fetchSeconds: round(large.fetchSeconds),
      fetchCpuSeconds: round(large.fetchCpuSeconds),
      syncCpuSeconds: round(cpuSeconds(used.sync)),
      importCpuSeconds: round(cpuSeconds(used.import)),
      fullCpuSeconds: round(cpuSeconds(used.full)),
      faultsPerRecord: round(used.sync.minorFaults / large.records),
      systemShare: round(used.sync.systemSeconds / cpuSeconds(used.sync)),
      precision,
      recall,
      ratio,
    }),
  );
  for (const { grade, wrongTotals } of [small.graded, graded]) {
    if (grade.precision === 1 && grade.recall === 1 && wrongTotals.length === 0) continue;
    console.error(`Found, and not so:\n${grade.wrong.join('\n')}`);
    console.error(`So, and not found:\n${grade.missed.join('\n')}`);
    console.error(`Wrong sums:\n${wrongTotals.join('\n')}`);
    process.exitCode = 1;
  }
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
