// Measures the sandbox: seconds to seed a history, records per second of the paged report over HTTPS, and
// the peak memory of both. It parses every page, counts every record and adds up its amount, and fails
// when the result differs from the seeded history.
//
//   npm run bench:sandbox -- [--orders 200000] [--limit 1000]
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { compile } from '../scripts/compile.ts';
import { root } from '../scripts/paths.ts';

const main = join(root, 'packages/sandbox/dist/main.js');
const reportPath = '/v2/post-sale/fundings/report';

interface Summary {
  orders: number;
  fundings: number;
  seconds: number;
  out: string;
  files: { truth: string };
}

/** The fields of a record that are added up; all amounts are dollars. */
interface Posted {
  transactionType: string;
  transactionAmount: number;
}

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '200000' }, limit: { type: 'string' } },
});
const orders = wholeNumber('--orders', values.orders);
const limits = values.limit === undefined ? [1000, 10_000] : [wholeNumber('--limit', values.limit)];

compile();
const dataDir = mkdtempSync(join(tmpdir(), 'bench-sandbox-'));
try {
  await bench();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

async function bench(): Promise<void> {
  console.log(`seeding ${orders} orders …`);
  const seeding = run('seed', '--orders', String(orders), '--seed', '7', '--json');
  const seedPeak = watchMemory(seeding);
  const lines = await linesOf(seeding);
  const [code] = (await once(seeding, 'exit')) as [number];
  if (code !== 0) throw new Error(`seeding ended with ${code}`);
  const summary = JSON.parse(lines.at(-1) ?? '') as Summary;
  const expected = { records: summary.fundings, ...(await fundedByTruth(summary)) };
  console.log(`seeded ${summary.fundings} fundings in ${summary.seconds} s`);

  const server = run('serve', '--api-port', '0', '--hosted-port', '0', '--control-port', '0');
  const serverPeak = watchMemory(server);
  try {
    const lines = await linesOf(server, 'ready');
    const origin = lines.map((line) => /API of sandbox: (\S+)/.exec(line)?.[1]).find(Boolean);
    if (origin === undefined) throw new Error('the sandbox did not say where its API is');
    const rates = new Map<number, number>();
    for (const limit of limits) rates.set(limit, await readAll(origin, limit, expected));
    console.log(`peak memory: seed ${seedPeak()} MB, server ${serverPeak()} MB`);
    const result = {
      bench: 'sandbox',
      orders,
      records: summary.fundings,
      recordsPerSecond: Math.min(...rates.values()),
      recordsPerSecondByLimit: Object.fromEntries(rates),
      seedSeconds: summary.seconds,
      seedPeakRssMb: seedPeak(),
      serverPeakRssMb: serverPeak(),
      peakRssMb: Math.max(seedPeak(), serverPeak()),
    };
    console.log(JSON.stringify(result));
  } finally {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  }
}

/** Expected sums of fundings in minor units by type, from the file next to the history. */
async function fundedByTruth({ out, files }: Summary): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for await (const line of createInterface({ input: createReadStream(join(out, files.truth)) })) {
    const { funded = {} } = JSON.parse(line) as { funded?: Record<string, number> };
    for (const [type, amount] of Object.entries(funded)) sums[type] = (sums[type] ?? 0) + amount;
  }
  return sums;
}

/**
 * Reads all pages of the report.
 * @param expected number of records, and the sum of each type
 * @returns records per second
 */
async function readAll(
  origin: string,
  limit: number,
  expected: Record<string, number>,
): Promise<number> {
  const pool = new Pool(origin, {
    connections: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { ca: readFileSync(join(dataDir, 'ca.pem'), 'utf8') },
  });
  const key = readFileSync(join(dataDir, 'keys/sandbox.private'), 'utf8').trim();
  let read = 0;
  const sums: Record<string, number> = {};
  const started = performance.now();
  for (;;) {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `${reportPath}?showMissing=true&limit=${limit}&offset=${read}`,
      headers: { authorization: `Bearer ${key}` },
    });
    if (statusCode !== 200) throw new Error(`the report answered ${statusCode}`);
    const { records } = JSON.parse(await body.text()) as { records: Posted[] };
    read += records.length;
    for (const { transactionType, transactionAmount } of records) {
      const type = transactionType.toLowerCase();
      sums[type] = (sums[type] ?? 0) + Math.round(transactionAmount * 100);
    }
    if (records.length < limit || read > (expected.records ?? 0)) break;
  }
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  for (const [what, amount] of Object.entries(expected)) {
    const found = what === 'records' ? read : (sums[what] ?? 0);
    if (found !== amount) throw new Error(`read ${found} of ${what}, not ${amount}`);
  }
  const rate = Math.round(read / seconds);
  console.log(`limit ${limit}: ${read} records in ${seconds.toFixed(1)} s, ${rate} a second`);
  return rate;
}

function run(...parameters: string[]): ChildProcess {
  const leash = new URL('../scripts/leash.ts', import.meta.url).href;
  const args = ['--import', leash, main, ...parameters, '--data-dir', dataDir];
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Reads a process's output lines: all, or up to the first that contains a word. */
async function linesOf(child: ChildProcess, until?: string): Promise<string[]> {
  const lines: string[] = [];
  if (!child.stdout) return lines;
  const reader = createInterface({ input: child.stdout });
  for await (const line of reader) {
    lines.push(line);
    if (until !== undefined && line.includes(until)) break;
  }
  // Drains the pipe, because a full pipe would block the process.
  if (until !== undefined) child.stdout.resume();
  return lines;
}

/** Returns the peak memory of a process in MB; 0 where the system does not report it. */
function watchMemory(child: ChildProcess): () => number {
  let peak = 0;
  const look = () => {
    try {
      const status = readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8');
      const kib = /VmHWM:\s+(\d+)/.exec(status)?.[1];
      if (kib !== undefined) peak = Math.max(peak, Math.round(Number(kib) / 1024));
    } catch {
      // The process has ended, or the system is not Linux.
    }
  };
  const timer = setInterval(look, 200);
  child.on('exit', () => clearInterval(timer));
  return () => {
    look();
    return peak;
  };
}

function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text);
  console.error(`${option} must be a whole number from 1 to 99999999.`);
  process.exit(2);
}
