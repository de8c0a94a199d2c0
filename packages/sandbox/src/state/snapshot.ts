import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SandboxError } from '../platform/problem.ts';
import { createEmptyFile } from '../platform/write-file.ts';
import { APPLICATION_ID, inTransaction, prepare, tablesOf, type Database } from './database.ts';

/**
 * Writes the whole state to a new file, readable only by the owner, because it contains applicants'
 * names. It contains no keys.
 */
export function writeState(database: Database, file: string): void {
  // SQLite writes into an existing empty file and keeps its mode.
  createEmptyFile(file);
  database.prepare('VACUUM INTO ?').run(file);
}

/**
 * Replaces the whole state with that of a file, in one transaction, so that an error loses no data.
 * Migrates the file first.
 * @throws {SandboxError} when the file is not a state, is damaged, or a newer sandbox wrote it
 */
export function replaceState(database: Database, file: string): void {
  checkState(database, file);
  database.prepare('ATTACH ? AS loaded').run(file);
  try {
    inTransaction(database, () => {
      // Foreign keys are checked on commit. All tables are emptied first: SQLite may copy a whole
      // table without noticing rows that already refer to it, and then miss them on commit.
      database.exec('PRAGMA defer_foreign_keys = ON');
      const tables = tablesOf(database);
      for (const table of tables) database.exec(`DELETE FROM main."${table}"`);
      for (const table of tables) {
        database.exec(`INSERT INTO main."${table}" SELECT * FROM loaded."${table}"`);
      }
    });
  } finally {
    database.exec('DETACH loaded');
  }
}

/** Removes the files of state downloads and uploads that a kill interrupted. */
export function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (/^state\.[\da-f-]{36}/.test(name)) rmSync(join(dataDir, name), { force: true });
  }
}

function checkState(database: Database, file: string): void {
  const loaded = new DatabaseSync(file);
  try {
    if (number(loaded, 'application_id') !== APPLICATION_ID) throw notAState();
    const [check] = loaded.prepare('PRAGMA quick_check(1)').all();
    if (check?.quick_check !== 'ok') throw damaged();
    prepare(loaded);
    // A forged state file could contain additional tables, views or triggers.
    if (schemaOf(loaded) !== schemaOf(database)) throw damaged();
    if (loaded.prepare('PRAGMA foreign_key_check').all().length > 0) throw damaged();
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    if (error instanceof Error && /not a database|malformed|corrupt/i.test(error.message)) {
      throw /not a database/i.test(error.message) ? notAState() : damaged();
    }
    throw error;
  } finally {
    loaded.close();
  }
}

function number(database: Database, pragma: string): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0);
}

function schemaOf(database: Database): string {
  const rows = database
    .prepare(`SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name`)
    .all();
  return JSON.stringify(rows);
}

function notAState(): SandboxError {
  return new SandboxError('The file is not a saved state of a sandbox. Nothing was changed.');
}

function damaged(): SandboxError {
  return new SandboxError('The saved state is damaged. Nothing was changed.');
}
