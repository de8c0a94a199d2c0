import type {
  FundingDay,
  LakeRecord,
  LakeVerification,
  Walk,
} from '@financing-checkout/contract/reconciliation';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { commandLine } from '../cli/cli.fixture.ts';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { anna, at, ben, type Books, openBooks } from '../periods/periods.fixture.ts';
import { DuckDBInstance } from '../platform/duckdb.ts';
import { createProgram } from '../program.ts';
import { configure, dayBefore, run, shopDays, startShop, until } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';
import { LakeError } from './folder.ts';
import { type LakeFile, type Manifest, readManifest } from './manifest.ts';
import { writeLake } from './write.ts';

interface Lake {
  folder: string;
  books: Books;
  /** Runs statements, and returns the rows of the last one. `$orders` is replaced by the files of orders. */
  query: (sql: string) => Promise<Record<string, unknown>[]>;
  manifest: () => Promise<Manifest>;
  /** Paths of all Parquet files. */
  files: () => string[];
  write: () => Promise<{ status: number; code?: string; detail?: string } & LakeRecord>;
  verify: () => Promise<LakeVerification>;
}

const tokens = [
  'anna periods,sync,imports,cases,rebuild anna-token-0000001',
  'ben periods ben-token-00000001',
].join('\n');

/** One lake for all tests, in order. Each test leaves it up to date. */
let lake: Lake;

beforeAll(async () => {
  const ends: (() => Promise<void>)[] = [];
  const parent = mkdtempSync(join(tmpdir(), 'lake-'));
  const folder = join(parent, 'lake');
  mkdirSync(folder);
  chmodSync(folder, 0o750);
  const books = await openBooks(
    { RECONCILIATION_LAKE: folder, RECONCILIATION_TOKENS: tokens },
    { folder: parent, atEnd: (end) => void ends.unshift(end) },
  );
  lake = lakeOf(folder, books);
  return async () => {
    for (const end of ends) await end();
    rmSync(parent, { recursive: true, force: true });
  };
});

function lakeOf(folder: string, books: Books): Lake {
  return {
    folder,
    books,
    async query(sql) {
      const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
      const connection = await instance.connect();
      try {
        const stated = sql.replaceAll(
          /\$(\w+)/g,
          (_, table: string) =>
            `read_parquet('${folder}/${table}/*/*/*.parquet', hive_partitioning = true)`,
        );
        const statements = stated.trim().replace(/;$/, '').split(';');
        const last = statements.pop() ?? '';
        for (const statement of statements) await connection.run(statement);
        return (await connection.runAndReadAll(last)).getRowObjectsJson();
      } finally {
        connection.closeSync();
        instance.closeSync();
      }
    },
    async manifest() {
      const found = await readManifest(folder, 'sandbox');
      if (found === undefined) throw new Error('There is no manifest.');
      return found;
    },
    files: () => globSync('*/*/*/*.parquet', { cwd: folder }).sort(),
    async write() {
      const response = await books.program.post('/lake', {}, anna);
      return { ...((await response.json()) as LakeRecord), status: response.status };
    },
    verify: () => books.get('/lake/verification'),
  };
}

beforeEach(({ onTestFailed }) => {
  // A failing test may leave the lake damaged or outdated.
  onTestFailed(async () => {
    rmSync(join(lake.folder, 'manifest-sandbox.json'), { force: true });
    await lake.write();
  });
});

const pathsOf = ({ files }: Manifest) => files.map(({ path }) => path).sort();
const fileOf = ({ files }: Manifest, table: LakeFile['table'], day: string) =>
  files.find((file) => file.table === table && 'day' in file && file.day === day);

