import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Place } from './companion.ts';

/** A SQLite file in a folder. */
export function sqlitePlace(folder: string): Place {
  const file = join(folder, 'companion.db');
  function open<Result>(work: (database: DatabaseSync) => Result): Promise<Result> {
    const database = new DatabaseSync(file, { timeout: 60_000 });
    try {
      return Promise.resolve(work(database));
    } finally {
      database.close();
    }
  }
  return {
    url: `sqlite:${file}`,
    ask: (sql) => open((database) => database.prepare(sql).all()),
    all: (statements) =>
      open((database) => database.exec(`begin immediate; ${statements.join(';')}; commit`)),
  };
}
