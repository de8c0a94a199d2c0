import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { patienceMs } from '../../vitest.shared.ts';

type Row = Record<string, SQLOutputValue>;

/** Runs a task on a SQLite record store, also while another process has it open. */
function withFacts<Result>(file: string, task: (ask: (sql: string) => Row[]) => Result): Result {
  const database = new DatabaseSync(file, { timeout: patienceMs });
  try {
    return task((sql) => database.prepare(sql).all());
  } finally {
    database.close();
  }
}

/** Returns the facts that are written once: later writes must neither change nor remove them. */
export function lastingFacts(file: string): Map<string, string> {
  return withFacts(file, (ask) => {
    const facts = new Map<string, string>();
    const keep = (table: string, key: string, columns: string) => {
      for (const row of ask(`select ${key} as key, ${columns} from ${table}`)) {
        facts.set(`${table} ${String(row.key)}`, JSON.stringify(row));
      }
    };
    keep('superseded_contents', `day || ' ' || number`, 'count, digest, hex(content) as content');
    keep('ledger_imports', 'id', 'number, action, digest, count');
    keep('trail', 'seq', 'number, subject, kind, actor, detail, outcome, previous, hash');
    return facts;
  });
}

/**
 * Returns numbers that only grow: the last fact, the fence, and the last fact of each day and case.
 */
export function numbersOf(file: string): Map<string, number> {
  return withFacts(file, (ask) => {
    const numbers = new Map<string, number>();
    const [head] = ask('select last_number, fence from fact_head');
    numbers.set('head', Number(head?.last_number)).set('fence', Number(head?.fence));
    for (const { day, number } of ask('select day, number from days')) {
      numbers.set(`day ${String(day)}`, Number(number));
    }
    for (const { id, number } of ask('select id, number from cases')) {
      numbers.set(`case ${String(id)}`, Number(number));
    }
    return numbers;
  });
}

/** Returns facts without ids, numbers and times, so that equal runs return equal facts. */
export async function comparableFacts(file: string): Promise<Record<string, string[]>> {
  const { superseded, ...facts } = withFacts(file, (ask) => {
    const lines = (sql: string) =>
      ask(sql)
        .map((row) => JSON.stringify(row))
        .sort();
    return {
      // The digest covers the content of the day.
      days: lines('select day, state, zone, count, digest from days'),
      superseded: ask('select day, content from superseded_contents'),
      imports: lines('select action, source, digest, count from ledger_imports where count > 0'),
      cases: lines(
        `select json_remove(body, '$.id', '$.openedAt', '$.openSince', '$.updatedAt', '$.alertedAt') as body
         from cases`,
      ),
      decisions: lines(
        `select c.order_key, c.currency, c.code, e.kind, e.actor, e.detail, e.key from trail e
         join cases c on c.id = e.subject where e.key is not null`,
      ),
    };
  });
  const replaced: string[] = [];
  for (const { day, content } of superseded) {
    for (const line of await linesOf(content)) replaced.push(`${String(day)} ${line}`);
  }
  return { ...facts, superseded: replaced.sort() };
}

const contentTables = ['day_contents', 'superseded_contents', 'ledger_import_contents'];

/** Returns the records of all contents, each content as one text. */
export async function contentTexts(file: string): Promise<string[]> {
  const contents = withFacts(file, (ask) =>
    contentTables.flatMap((table) => ask(`select content from ${table}`)),
  );
  const texts: string[] = [];
  for (const { content } of contents) texts.push((await linesOf(content)).join('\n'));
  return texts;
}

/** Returns the records of a content, in Parquet or in compressed NDJSON, as JSON. */
async function linesOf(content: SQLOutputValue | undefined): Promise<string[]> {
  if (!(content instanceof Uint8Array)) throw new Error('A content is no blob.');
  if (Buffer.from(content.subarray(0, 4)).toString() !== 'PAR1') {
    return zstdDecompressSync(content).toString('utf8').trimEnd().split('\n');
  }
  const folder = mkdtempSync(join(tmpdir(), 'content-'));
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const path = join(folder, 'content.parquet');
    writeFileSync(path, content, { mode: 0o600 });
    const connection = await instance.connect();
    const found = await connection.runAndReadAll(
      `select to_json(r)::varchar from read_parquet('${path}') r`,
    );
    connection.closeSync();
    return found.getRows().map(([line]) => String(line));
  } finally {
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}