/** Compares the lake with the answers of the API. */
async function expectEqualSums({ books, query }: Lake): Promise<void> {
  const { days } = await books.get<{ days: FundingDay[] }>('/days');
  const ofDays = await query(`
    select day::varchar as day, currency, count(*)::integer as count,
      sum(net_amount_minor)::varchar as net, sum(net_amount) * 100 = sum(net_amount_minor) as same
    from $fundings group by all order by all`);
  const stated = days.flatMap(({ day, sums }) =>
    Object.entries(sums).map(([currency, { count, net }]) => ({
      day,
      currency,
      count,
      net,
      same: true,
    })),
  );
  expect(ofDays).toEqual(stated);
  const { statements } = await books.get<Walk>('/walk');
  const ofOrders = await query(`
    select currency, sum(net_minor)::integer as net, -sum(awaiting_minor)::integer as awaiting
    from $orders group by currency`);
  expect(ofOrders).toEqual(
    statements.map(({ currency, net, awaiting }) => ({ currency, net, awaiting })),
  );
}

test('writes proven days and judged orders that DuckDB reads with the sums of the API', async () => {
  await expectEqualSums(lake);
  const manifest = await lake.manifest();
  expect(manifest).toMatchObject({ environment: 'sandbox', zone: 'UTC', complete: true });
  expect(pathsOf(manifest)).toEqual(lake.files());
  // A proven day without fundings has a file, so that a missing file never means that nothing was
  // paid.
  const days = manifest.files.filter(({ table }) => table === 'fundings');
  expect(days).toHaveLength(12);
  expect(days.reduce((sum, { rows }) => sum + rows, 0)).toBe(2);
  expect(
    await lake.query(`
      select merchant_order_id, currency, net_amount, net_amount_minor, funded_at::varchar as funded_at,
        environment, typeof(day) as day, typeof(net_amount) as amount, typeof(funded_at) as moment
      from $fundings order by merchant_order_id limit 1`),
  ).toEqual([
    {
      merchant_order_id: 'A-0',
      currency: 'USD',
      net_amount: '98.5000',
      net_amount_minor: '9850',
      funded_at: expect.stringContaining(dayBefore(9)) as unknown,
      environment: 'sandbox',
      day: 'DATE',
      amount: 'DECIMAL(38,4)',
      moment: 'TIMESTAMP WITH TIME ZONE',
    },
  ]);
  expect(
    await lake.query('select day::varchar as day, headline from $orders order by day'),
  ).toMatchObject([{ day: dayBefore(10) }, { day: dayBefore(8) }]);
  expect(await lake.verify()).toMatchObject({ isIntact: true, outdated: 0, problems: [] });
});

test('writes a new file for a changed day, and keeps the other files', async () => {
  const before = await lake.manifest();
  const day = dayBefore(9);
  lake.books.companion.records[0] = wireRecord(0, at(9), { discountAmount: 2, netAmount: 98 });
  await lake.books.sync();
  const after = await lake.manifest();
  const [old, changed] = [before, after].map((one) => fileOf(one, 'fundings', day));
  expect(changed?.path).not.toBe(old?.path);
  expect(dirname(changed?.path ?? '')).toBe(dirname(old?.path ?? '-'));
  expect(lake.files()).toEqual(pathsOf(after));
  const others = pathsOf(before).filter((path) => pathsOf(after).includes(path));
  // The day of the funding, and the day of its order.
  expect(others).toHaveLength(before.files.length - 2);
  await expectEqualSums(lake);
  expect(await lake.write()).toMatchObject({ written: 0, removed: 0 });
});

test('finds files that are missing, altered, unlisted or of another day', async () => {
  const manifest = await lake.manifest();
  const [first, second, third] = pathsOf(manifest).map((path) => join(lake.folder, path));
  if (first === undefined || second === undefined || third === undefined) throw new Error('files');
  rmSync(first);
  const bytes = readFileSync(second);
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
  writeFileSync(second, bytes);
  writeFileSync(join(dirname(third), 'part-0123456789abcdef.parquet'), readFileSync(third));
  const { isIntact, problems } = await lake.verify();
  expect(isIntact).toBe(false);
  expect(problems.map(({ code }) => code)).toEqual([
    'file-missing',
    'file-altered',
    'file-unlisted',
  ]);
  // Removing the manifest is the documented way to rewrite everything.
  rmSync(join(lake.folder, 'manifest-sandbox.json'));
  expect(await lake.write()).toMatchObject({ written: manifest.files.length, removed: 1 });
  expect(await lake.verify()).toMatchObject({ isIntact: true, problems: [] });
});

