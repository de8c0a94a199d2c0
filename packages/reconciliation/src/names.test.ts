import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from './facts/facts.fixture.ts';
import { NOW } from './imports/keep/ledger.fixture.ts';
import { readPlainLinesInChild } from './imports/read/processes.ts';
import { readLedgerFile } from './imports/read/read-file.ts';
import type { DatabaseJob } from './names-process.fixture.ts';
import { openDuckDB } from './platform/duckdb.ts';
import { mainBeside } from './platform/thread.ts';
import { wireRecord } from './sync/history.fixture.ts';
import { readPage } from './sync/page.ts';

const DAY = '2026-03-01';
/** Part of each name, and of each text that may contain one. */
const MARK = 'Quillmarkington';

/** Writes a day of fundings in pages, as a sync passes them to a database. */
async function writePages(folder: string, planted: Record<string, unknown>) {
  const records = Array.from({ length: 4_000 }, (_, at) =>
    wireRecord(at, `${DAY}T00:00:00.000Z`, {
      firstName: `Ada ${MARK}`,
      lastName: MARK,
      email: `${MARK}@example.com`,
      // Undocumented forms: a text of the lender, an object in a documented field.
      ...(at % 3 === 0 && { memo: `for ${MARK}`, productType: { firstName: MARK } }),
      ...planted,
    }),
  );
  return Promise.all(
    [records.slice(0, 2_000), records.slice(2_000)].map(async (part, index) => {
      const body = new TextEncoder().encode(JSON.stringify({ records: part }));
      const read = readPage(body, { calendar: new Calendar('UTC') });
      if (read === undefined) throw new Error('It is no page.');
      const path = join(folder, `page.${index}.tsv`);
      await writeFile(path, read.content);
      return { id: index + 1, path, longest: read.longest, common: 0 };
    }),
  );
}

/** Reads a ledger file with names in a column that is not mapped. @returns files of its lines */
async function writeLines(folder: string): Promise<string[]> {
  const rows = Array.from(
    { length: 5_000 },
    (_, at) => `A-${at},Settle,${at + 1}.50,USD,${DAY}T10:00:00Z,t-${at},${MARK} ${at}`,
  );
  const from = join(folder, 'ledger.csv');
  await writeFile(
    from,
    ['merchantOrderId,type,amount,currency,date,transactionId,buyer', ...rows].join('\n'),
  );
  const [plain, others] = [join(folder, 'plain'), join(folder, 'others')];
  const request = { from, options: { units: 'major' as const }, now: NOW, maxBytes: Infinity };
  const read = await readPlainLinesInChild({ ...request, to: plain });
  expect(read?.count).toBeGreaterThan(4_000);
  await readLedgerFile({ ...request, to: others, plain: read });
  return [plain, others];
}

/** Starts the process of the databases. @returns the process, while its files are open */
async function runDatabases(job: DatabaseJob): Promise<ChildProcess> {
  const child = fork(fileURLToPath(mainBeside('names-process.fixture', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.send(job);
  const [answer] = (await once(child, 'message')) as [unknown];
  expect(answer).toMatchObject({ result: { count: 4_010 } });
  return child;
}

/** Returns the addresses of a process's memory that contain the mark. */
function marksInMemory(pid: number): string[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    return readFileSync(`/proc/${pid}/maps`, 'latin1')
      .split('\n')
      .filter((line) => line.includes(' rw') && !line.includes('[v'))
      .flatMap((line) => {
        const [range = ''] = line.split(' ');
        const [start = 0, end = 0] = range.split('-').map((text) => Number.parseInt(text, 16));
        return bytesAt(memory, start, end).includes(MARK) ? [range] : [];
      });
  } finally {
    closeSync(memory);
  }
}

function bytesAt(memory: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  try {
    const length = readSync(memory, bytes, 0, bytes.length, start);
    return bytes.subarray(0, length);
  } catch {
    // The process has released the memory since its map was read.
    return Buffer.alloc(0);
  }
}

/** Returns the files of databases that contain the mark, as bytes or in the values of Parquet. */
async function marksInFiles(folder: string, inputs: readonly string[]): Promise<string[]> {
  const { instance, connection } = await openDuckDB({
    memoryLimit: '256MB',
    threads: 1,
    folders: [folder],
  });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !inputs.includes(entry.name))
    .map(({ name, parentPath }) => join(parentPath, name));
  const marked: string[] = [];
  for (const file of files) {
    const bytes = readFileSync(file);
    const isParquet = bytes.subarray(0, 4).toString() === 'PAR1';
    const rows = isParquet
      ? (
          await connection.runAndReadAll(`select r::varchar from read_parquet('${file}') r`)
        ).getRows()
      : [];
    if (bytes.includes(MARK) || rows.join().includes(MARK)) marked.push(file);
  }
  connection.closeSync();
  instance.closeSync();
  expect(files.some((file) => file.includes('spill'))).toBe(true);
  return marked.map((file) => file.slice(folder.length + 1));
}

async function marksAfter(planted: Record<string, unknown>) {
  const folder = temporaryFolder();
  const [pages, lines] = await Promise.all([writePages(folder, planted), writeLines(folder)]);
  const child = await runDatabases({ folder, day: DAY, pages, lines });
  return {
    memory: marksInMemory(child.pid ?? 0),
    files: await marksInFiles(folder, ['ledger.csv']),
  };
}

test.runIf(process.platform === 'linux')(
  'keeps names out of the files and the memory of databases',
  async () => {
    expect(await marksAfter({})).toEqual({ memory: [], files: [] });
  },
);

test.runIf(process.platform === 'linux')(
  'finds a name in files and memory once a documented field contains it',
  async () => {
    const { files, memory } = await marksAfter({ promoCode: MARK });
    expect(memory).not.toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['content.parquet', 'analytics.duckdb']));
  },
);
