import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { Secret } from '@financing-checkout/kit';
import { createDatabase } from '../../postgres.fixture.ts';
import { runHere } from '../command.fixture.ts';
import { openStore } from '../store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'companion-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

// No key and no ticket secret: a migration needs neither.
const run = (store: string, ...args: string[]) =>
  runHere(['migrate', ...args], { COMPANION_STORE: store });

test.each(['SQLite', 'PostgreSQL'])(
  'names and applies the pending migrations on %s',
  async (kind) => {
    const store =
      kind === 'SQLite'
        ? `sqlite:${join(folder, 'companion.db')}`
        : await createDatabase(inject('postgresUrl'));
    const before = await run(store, '--check');
    expect(before.code).toBe(1);
    expect(before.text).toMatch(/pending {2}0009-baseline[^]*run "financing-companion migrate"/);
    const migrated = await run(store);
    expect(migrated.code).toBe(0);
    expect(migrated.text).toMatch(/applied {2}0009-baseline[^]*up to date/);
    const after = await run(store, '--check');
    expect(after.code).toBe(0);
    expect(after.text).not.toContain('pending');
  },
);

test('--check creates neither a file nor a folder', async () => {
  const missing = join(folder, 'data', 'companion.db');
  expect((await run(`sqlite:${missing}`, '--check')).code).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('COMPANION_MIGRATE=never refuses an outdated store and leaves it unchanged', async () => {
  const location = { kind: 'sqlite' as const, file: join(folder, 'companion.db') };
  await expect(openStore(location, 'never')).rejects.toThrow(
    /The store is behind \(0009-baseline.*\).*run "financing-companion migrate"/,
  );
  const migrated = await openStore(location, 'on-start');
  await migrated.close();
  const store = await openStore(location, 'never');
  await store.close();
});

test('both commands refuse a store of a newer version with a clear message', async () => {
  const file = join(folder, 'companion.db');
  const location = { kind: 'sqlite' as const, file };
  await (await openStore(location, 'on-start')).close();
  const database = new DatabaseSync(file);
  database.exec(`insert into kysely_migration values ('9999-next', '2030-01-01T00:00:00.000Z')`);
  database.close();
  const newer = 'The store was migrated by a newer version of the companion (9999-next)';
  for (const mode of ['on-start', 'never'] as const) {
    await expect(openStore(location, mode)).rejects.toThrow(newer);
  }
  expect(await run(`sqlite:${file}`)).toMatchObject({
    code: 69,
    text: expect.stringContaining(newer) as string,
  });
  expect((await run(`sqlite:${file}`, '--check')).code).toBe(1);
});

test('both commands refuse a store of before the baseline and say what to do', async () => {
  const file = join(folder, 'companion.db');
  await (await openStore({ kind: 'sqlite', file }, 'on-start')).close();
  const database = new DatabaseSync(file);
  database.exec(`delete from kysely_migration;
    insert into kysely_migration values ('0008-lost-records', '2026-11-28T00:00:00.000Z')`);
  database.close();
  const text = expect.stringMatching(
    /before 0\.3\.0, which this version does not read: name a new, empty store in COMPANION_STORE\.$/m,
  ) as string;
  expect(await run(`sqlite:${file}`)).toMatchObject({ code: 69, text });
  expect(await run(`sqlite:${file}`, '--check')).toMatchObject({ code: 1, text });
  await expect(openStore({ kind: 'sqlite', file }, 'never')).rejects.toThrow('before 0.3.0');
});

test('exits with 69 for an unreachable store and with 78 for an invalid one, without the password', async () => {
  const nowhere = await run('postgres://companion:hunter2@127.0.0.1:1/d');
  expect(nowhere.code).toBe(69);
  expect(nowhere.text).toContain('The store postgres://127.0.0.1:1/d cannot be used');
  const wrong = await run('postgres://companion:hunter2@127.0.0.1:1/d?sslmode=prefer');
  expect(wrong.code).toBe(78);
  expect(wrong.text).toContain('COMPANION_STORE');
  expect(nowhere.text + wrong.text).not.toContain('hunter2');
  const location = {
    kind: 'postgres' as const,
    name: 'postgres://127.0.0.1:1/d',
    url: new Secret('postgres://companion:hunter2@127.0.0.1:1/d'),
  };
  expect(JSON.stringify(location)).not.toContain('hunter2');
});