test('removes what a killed process left, and no file of another program', async () => {
  const [path = ''] = lake.files();
  const folder = join(lake.folder, dirname(path));
  for (const name of [
    'part-0123456789abcdef.parquet',
    '.file.00000000-0000-4000-8000-000000000000.partial',
    'notes.txt',
  ]) {
    writeFileSync(join(folder, name), '');
  }
  const half = '.manifest-sandbox.json.00000000-0000-4000-8000-000000000000.partial';
  writeFileSync(join(lake.folder, half), '');
  expect(await lake.write()).toMatchObject({ removed: 1 });
  expect(existsSync(join(lake.folder, half))).toBe(false);
  expect(globSync('{.*,*}', { cwd: folder }).sort()).toEqual(
    [path.split('/')[3], 'notes.txt'].sort(),
  );
});

test('keeps the former manifest and its files when the write stops between two files', async () => {
  const before = await lake.manifest();
  lake.books.companion.records[0] = wireRecord(0, at(9), { discountAmount: 2.5, netAmount: 97.5 });
  lake.books.companion.records[1] = wireRecord(1, at(5), { discountAmount: 2, netAmount: 98.01 });
  await unmounted(lake, () => lake.books.sync());
  const stopping = new AbortController();
  const { database, ...context } = lake.books.program.engine.lake();
  let reads = 0;
  const stopped = writeLake({
    ...context,
    database: {
      ...database,
      read: (work, signal) => {
        reads += 1;
        if (reads === 3) stopping.abort(new Error('stopped'));
        return database.read(work, signal);
      },
    },
    fence: { holder: 'test', number: before.fence },
    stop: stopping.signal,
  });
  await expect(stopped).rejects.toThrow('stopped');
  expect(await lake.manifest()).toEqual(before);
  for (const path of pathsOf(before)) expect(lake.files()).toContain(path);
  expect(await lake.write()).toMatchObject({ status: 200 });
  await expectEqualSums(lake);
  expect(pathsOf(await lake.manifest())).toEqual(lake.files());
});

test('does not harm a sync when the lake cannot be written, and says why', async () => {
  await unmounted(lake, async () => {
    lake.books.order(2, 4, 3);
    expect(await lake.books.sync()).toMatchObject({ state: 'complete', records: 3 });
    expect(await lake.write()).toMatchObject({
      status: 503,
      code: 'lake-unavailable',
      detail: 'The folder of the lake does not exist: mount or create it.',
    });
  });
  expect(await lake.write()).toMatchObject({ status: 200 });
  await expectEqualSums(lake);
});

test('refuses the lake of another record store or of a later writer', async () => {
  const file = join(lake.folder, 'manifest-sandbox.json');
  const manifest = await lake.manifest();
  writeFileSync(file, JSON.stringify({ ...manifest, fence: manifest.fence + 1 }));
  expect(await lake.write()).toMatchObject({ detail: 'Another process writes the lake.' });
  writeFileSync(file, JSON.stringify({ ...manifest, store: 'another' }));
  expect(await lake.write()).toMatchObject({
    code: 'lake-unavailable',
    detail: expect.stringContaining('another record store') as unknown,
  });
  writeFileSync(file, '{"version":1');
  expect((await lake.write()).detail).toContain('cannot be read');
  writeFileSync(file, JSON.stringify(manifest));
});

test('gives its files the read permissions of the folder', () => {
  const [path = ''] = lake.files();
  const modeOf = (name: string) => statSync(join(lake.folder, name)).mode & 0o777;
  expect([path, 'manifest-sandbox.json'].map(modeOf)).toEqual([0o640, 0o640]);
  expect([dirname(path), 'fundings'].map(modeOf)).toEqual([0o750, 0o750]);
});

