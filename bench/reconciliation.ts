// `npm run bench:reconciliation [-- --records 1000000 --store sqlite|postgres]`: a seeded history
// through the sandbox over HTTPS and the companion as it is run: import of the ledger, sync, a full
// recompute, one after 1 % changed, export; graded against the truth that was written with the
// history. Beside it, in the same run, DuckDB's order join on the same rows and a plain JSON.parse
// of the pages. The history is kept in .data/bench; the first run makes it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { compile } from '../scripts/build.ts';
import { dataDir } from '../scripts/paths.ts';
import type { Place } from '../tests/reconciliation/companion.ts';
import { seedHistory } from '../tests/reconciliation/history.ts';
import { sqlitePlace } from '../tests/reconciliation/sqlite-place.ts';
import { duckdbSeconds } from './reconciliation/duckdb.ts';
import { measure, type Measured } from './reconciliation/measure.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    store: { type: 'string', default: 'sqlite' },
  },
});
const records = Number(values.records);
if (!Number.isInteger(records) || records < 10_000 || records > 10_000_000) {
  console.error('--records must be a whole number from 10000 to 10000000.');
  process.exit(2);
}
if (values.store !== 'sqlite' && values.store !== 'postgres') {
  console.error('--store must be sqlite or postgres.');
  process.exit(2);
}

/** Fundings of an order, in a history with the usual mistakes. */
const PER_ORDER = 1.1;

compile();
const folder = mkdtempSync(join(tmpdir(), 'bench-reconciliation-'));
const postgres =
  values.store === 'postgres'
    ? await (await import('./reconciliation/postgres.ts')).postgresPlaces()
    : undefined;
try {
  const small = await run(records / 10);
  const large = await run(records);
  report(small.measured, large.measured, await duckdb(large.place));
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function run(wanted: number): Promise<{ measured: Measured; place: Place }> {
  const orders = Math.round(wanted / PER_ORDER);
  const home = join(dataDir, 'bench', `reconciliation-${orders}`);
  mkdirSync(home, { recursive: true });
  const started = performance.now();
  const history = seedHistory(home, { orders });
  console.log(
    `${history.summary.fundings} fundings of ${orders} orders (${seconds((performance.now() - started) / 1000)} to have them)`,
  );
  const own = join(folder, String(orders));
  mkdirSync(join(own, 'companion'), { recursive: true });
  const place = postgres
    ? await postgres.database(`orders_${orders}`)
    : sqlitePlace(join(own, 'companion'));
  const measured = await measure(history, own, place);
  for (const [name, value] of Object.entries(measured)) {
    if (name.endsWith('Seconds')) console.log(`  ${name}: ${seconds(Number(value))}`);
  }
  return { measured, place };
}

async function duckdb({ url, ask }: Place): Promise<number> {
  const { seconds: taken, orders } = await duckdbSeconds(async function* (table, names) {
    if (url.startsWith('sqlite:')) {
      const database = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
      for (const row of database.prepare(`select ${names} from ${table}`).iterate()) {
        yield Object.values(row) as (string | number | null)[];
      }
      database.close();
      return;
    }
    for (const row of await ask(`select ${names} from ${table}`)) {
      yield Object.entries(row).map(([name, value]) =>
        name.endsWith('amount') ? Number(value) : (value as string | null),
      );
    }
  });
  console.log(`DuckDB: ${orders} orders joined in ${seconds(taken)}`);
  return taken;
}

function report(small: Measured, large: Measured, duckdbTook: number): void {
  const { grade } = large;
  const total = ({ syncSeconds, fullSeconds }: Measured) => syncSeconds + fullSeconds;
  const growth = total(large) / total(small) / (large.records / small.records / 10);
  console.log(
    JSON.stringify({
      bench: 'reconciliation',
      store: values.store,
      records: large.records,
      syncPerSecond: Math.round(large.records / large.syncSeconds),
      fullSeconds: round(large.fullSeconds),
      againSeconds: round(large.againSeconds),
      incrementalSeconds: round(large.incrementalSeconds),
      importSeconds: round(large.importSeconds),
      exportSeconds: round(large.exportSeconds),
      peakRssMb: large.peakRssMb,
      peakRssMbOfATenth: small.peakRssMb,
      precision: Math.min(grade.precision, small.grade.precision),
      recall: Math.min(grade.recall, small.grade.recall),
      ratio: {
        fullVsDuckdb: round(large.fullSeconds / duckdbTook),
        syncVsParse: round(large.syncSeconds / large.parseSeconds),
        incrementalVsFull: round(large.incrementalSeconds / large.fullSeconds),
        growth10x: round(growth),
      },
    }),
  );
  for (const graded of [small.grade, grade]) {
    if (graded.precision === 1 && graded.recall === 1) continue;
    console.error(`Found, and not so:\n${graded.wrong.join('\n')}`);
    console.error(`So, and not found:\n${graded.missed.join('\n')}`);
    process.exitCode = 1;
  }
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function seconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} s`;
}
