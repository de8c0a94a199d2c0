import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import type { MemoryFacts } from '../sync/facts.fixture.ts';
import { historyService, wireHistory } from '../sync/history.fixture.ts';
import {
  from,
  held,
  openFolder,
  openDatabase,
  type TestDatabase,
  sync,
  truth,
} from '../sync/sync.fixture.ts';
import { Analytics, AnalyticsInUseError } from './database.ts';

const records = wireHistory(3_000, from, 5);

/** A closed database with fundings, as a template for copies, and its record store. */
let template: { file: string; facts: MemoryFacts };

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  const open = await openFolder(folder, undefined, () => undefined);
  await sync(open, historyService(records), 'sync-1', {
    settings: { pageSize: 1_000, overlap: 5 },
  });
  await open.database.close();
  template = { file: open.file, facts: open.facts };
  return () => rmSync(folder, { recursive: true });
});

/** Opens a copy of the database with fundings. */
async function filled(): Promise<TestDatabase> {
  const folder = temporaryFolder();
  copyFileSync(template.file, join(folder, basename(template.file)));
  const open = await openFolder(folder, template.facts.copy());
  open.statuses.length = 0;
  return open;
}

/** Closes a database and opens its file again over the same facts. */
async function reopen(open: TestDatabase): Promise<TestDatabase> {
  await open.database.close();
  return openFolder(open.folder, open.facts);
}

/** Size of the header of a DuckDB file before the first block, and size of a block, in bytes. */
const [HEADERS, BLOCK] = [12_288, 262_144];

const reasons = ({ statuses }: TestDatabase) => [
  ...new Set(
    statuses.flatMap(({ state, reason }) => (state === 'rebuilding' ? (reason ?? '') : [])),
  ),
];

test('opens a valid file without a rebuild', async () => {
  const open = await filled();
  const again = await reopen(open);
  expect(await held(again)).toEqual(truth(records));
  expect(again.statuses.map(({ state }) => state)).not.toContain('rebuilding');
  expect(again.database.status).toMatchObject({ state: 'ready', reason: undefined });
});

test.each<[string, (open: TestDatabase) => void, string]>([
  ['is missing', ({ file }) => rmSync(file), 'there is no file'],
  ['is empty', ({ file }) => writeFileSync(file, ''), 'the file cannot be opened'],
  ['is truncated', ({ file }) => truncateSync(file, 600_000), 'the file cannot be opened'],
  [
    'is a foreign file',
    ({ file }) => writeFileSync(file, 'hello'.repeat(9_000)),
    'the file cannot be opened',
  ],
])('rebuilds a file that %s', async (_, spoil, reason) => {
  const open = await filled();
  await open.database.close();
  spoil(open);
  const again = await reopen(open);
  expect(await held(again)).toEqual(truth(records));
  expect(reasons(again)).toEqual([reason]);
  expect(again.database.status).toMatchObject({ state: 'ready', reason });
});

test.each([
  ['schema', "update meta set value = '0' where key = 'schema'", 'its tables have another version'],
  [
    'store',
    "update meta set value = 'other' where key = 'store'",
    'it was made from another record store',
  ],
  [
    'applied',
    "update meta set value = '999999' where key = 'applied'",
    'it is newer than the record store',
  ],
  ['no meta at all', 'drop table meta', 'its tables cannot be read'],
])('rebuilds a file with another %s', async (_, statement, reason) => {
  const open = await filled();
  await open.write(statement);
  const again = await reopen(open);
  expect(await held(again)).toEqual(truth(records));
  expect(reasons(again)).toEqual([reason]);
});

test('replays the facts that are missing from an older copy of the file', async () => {
  const open = await filled();
  await open.database.close();
  copyFileSync(open.file, `${open.file}.old`);
  const later = await openFolder(open.folder, open.facts);
  const changed = records.map((record) => ({ ...record, transactionAmount: 1 }));
  await sync(later, historyService(changed), 'sync-2', { settings: { pageSize: 1_000 } });
  await later.database.close();
  renameSync(`${open.file}.old`, open.file);
  const again = await openFolder(open.folder, open.facts);
  expect(await held(again)).toEqual(truth(changed));
  expect(reasons(again)).toEqual([]);
});

test('rebuilds the file when a query encounters a damaged block, and answers the query', async () => {
  const open = await filled();
  await open.database.close();
  const bytes = readFileSync(open.file);
  let spoilt: TestDatabase | undefined;
  // A damaged block with table descriptions prevents the file from opening, which another test
  // covers.
  for (let block = HEADERS; block < bytes.length && !spoilt; block += BLOCK) {
    const damaged = Buffer.from(bytes);
    damaged.fill(7, block + 4_000, block + 5_000);
    writeFileSync(open.file, damaged);
    const tried = await openFolder(open.folder, open.facts);
    const opens = reasons(tried).length === 0;
    expect(await held(tried)).toEqual(truth(records));
    if (opens && reasons(tried).length > 0) spoilt = tried;
    else await tried.database.close();
  }
  if (!spoilt) throw new Error('No block is read by a query alone.');
  expect(reasons(spoilt)).toEqual(['the file is damaged']);
  const answered = await spoilt.database.read(async (connection) => {
    return (await connection.runAndReadAll('select count(*) from fundings')).getRows();
  });
  expect(answered).toEqual([[3_000n]]);
});