/** Forces a complete rewrite of the lake. */
function writeAnew(): ReturnType<Lake['write']> {
  rmSync(join(lake.folder, 'manifest-sandbox.json'), { force: true });
  for (const table of ['fundings', 'orders']) {
    rmSync(join(lake.folder, table), { recursive: true, force: true });
  }
  return lake.write();
}

test('does not follow a link in place of the manifest', async () => {
  const victim = join(dirname(lake.folder), 'victim');
  writeFileSync(victim, 'kept');
  const links = ['.manifest-sandbox.json.writing', '.manifest-sandbox.json.partial'];
  for (const name of links) symlinkSync(victim, join(lake.folder, name));
  expect(await writeAnew()).toMatchObject({ status: 200 });
  expect(readFileSync(victim, 'utf8')).toBe('kept');
  rmSync(join(lake.folder, 'manifest-sandbox.json'));
  symlinkSync(victim, join(lake.folder, 'manifest-sandbox.json'));
  writeFileSync(victim, '');
  expect(await lake.write()).toMatchObject({ code: 'lake-unavailable' });
  expect(readFileSync(victim, 'utf8')).toBe('');
  for (const name of links) rmSync(join(lake.folder, name));
  expect(await writeAnew()).toMatchObject({ status: 200 });
});

test.each(['', 'orders', '..'])(
  'writes nothing when other users may write in a folder of its path: %j',
  async (name) => {
    const folder = join(lake.folder, name);
    const { mode } = statSync(folder);
    chmodSync(folder, 0o777);
    rmSync(join(lake.folder, 'manifest-sandbox.json'));
    expect(await lake.write()).toMatchObject({
      status: 503,
      code: 'lake-unavailable',
      detail: expect.stringMatching(/is writable for every user.*chmod o-w/) as string,
    });
    chmodSync(folder, mode);
    expect(await lake.write()).toMatchObject({ status: 200 });
  },
);

test('protects its files and folders against other users in a sticky folder', async () => {
  chmodSync(lake.folder, 0o1777);
  expect(await writeAnew()).toMatchObject({ status: 200 });
  const names = globSync('{*,*/**}', { cwd: lake.folder });
  expect(names.length).toBeGreaterThan(10);
  const modes = names.map((name) => [name, statSync(join(lake.folder, name)).mode & 0o022]);
  expect(modes.filter(([, writable]) => writable !== 0)).toEqual([]);
  chmodSync(lake.folder, 0o750);
  expect(await writeAnew()).toMatchObject({ status: 200 });
});

test('matches the seal of a closed period, and lists its days that changed later', async () => {
  await lake.books.close('P1');
  expect(await lake.verify()).toMatchObject({ outdated: 1, periods: [{ isEqual: false }] });
  await lake.write();
  const { period } = await lake.books.read('P1');
  expect(await lake.verify()).toMatchObject({
    isIntact: true,
    outdated: 0,
    periods: [{ period: 'P1', seal: period.seal?.hash, isEqual: true, changedDays: [] }],
  });
  lake.books.companion.records[0] = wireRecord(0, at(9), { discountAmount: 3, netAmount: 97 });
  await lake.books.sync();
  expect(await lake.verify()).toMatchObject({
    isIntact: true,
    periods: [{ isEqual: true, changedDays: [dayBefore(9)] }],
  });
  await lake.books.close('P2');
  await lake.write();
  expect(await lake.verify()).toMatchObject({
    isIntact: true,
    outdated: 0,
    periods: [
      { period: 'P1', isEqual: true, changedDays: [dayBefore(9)] },
      { period: 'P2', isEqual: true, changedDays: [] },
    ],
  });
});

