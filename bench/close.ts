// `npm run bench:close [-- --orders 1000000]`: closes a period with that many orders and about 1.1
// fundings for each, and verifies its seal, through the program as a merchant runs it. The seal's
// verification is compared with a plain SHA-256 over the same bytes in one file. The journal of the
// period is then exported by order, and `journalSeconds` is its time for a million lines. The
// program then starts again with an empty lake: `lake` has the seconds for the first write, for one
// without changes and for the verification, and the memory. With 100,000 orders it takes a minute,
// with a million about five, and a gigabyte in .data/bench for the history. Exits with 1 if the
// seal or the lake is not intact or a goal is missed.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { compile } from '../scripts/compile.ts';
import { startCompanion, startService } from '../tests/reconciliation/companion.ts';
import { policyOf } from '../tests/reconciliation/history.ts';
import { historyOf } from './reconciliation/history.ts';
import { cpuSeconds, peakMb } from './reconciliation/processes.ts';
import { startReconciliation } from './reconciliation/program.ts';

/** The parts of the answers that the bench reads. */
interface PeriodDetail {
  period: { seal?: { hash: string } };
  checks: { check: string; state: string; count: number; digest: string }[];
}
interface JournalExport {
  lines: number;
  entries: number;
  balances: { debit: number; credit: number }[];
}
interface Walk {
  statements: { currency: string; net: number; awaiting: number }[];
}
interface LakeVerification {
  isIntact: boolean;
  files: number;
  rows: number;
  bytes: number;
  outdated: number;
  periods: { isEqual: boolean; changedDays: string[] }[];
}
interface SealVerification {
  isIntact: boolean;
  seals: { bytes: number }[];
}

const { values } = parseArgs({ options: { orders: { type: 'string', default: '1000000' } } });
const orders = Number(values.orders);
if (!Number.isInteger(orders) || orders < 1_000 || orders > 10_000_000) {
  console.error('--orders must be 1,000 to 10,000,000.');
  process.exit(2);
}

const goals = { closeSeconds: 10, verifyVsSha256: 3, peakRssMb: 512, journalSeconds: 5 };
const MILLION = 1_000_000;
/** Mistakes that leave cases to accept, but nothing unexplained. */
const FAULTS = 'never-funded=1%,duplicate=0.5%,split=1%,chargeback=0.5%';
const PER_ORDER = 1.1;
const DAY_MS = 86_400_000;

compile();
const history = historyOf(Math.round(orders * PER_ORDER), 7, FAULTS);
const { from, asOf } = history.summary;
const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);
const today = Date.parse(asOf.slice(0, 10));
const periods = [
  { id: 'P1', from: from.slice(0, 10), to: dayOf(today - DAY_MS) },
  { id: 'P2', from: dayOf(today), to: dayOf(today + 30 * DAY_MS) },
];

const folder = mkdtempSync(join(tmpdir(), 'bench-close-'));
const store = join(folder, 'facts.db');
const service = await startService(history);
const companion = await startCompanion({ folder: join(folder, 'companion'), service, history });
const settings = {
  folder: join(folder, 'reconciliation'),
  companionUrl: companion.url,
  history,
  store: `sqlite:${store}`,
  policy: { ...policyOf(history), periods },
};
let program = await startReconciliation(settings);
const seconds = (since: number) => (performance.now() - since) / 1_000;
const rounded = (value: number) => Number(value.toPrecision(3));

