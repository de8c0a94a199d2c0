import { chmodSync, copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { Analytics } from './database.ts';

const mode = (path: string) => statSync(path).mode & 0o777;
const small = { memoryLimit: '64MB', threads: 1 };

/** Opens an analytics database in a world-readable folder, under the usual umask. */
async function openAnalytics(file: string): Promise<Analytics> {
  const database = await Analytics.open({
    ...small,
    file,
    facts: { id: 'store-1', head: () => Promise.resolve(0) },
    fill: () => Promise.resolve(),
  });
  onTestFinished(() => database.close());
  return database;
}

function publicFolder(): string {
  const before = process.umask(0o022);
  onTestFinished(() => void process.umask(before));
  const folder = join(temporaryFolder(), 'public');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  return folder;
}

test('makes the file, its log and its temporary files private to this user', async () => {
  const file = join(publicFolder(), 'analytics.duckdb');
  const database = await openAnalytics(file);
  await database.write(async (connection) => {
    await connection.run(
      'create temp table big as select md5(random()::varchar) as a, md5(random()::varchar) as b from range(2_000_000)',
    );
    const spilled = readdirSync(`${file}.spill`).map((name) => join(`${file}.spill`, name));
    expect(spilled.map(mode)).toEqual(spilled.map(() => 0o600));
    expect(spilled.length).toBeGreaterThan(0);
    await connection.run('drop table big');
  });
  await database.write(async (connection) => {
    await connection.run('create table kept as select range as one from range(10)');
  });
  expect([file, `${file}.wal`].map(mode)).toEqual([0o600, 0o600]);
  expect(mode(`${file}.spill`)).toBe(0o700);
});

test('makes the folder private only if it is new', async () => {
  const folder = publicFolder();
  await openAnalytics(join(folder, 'new', 'analytics.duckdb'));
  expect(mode(join(folder, 'new'))).toBe(0o700);
  expect(mode(folder)).toBe(0o755);
});

test('makes existing files of a process that was killed private', async () => {
  const folder = publicFolder();
  const [running, file] = [join(folder, 'running.duckdb'), join(folder, 'analytics.duckdb')];
  const database = await openAnalytics(running);
  await database.write(async (connection) => {
    await connection.run('create table kept as select range as one from range(10)');
  });
  for (const end of ['', '.wal']) {
    copyFileSync(`${running}${end}`, `${file}${end}`);
    chmodSync(`${file}${end}`, 0o644);
  }
  mkdirSync(`${file}.spill`);
  chmodSync(`${file}.spill`, 0o755);
  await openAnalytics(file);
  expect([file, `${file}.wal`, `${file}.spill`].map(mode)).toEqual([0o600, 0o600, 0o700]);
});
