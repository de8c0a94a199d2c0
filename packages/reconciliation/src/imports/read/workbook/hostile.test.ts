import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sheetColumns } from '../../../cases/sheet-row.ts';
import type { TestCompanion } from '../../../companion/companion.fixture.ts';
import { startShop, until, variablesOf } from '../../../program.fixture.ts';
import {
  row,
  text,
  workbookEntries,
  zip64End,
  zipEnd,
  zipOf,
  zipParts,
} from './workbook.fixture.ts';

/**
 * `HOSTILE=1` prints the cost of each workbook, and checks times. Without it, only answers and memory are
 * checked, because times depend on the load of the machine.
 */
const isTimed = process.env.HOSTILE === '1';
const MIB = 1_048_576;
const MAX_RISE = 300 * MIB;
const MAX_MS = 30_000;
const MAX_LIVEZ_MS = 1_000;
const MEASURE_MS = 20;

const ends: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

let url: string;
let pid: number;
let idle: number;

beforeAll(async () => {
  const shop: TestCompanion = await startShop(0, (end) => void ends.push(end));
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(import.meta.dirname, '..', '..', '..', 'serve.fixture.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    env: { PATH: process.env.PATH, ...variablesOf(shop, {}, folder) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ends.push(async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });
  [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  pid = child.pid ?? 0;
  await until(async () => (await fetch(`${url}/readyz`)).ok);
  // The first workbook loads the modules that reading one needs.
  await send(DRY_RUN, zipOf(workbookEntries({ Lines: header })));
  idle = residentBytes(pid);
});

/** Returns the ids of a process and of all that it started. */
function processesOf(of: number): number[] {
  try {
    const started = readdirSync(`/proc/${of}/task`).flatMap((task) =>
      readFileSync(`/proc/${of}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    );
    return [of, ...started.flatMap((child) => processesOf(Number(child)))];
  } catch {
    // The process has ended.
    return [];
  }
}

/** Returns the resident memory of a process and of all that it started. */
function residentBytes(of: number): number {
  return processesOf(of).reduce((sum, one) => {
    const status = existsSync(`/proc/${one}`) ? readFileSync(`/proc/${one}/status`, 'utf8') : '';
    return sum + Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
  }, 0);
}

async function send(path: string, body: Uint8Array, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': WORKBOOK_TYPE };
  return fetch(`${url}${path}`, { method: 'POST', headers, body, ...(signal && { signal }) });
}

interface Cost {
  status: number;
  answer: string;
  ms: number;
  /** Highest memory above that of the idle program, and longest response time of `/livez`. */
  rise: number;
  livezMs: number;
}

/** Sends a workbook, and measures the program until it responds. */
async function costOf(path: string, body: Uint8Array): Promise<Cost> {
  let isOver = false;
  let [rise, livezMs] = [0, 0];
  const measure = async () => {
    while (!isOver) {
      rise = Math.max(rise, residentBytes(pid) - idle);
      await sleep(MEASURE_MS);
    }
  };
  const ask = async () => {
    while (!isOver) {
      const asked = performance.now();
      await (await fetch(`${url}/livez`)).text();
      livezMs = Math.max(livezMs, performance.now() - asked);
      await sleep(MEASURE_MS);
    }
  };
  const watched = [measure(), ask()];
  const began = performance.now();
  const response = await send(path, body);
  const answer = await response.text();
  const ms = performance.now() - began;
  isOver = true;
  await Promise.all(watched);
  return { status: response.status, answer, ms, rise, livezMs };
}

const SHEET = 'xl/worksheets/sheet1.xml';
const SHARED = 'xl/sharedStrings.xml';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const header = row(1, ...['merchantOrderId', 'type', 'amount', 'currency', 'date'].map(text));
const caseHeader = row(1, ...sheetColumns.map(text));
const lines = workbookEntries({ Lines: header });

const repeated = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('');
const withRows = (rows: string) => workbookEntries({ Lines: header + rows });
const sst = (texts: string) => `<sst xmlns="${main}">${texts}</sst>`;
/** Incompressible bytes, so that the archive may unpack to forty times its size. */
const padding = () => ({ content: crypto.getRandomValues(new Uint8Array(65_536)) });
const padded = (entries: Record<string, string>, count = 64) => ({
  ...entries,
  ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`xl/media/${at}`, padding()])),
});

/** Returns an archive whose plain directory is harmless, and whose ZIP64 directory is not. */
function withTwoDirectories(hidden: Record<string, string>): Uint8Array {
  const one = zipParts(lines);
  const other = zipParts(hidden, 'plain', one.data.length);
  const [plain, long] = [one, other].map(({ records }) => Buffer.concat([...records.values()]));
  const from = one.data.length + other.data.length;
  const [size = 0, longSize = 0] = [plain?.length, long?.length];
  const at = from + longSize + size;
  return Buffer.concat([
    one.data,
    other.data,
    long ?? Buffer.alloc(0),
    plain ?? Buffer.alloc(0),
    zip64End({ count: other.records.size, size: longSize, from }, at),
    zipEnd({ count: one.records.size, size: 0xff_ff_ff_ff, from: from + longSize }),
  ]);
}

/** Returns an archive whose directory states a smaller size than the local header. */
function withSizeInLocalHeader(entries: Record<string, string>): Uint8Array {
  const { data, records } = zipParts(entries);
  const record = records.get(SHARED);
  record?.writeUInt16LE(8, 8);
  record?.writeUInt32LE(0, 20);
  record?.writeUInt32LE(1_000, 24);
  const list = Buffer.concat([...records.values()]);
  const directory = { count: records.size, size: list.length, from: data.length };
  return Buffer.concat([data, list, zipEnd(directory)]);
}

const manyTexts = sst(repeated(1_900_000, (at) => `<si><t>${at % 10}</t></si>`));
const bomb = { ...lines, [SHARED]: sst(`<si><t>${'0'.repeat(64 * MIB)}</t></si>`) };
const longText = sst(`<si><t>${'x'.repeat(30_000)}</t></si>`);
const longRow = (at: number) => row(at + 2, '<c t="s"><v>0</v></c>', '<c t="s"><v>0</v></c>');
const farCell = (at: number) =>
  `<row r="${at + 2}"><c r="A${at + 2}"><v>1</v></c><c r="XFD${at + 2}"><v>1</v></c></row>`;
const utf16 = Buffer.from(`\uFEFF${sst(`<si><t>${'字'.repeat(500_000)}</t></si>`)}`, 'utf16le');
const entity = `<!DOCTYPE worksheet [<!ENTITY a "${'a'.repeat(1_000)}"><!ENTITY b "${'&a;'.repeat(1_000)}">]>`;

const PREVIEW = '/ledger/preview/workbook';
const DRY_RUN = '/ledger?options={"dryRun":true,"units":"major"}';
const CASES = '/cases/sheet';
const DIRECTORY = /list of contents/;
const UNPACKED = /unpacks to more/;
const DAMAGED = /is damaged, or no plain .xlsx/;

/** Hostile workbooks, each with its route and a part of the expected answer. */
const hostile: [string, string, RegExp, () => Uint8Array][] = [
  ['another directory in ZIP64', DRY_RUN, DIRECTORY, () => withTwoDirectories(bomb)],
  ['another directory in ZIP64, to preview', PREVIEW, DIRECTORY, () => withTwoDirectories(bomb)],
  ['another directory in ZIP64, of cases', CASES, DIRECTORY, () => withTwoDirectories(bomb)],
  ['sizes in a local header', DRY_RUN, DIRECTORY, () => withSizeInLocalHeader(bomb)],
  ['sizes in a local header, of cases', CASES, DIRECTORY, () => withSizeInLocalHeader(bomb)],
  [
    'shared texts above their size',
    CASES,
    DIRECTORY,
    () => zipOf({ ...bomb, [SHARED]: { content: bomb[SHARED], stated: 1_000 } }),
  ],
  [
    'two million shared texts',
    PREVIEW,
    /"sheet":"Lines"/,
    () => zipOf(padded({ ...lines, [SHARED]: manyTexts })),
  ],
  [
    'a shared text of megabytes',
    DRY_RUN,
    DAMAGED,
    () => zipOf(padded({ ...lines, [SHARED]: sst(`<si><t>${'0'.repeat(30 * MIB)}</t></si>`) })),
  ],
  [
    'a shared text of thousands of runs',
    DRY_RUN,
    DAMAGED,
    () =>
      zipOf(
        padded({
          ...lines,
          [SHARED]: sst(`<si>${repeated(400_000, () => '<r><t>0000000000</t></r>')}</si>`),
        }),
      ),
  ],
  [
    'shared texts in UTF-16',
    PREVIEW,
    DAMAGED,
    () => zipOf({ ...lines, [SHARED]: { content: utf16 } }),
  ],
  [
    'a long text in many cells',
    DRY_RUN,
    /"lines":10000/,
    () => zipOf({ ...withRows(repeated(10_000, longRow)), [SHARED]: longText }),
  ],
  [
    'a long text in many cells, of cases',
    CASES,
    /more than 16777216 characters/,
    () =>
      zipOf({
        ...workbookEntries({ Cases: caseHeader + repeated(20_000, longRow) }),
        [SHARED]: longText,
      }),
  ],
  [
    'a million blank rows',
    PREVIEW,
    /"rows":\[\]/,
    () => zipOf(padded(withRows(repeated(1_000_000, () => '<row/>')))),
  ],
  [
    'cells far to the right',
    DRY_RUN,
    /"columns-differ"/,
    () => zipOf(padded(withRows(repeated(2_000, farCell)))),
  ],
  [
    'thousands of columns',
    DRY_RUN,
    /"lines":1000/,
    () => {
      const wide = header.replace('</row>', `${text('c').repeat(16_379)}</row>`);
      return zipOf(padded(workbookEntries({ Lines: wide + repeated(1_000, farCell) })));
    },
  ],
  [
    'merged cells that overlap',
    PREVIEW,
    DAMAGED,
    () => {
      const rows = header + repeated(1_000, (at) => row(at + 2, text('A-1')));
      const areas = '<mergeCell ref="A1:XFD1048576"/>'.repeat(100_000);
      const below = `<mergeCells>${areas}</mergeCells>`;
      return zipOf(padded(workbookEntries({ Lines: { rows, below } })));
    },
  ],
  [
    'millions of nested elements',
    DRY_RUN,
    /cannot be read/,
    () => zipOf(padded({ ...lines, [SHEET]: '<a>'.repeat(5_000_000) })),
  ],
  [
    'entities of its own',
    PREVIEW,
    DAMAGED,
    () => zipOf({ ...lines, [SHEET]: `${entity}<worksheet>${'&b;'.repeat(1_000)}</worksheet>` }),
  ],
  [
    'a tag of megabytes',
    DRY_RUN,
    DAMAGED,
    () =>
      zipOf(
        padded({ ...lines, [SHEET]: `<worksheet ${repeated(3_000_000, (at) => `a${at}="" `)}>` }),
      ),
  ],
  [
    'millions of cell formats',
    CASES,
    UNPACKED,
    () => {
      const formats = `<cellXfs>${'<xf/>'.repeat(5_000_000)}</cellXfs>`;
      const styles = `<styleSheet xmlns="${main}">${formats}</styleSheet>`;
      return zipOf(padded({ ...lines, 'xl/styles.xml': styles }));
    },
  ],
  [
    'thousands of entries',
    PREVIEW,
    UNPACKED,
    () => {
      const empty = Array.from({ length: 50_000 }, (_, at) => [`a${at}`, '']);
      return zipOf({ ...lines, ...(Object.fromEntries(empty) as Record<string, string>) });
    },
  ],
  [
    'hundreds of sheets',
    PREVIEW,
    /"sheets":\["S20"/,
    () => {
      const sheets = Array.from({ length: 900 }, (_, at) => [`S${at}`, row(1, '<c/>')]);
      return zipOf(workbookEntries(Object.fromEntries(sheets) as Record<string, string>));
    },
  ],
];

test.each(hostile)('takes a workbook with %s within its limits', async (name, path, said, make) => {
  const { answer, livezMs, ms, rise, status } = await costOf(path, make());
  if (isTimed) {
    const [took, rose] = [`${Math.round(ms)} ms`, `${Math.round(rise / MIB)} MiB`];
    process.stdout.write(
      `| ${name} | ${path} | ${took} | ${rose} | ${Math.round(livezMs)} ms | ${status} |\n`,
    );
  }
  expect(answer).toMatch(said);
  expect(rise).toBeLessThan(MAX_RISE);
  if (isTimed) {
    expect(ms).toBeLessThan(MAX_MS);
    expect(livezMs).toBeLessThan(MAX_LIVEZ_MS);
  }
});

test.each([DRY_RUN, PREVIEW, CASES])(
  'ends the reading at %s when its client leaves',
  async (path) => {
    const rows = repeated(400_000, (at) => row(at + 2, '<c t="s"><v>0</v></c>'));
    const sheet = { Lines: (path === CASES ? caseHeader : header) + rows };
    const client = new AbortController();
    const answered = send(path, zipOf(padded(workbookEntries(sheet))), client.signal);
    await until(() => Promise.resolve(processesOf(pid).length > 1));
    client.abort();
    await expect(answered).rejects.toThrow();
    await until(() => Promise.resolve(processesOf(pid).length === 1));
  },
);