test('documents exactly the columns of each table', async () => {
  const page = readFileSync(new URL('../../docs/lake.md', import.meta.url), 'utf8');
  for (const table of ['fundings', 'orders', 'closed_amounts']) {
    const section = page.split(`### \`${table}\``)[1]?.split('\n### ')[0]?.split('\n## ')[0] ?? '';
    const documented = [...section.matchAll(/^\| (`.+?) +\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    const columns = await lake.query(`describe select * from $${table}`);
    expect(documented.toSorted()).toEqual(columns.map((row) => row.column_name).toSorted());
  }
});

test('writes and verifies from the command line, which ends with 3 and 1 if it differs', async () => {
  const { app } = lake.books.program;
  const env = {
    RECONCILIATION_URL: 'http://127.0.0.1:4002',
    RECONCILIATION_TOKEN: 'anna-token-0000001',
  };
  const { run: command } = commandLine(env, (input, init) =>
    Promise.resolve(app.request(input, init)),
  );
  const done = await command('lake', 'verify');
  expect([done.code, done.out]).toEqual([
    0,
    expect.stringMatching(/^\d+ files, \d+ rows, \d+ bytes\nP1 {2}[0-9a-f]{64} {2}equals the seal/),
  ]);
  await lake.books.act('P2', 'reopening', anna, { reason: 'a late invoice' });
  await lake.books.act('P2', 'reopening', ben);
  const behind = await command('lake', 'verify');
  expect([behind.code, behind.err]).toEqual([
    3,
    expect.stringContaining('1 files are to be written'),
  ]);
  expect((await command('lake', 'write')).out).toContain('0 written, 1 removed');
  const [path = ''] = lake.files();
  writeFileSync(join(lake.folder, path), 'x');
  const damaged = await command('lake', 'verify');
  expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining('is not the one')]);
  expect((await command('lake', 'write', '--json')).out).toContain('"written":1');
});

test('writes in the background of a serving process, after a sync', async () => {
  const folder = temporaryFolder();
  const shop = await startShop(1);
  const program = await run(configure(shop, { RECONCILIATION_LAKE: folder }), { mode: 'serve' });
  await until(async () => (await program.app.request('/readyz')).status === 200);
  await program.sync(shopDays());
  await until(async () => {
    const manifest = await readManifest(folder, 'sandbox');
    return manifest?.files.some(({ table, rows }) => table === 'orders' && rows > 0) === true;
  });
  // Changes after the first write, such as those from the companion's ledger, are in the next
  // write.
  await expect.poll(() => program.get('/lake/verification')).toMatchObject({ isIntact: true });
});

test('answers that no lake is configured', async () => {
  const { app } = createProgram({ ...lake.books.program.config, lake: undefined, tokens: [] });
  const response = await app.request('/lake/verification');
  expect(await response.json()).toMatchObject({ code: 'lake-not-configured', status: 409 });
});

test('reads the lake with the documented statements', async () => {
  const page = readFileSync(new URL('../../docs/lake.md', import.meta.url), 'utf8');
  const [, script = ''] = page.split('```sql\n');
  const own = script
    .slice(0, script.indexOf('```'))
    .replaceAll('/srv/lake', lake.folder)
    .replaceAll('production', 'sandbox');
  // The last statement reads the files of the manifest.
  expect(await lake.query(own)).toEqual(
    await lake.query('select headline, count(*) from $orders group by all'),
  );
  expect(await lake.query(own.slice(0, own.indexOf(';')))).toHaveLength(3);
});

test.each([
  [Object.assign(new Error('write'), { code: 'ENOSPC' }), 'storage-full', 'The disk is full.'],
  [new Error('IO Error: Could not write: No space left on device'), 'storage-full', 'disk is full'],
  [Object.assign(new Error('open'), { code: 'EROFS' }), 'lake-unavailable', 'may not write'],
  [Object.assign(new Error('read'), { code: 'EIO' }), 'lake-unavailable', '(EIO)'],
])('explains %s', (error, code, message) => {
  const explained = LakeError.of(error);
  expect(explained.code).toBe(code);
  expect(explained.message).toContain(message);
});

/** Runs a task while the lake's folder is missing, like an unmounted share. */
async function unmounted({ folder }: Lake, task: () => Promise<unknown>): Promise<void> {
  const away = `${folder}-away`;
  renameSync(folder, away);
  try {
    await task();
  } finally {
    renameSync(away, folder);
  }
}