try {
  await program.importLedger(createReadStream(history.ledger));
  const run = await program.sync();
  console.log(`${run.records} fundings of ${history.summary.ledgerLines} lines are in the store`);
  const peakBefore = peakMb(program.program.pid);
  const { checks } = await program.get<PeriodDetail>('/periods/P1');
  for (const { check, state, count, digest } of checks) {
    if (state !== 'blocked') continue;
    console.log(`accepted: ${check} (${count})`);
    const reason = 'accepted by the bench';
    await program.post('/periods/P1/acceptance', { check, digest, reason });
  }
  await program.post('/periods/P1/preparation', {});
  const began = performance.now();
  const closed = (await (await program.post('/periods/P1/close', {})).json()) as PeriodDetail;
  const closeSeconds = seconds(began);
  console.log(`closed in ${rounded(closeSeconds)} s: ${closed.period.seal?.hash ?? 'no seal'}`);

  const verifying = performance.now();
  const verified = await program.get<SealVerification>('/periods/verification');
  const verifySeconds = seconds(verifying);
  const peakRssMb = peakMb(program.program.pid);
  if (!verified.isIntact || verified.seals.length !== 1) {
    throw new Error(`The seal is not intact: ${JSON.stringify(verified)}`);
  }
  const file = await sealedBytes();
  const hashing = performance.now();
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1_048_576 }), hash);
  const plainSeconds = seconds(hashing);
  console.log(
    `verified in ${rounded(verifySeconds)} s, a plain SHA-256 takes ${rounded(plainSeconds)} s: ${hash.digest('hex')}`,
  );
  const exporting = performance.now();
  const request = { format: 'csv', detail: 'orders' };
  const answer = await program.post('/periods/P1/journal', request);
  const exportSeconds = seconds(exporting);
  const journal = (await answer.json()) as JournalExport;
  const difference = journal.balances.reduce((sum, { debit, credit }) => sum + debit - credit, 0);
  if (difference !== 0 || journal.entries < orders) {
    throw new Error(`The journal does not balance: ${JSON.stringify(journal)}`);
  }
  console.log(
    `exported ${journal.lines} lines in ${rounded(exportSeconds)} s ` +
      `[${rounded(cpuSeconds(program.usage.between(exporting)))} s of processor, ${peakMb(program.program.pid)} MB]`,
  );
  const journalPeakRssMb = peakMb(program.program.pid);
  await program.stop();
  const lake = await writtenLake();
  const result = {
    closeSeconds: rounded(closeSeconds),
    verifyVsSha256: rounded(verifySeconds / plainSeconds),
    peakRssMb,
    journalSeconds: rounded((exportSeconds / journal.lines) * MILLION),
  };
  const missed = Object.entries(goals).filter(
    ([name, goal]) => result[name as keyof typeof goals] > goal,
  );
  for (const [name, goal] of missed) console.log(`missed: ${name}, at most ${goal}`);
  console.log(
    JSON.stringify({
      bench: 'close',
      orders,
      ...result,
      peakRssMbBefore: peakBefore,
      bytes: verified.seals[0]?.bytes,
      journalLines: journal.lines,
      journalPeakRssMb,
      lake,
    }),
  );
  if (missed.length > 0) process.exitCode = 1;
} finally {
  await program.stop();
  await companion.program.stop();
  await service.program.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Writes and verifies a lake in a separate process. */
async function writtenLake() {
  const RECONCILIATION_LAKE = join(folder, 'lake');
  mkdirSync(RECONCILIATION_LAKE);
  program = await startReconciliation({ ...settings, env: { RECONCILIATION_LAKE } });
  const { pid, lines } = program.program;
  const rssMbBefore = peakMb(pid);
  // The program also writes on its own when it is ready; the second request has nothing to write.
  await program.post('/lake', {});
  await program.post('/lake', {});
  const taken = lines.flatMap((line) => {
    if (!line.includes('"event":"lake-written"')) return [];
    const { durationMs } = JSON.parse(line) as { durationMs: number };
    return [durationMs / 1_000];
  });
  const verifying = performance.now();
  const {
    isIntact,
    outdated,
    periods: seals,
    ...size
  } = await program.get<LakeVerification>('/lake/verification');
  const isEqual = seals.every((seal) => seal.isEqual && seal.changedDays.length === 0);
  if (!isIntact || outdated > 0 || seals.length !== 1 || !isEqual) {
    throw new Error(`The lake is not intact: ${JSON.stringify({ isIntact, outdated, seals })}`);
  }
  const verifySeconds = rounded(seconds(verifying));
  await compareWithWalk(RECONCILIATION_LAKE);
  return {
    seconds: taken[0],
    unchangedSeconds: taken.at(-1),
    verifySeconds,
    ...size,
    rssMbBefore,
    peakRssMb: peakMb(pid),
  };
}

/** Compares what another engine reads from the lake with the answers of the program. */
async function compareWithWalk(lake: string): Promise<void> {
  const { statements } = await program.get<Walk>('/walk');
  const { days } = await program.get<{ days: { records: number }[] }>('/days');
  const fundings = days.reduce((sum, { records }) => sum + records, 0);
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '256MB', threads: '1' });
  const connection = await instance.connect();
  const from = (table: string) =>
    `from read_parquet('${lake}/${table}/*/*/*.parquet', hive_partitioning = true)`;
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  const found = {
    fundings: await read(`select count(*)::integer as count ${from('fundings')}`),
    orders: await read(
      `select currency, sum(net_minor)::double as net, -sum(awaiting_minor)::double as awaiting
      ${from('orders')} where not currency_assumed and currency <> '' group by all order by all`,
    ),
  };
  connection.closeSync();
  instance.closeSync();
  const expected = {
    fundings: [{ count: fundings }],
    orders: statements.map(({ currency, net, awaiting }) => ({ currency, net, awaiting })),
  };
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    throw new Error(`The lake differs: ${JSON.stringify({ found, expected })}`);
  }
}

/** Writes all bytes that the seal covers to one file. */
async function sealedBytes(): Promise<string> {
  const database = new DatabaseSync(store, { readOnly: true });
  const file = join(folder, 'sealed');
  try {
    await pipeline(function* () {
      for (const sql of [
        'select body as content from seals',
        'select content from day_contents order by day',
        'select content from ledger_import_contents',
        'select content from seal_flows',
      ]) {
        for (const { content } of database.prepare(sql).iterate()) {
          yield typeof content === 'string' ? Buffer.from(content) : content;
        }
      }
    }, createWriteStream(file));
  } finally {
    database.close();
  }
  return file;
}
