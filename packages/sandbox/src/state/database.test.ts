import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inTransaction, nested, openDatabase, type Database } from './database.ts';

let dataDir: string;
let database: Database;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
  database = openDatabase(dataDir);
});
afterEach(() => {
  database.close();
  rmSync(dataDir, { recursive: true });
});

// SQLite has already rolled back when it reports a full disk.
it.each([
  ['a transaction', inTransaction],
  ['a nested one', nested],
  [
    'one within another',
    (store: Database, work: () => void) => inTransaction(store, () => nested(store, work)),
  ],
])('reports a full disk in %s, and continues after it has space', (_name, run) => {
  const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count);
  const insert = database.prepare('INSERT INTO settings (name, value) VALUES (?, ?)');
  const fill = () => {
    for (let index = 0; index < 100; index++) insert.run(`name ${index}`, 'x'.repeat(4096));
  };
  database.exec(`PRAGMA max_page_count = ${pages + 10}`);
  expect(() => run(database, fill)).toThrow('database or disk is full');
  database.exec(`PRAGMA max_page_count = ${pages + 1000}`);
  run(database, fill);
  expect(database.prepare('SELECT count(*) AS names FROM settings').get()).toEqual({ names: 100 });
});

it('is readable only by the owner, even in a public folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  chmodSync(folder, 0o755);
  const opened = openDatabase(folder);
  try {
    for (const name of ['sandbox.db', 'sandbox.db-wal']) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
  } finally {
    opened.close();
    rmSync(folder, { recursive: true });
  }
});