test.each<[string, (open: TestDatabase) => void, string[]]>([
  ['removed', ({ file }) => rmSync(file), ['there is no file']],
  [
    'replaced by a foreign one',
    ({ file }) => {
      writeFileSync(`${file}.new`, 'hello'.repeat(9_000));
      renameSync(`${file}.new`, file);
    },
    ['the file cannot be opened'],
  ],
])('detects that the open file was %s', async (_, spoil, expected) => {
  const open = await filled();
  spoil(open);
  expect(await held(open)).toEqual(truth(records));
  expect(reasons(open)).toEqual(expected);
  expect(existsSync(open.file)).toBe(true);
  await open.write('delete from dirty_orders');
  expect(open.database.status.state).toBe('ready');
});

test('answers queries after a fatal error has ended the instance', async () => {
  const open = await filled();
  const fatal = new Error(
    'FATAL Error: Failed: database has been invalidated because of a previous fatal error.',
  );
  let tries = 0;
  const rows = await open.database.read(async (connection) => {
    tries += 1;
    if (tries === 1) throw fatal;
    return (await connection.runAndReadAll('select count(*) from fundings')).getRows();
  });
  expect([rows, tries]).toEqual([[[3_000n]], 2]);
  // The reopened file is valid, so nothing is rebuilt.
  expect(reasons(open)).toEqual([]);
  await expect(open.database.write(() => Promise.reject(fatal))).rejects.toBe(fatal);
  expect(reasons(open)).toEqual(['a fatal error ended the database']);
  expect(await held(open)).toEqual(truth(records));
});

test('answers no query during a rebuild, and reports the state', async () => {
  const open = await filled();
  const { facts } = open;
  await open.database.close();
  const filling = Promise.withResolvers<undefined>();
  const states: string[] = [];
  const database = await Analytics.open({
    file: open.file,
    facts,
    fill: () => (states.length > 2 ? filling.promise : Promise.resolve()),
    onStatus: ({ state }) => states.push(state),
  });
  onTestFinished(() => database.close());
  rmSync(open.file);
  let answered = false;
  const reading = database
    .read(async (connection) => (await connection.runAndReadAll('select 1')).getRows())
    .then(() => (answered = true));
  const given = new AbortController();
  const impatient = database.read(() => Promise.resolve(1), given.signal);
  await expect.poll(() => database.status.state).toBe('rebuilding');
  given.abort(new Error('The client disconnected.'));
  await expect(impatient).rejects.toThrow('The client disconnected.');
  expect(answered).toBe(false);
  states.push('filled');
  filling.resolve(undefined);
  await reading;
  expect(database.status.state).toBe('ready');
});

test.each(['read', 'write'] as const)(
  'interrupts a query that has just started when its request is canceled: %s',
  async (how) => {
    const open = await filled();
    const cancelled = new AbortController();
    const endless = open.database[how]((connection) => {
      const query = connection.run(
        'select sum(a.range * b.range) from range(10000000) a, range(10000000) b',
      );
      cancelled.abort(new Error('The client disconnected.'));
      return query;
    }, cancelled.signal);
    await expect(endless).rejects.toThrow('The client disconnected.');
    expect(await held(open)).toHaveLength(3_000);
    await open.write('delete from fundings');
    expect(await held(open)).toEqual([]);
  },
);

test('rolls back a failed write and continues', async () => {
  const open = await filled();
  const failing = open.database.write(async (connection) => {
    await connection.run('delete from fundings');
    throw new Error('The rest fails.');
  });
  await expect(failing).rejects.toThrow('The rest fails.');
  expect(await held(open)).toEqual(truth(records));
});

test('rejects a file that another process has open', async () => {
  const open = await filled();
  await open.database.close();
  const module = import.meta.resolve('./database.ts');
  const other = `
    import { DuckDBInstance } from ${JSON.stringify(import.meta.resolve('@duckdb/node-api'))};
    import { spawnSync } from 'node:child_process';
    await DuckDBInstance.create(${JSON.stringify(open.file)});
    const inner = \`
      import { Analytics } from ${JSON.stringify(module)};
      await Analytics.open({ file: ${JSON.stringify(open.file)}, facts: { id: 'store-1', head: async () => 99 }, fill: async () => {} })
        .then(() => console.log('opened'), (error) => console.log(error.name, error.message));
    \`;
    console.log(spawnSync(process.execPath, ['--input-type=module', '-e', inner]).stdout.toString());
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', other]);
  const [, name, path] =
    /^(\w+) The analytics database (\S+) is open in the process \d+\. Stop/.exec(
      stdout.toString(),
    ) ?? [stdout.toString()];
  expect([name, path]).toEqual([new AnalyticsInUseError().name, open.file]);
  expect(await held(await reopen(open))).toEqual(truth(records));
});

test('reads no file outside its folder', async () => {
  const open = await openDatabase();
  await expect(open.rows("select * from read_text('/etc/hostname')")).rejects.toThrow(
    'Permission Error',
  );
  await expect(open.rows('set enable_external_access = true')).rejects.toThrow();
  expect(await open.rows('select 1')).toEqual([[1]]);
});

test('keeps the file while the record store is unavailable', async () => {
  const open = await filled();
  await open.database.close();
  const head = () => Promise.reject(new Error('The record store is away.'));
  const opening = Analytics.open({
    file: open.file,
    facts: { id: 'store-1', head },
    fill: () => Promise.resolve(),
  });
  await expect(opening).rejects.toThrow('The record store is unavailable.');
  const again = await openFolder(open.folder, open.facts);
  expect(reasons(again)).toEqual([]);
  expect(await held(again)).toEqual(truth(records));
});
