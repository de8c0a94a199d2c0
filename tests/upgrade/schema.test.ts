import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { postgresPlaces, query } from '../../bench/reconciliation/postgres.ts';
import { root } from '../../scripts/paths.ts';
import { older } from './older.ts';

const current = {
  companion: join(root, 'packages/server/dist/node/main.js'),
  reconciliation: join(root, 'packages/reconciliation/dist/cli/main.js'),
};

/** Migrates a store with a program, by the command that needs no other program. */
const migrate = {
  companion: (main: string, store: string) =>
    execFileSync(process.execPath, [main, 'migrate'], { env: { COMPANION_STORE: store } }),
  // The program of this store migrates it when it opens it.
  reconciliation: (main: string, store: string) =>
    execFileSync(process.execPath, [
      '--input-type=module',
      '--eval',
      `const { openFacts } = await import(${JSON.stringify(join(main, '../../facts/open.js'))});
      await (await openFacts(${JSON.stringify(store.replace('sqlite:', ''))})).close();`,
    ]),
};
type Program = keyof typeof migrate;

/** Each table with its columns, and each index, in the order of their names. */
async function schemaOf(store: string): Promise<unknown[]> {
  if (store.startsWith('sqlite:')) {
    const database = new DatabaseSync(store.slice('sqlite:'.length), { readOnly: true });
    try {
      const columns = database.prepare(`
        select t.name as "table", c.name, c.type, c."notnull", c.dflt_value, c.pk
        from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' order by 1, 2`);
      const indexes = database.prepare(`
        select name, tbl_name, sql from sqlite_schema where type = 'index' order by 1`);
      return [...columns.all(), ...indexes.all()];
    } finally {
      database.close();
    }
  }
  const columns = `
    select table_name, column_name, data_type, is_nullable, column_default, collation_name
    from information_schema.columns where table_schema = 'public' order by 1, 2`;
  const indexes = `
    select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`;
  return [...(await query(store, columns)), ...(await query(store, indexes))];
}

const programs = Object.keys(migrate) as Program[];

test.each(programs)(
  'a store of %s on SQLite that is migrated is like a new one',
  async (program) => {
    const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [former, fresh] = ['former', 'fresh'].map(
      (name) => `sqlite:${join(folder, name)}.db`,
    ) as [string, string];
    migrate[program](older[program], former);
    migrate[program](current[program], former);
    migrate[program](current[program], fresh);
    const schema = await schemaOf(fresh);
    expect(schema.length).toBeGreaterThan(50);
    expect(await schemaOf(former)).toEqual(schema);
  },
);

test.each(programs)(
  'a store of %s on PostgreSQL that is migrated is like a new one',
  async (program) => {
    const postgres = await postgresPlaces();
    onTestFinished(postgres.stop);
    const [former, fresh] = [await postgres.database('former'), await postgres.database('fresh')];
    migrate[program](older[program], former);
    migrate[program](current[program], former);
    migrate[program](current[program], fresh);
    const schema = await schemaOf(fresh);
    expect(schema.length).toBeGreaterThan(50);
    expect(await schemaOf(former)).toEqual(schema);
  },
);
