import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Analytics } from '../analytics/database.ts';
import type { LedgerImportFact } from '../facts/store.ts';
import type { Clock } from '../platform/clock.ts';
import { readCompanionLedger } from './companion-ledger.ts';
import { applyImport, createLedgerImport } from './ledger-import.ts';
import type { LedgerImportOptions } from './options.ts';
import type { LedgerEntry } from '@financing-checkout/contract';

export const NOW = Date.UTC(2026, 2, 31, 12);

export async function* bytes(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const all = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  // In pieces that break lines, quotes and characters apart.
  for (let at = 0; at < all.length; at += size) {
    yield await Promise.resolve(all.subarray(at, at + size));
  }
}

interface Place {
  scratch: string;
  analytics: Analytics;
}

/** Databases that no test uses: to open one takes longer than most tests of imports run. */
const idle: Place[] = [];

async function openPlace(): Promise<Place> {
  const known = idle.pop();
  if (known) return known;
  const scratch = mkdtempSync(join(tmpdir(), 'reconciliation-books-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  const analytics = await Analytics.open({
    file: join(scratch, 'analytics.duckdb'),
    facts: { id: 'store', head: () => Promise.resolve(0) },
    readable: [scratch],
    fill: () => Promise.resolve(),
  });
  return { scratch, analytics };
}

async function giveBack(place: Place): Promise<void> {
  await place.analytics.write(async (connection) => {
    const tables = await connection.runAndReadAll(
      `select table_name from duckdb_tables() where not temporary and table_name <> 'meta'`,
    );
    for (const [table] of tables.getRows()) await connection.run(`delete from ${String(table)}`);
    await connection.run(`delete from meta where key not in ('schema', 'store')`);
    await connection.run(`insert into meta values ('applied', '0')`);
  });
  idle.push(place);
}

/** The books of a merchant: an analytics database with the facts of imports alone. */
export async function openBooks() {
  const { scratch, analytics } = await openPlace();
  onTestFinished(() => giveBack({ scratch, analytics }));
  const timers = new Set<{ ms: number; callback: () => void }>();
  const clock: Clock = {
    now: () => NOW,
    after(ms, callback) {
      const timer = { ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  const imports: { fact: LedgerImportFact; content: Uint8Array }[] = [];
  const entries: LedgerEntry[] = [];
  let applied = 0;
  const facts = {
    id: 'store',
    head: () => Promise.resolve(imports.length),
    writeImport: (
      _: unknown,
      fact: Omit<LedgerImportFact, 'number'>,
      content: Uint8Array,
      replaced?: { fact: Omit<LedgerImportFact, 'number'>; content: Uint8Array },
    ) => {
      if (replaced) {
        const { fact: first, ...rest } = replaced;
        imports.push({ fact: { ...first, number: imports.length + 1 }, ...rest });
      }
      imports.push({ fact: { ...fact, number: imports.length + 1 }, content });
      return Promise.resolve(imports.length);
    },
  };
  const replay = async () => {
    for (const { fact, content } of imports.slice(applied)) {
      const file = join(scratch, 'content.ndjson.zst');
      await writeFile(file, content);
      await analytics.write((connection) => applyImport(connection, fact, file));
      applied += 1;
    }
  };
  const replayInto = async (
    other: { analytics: Analytics; scratch: string },
    facts: typeof imports,
  ) => {
    for (const { fact, content } of facts) {
      const file = join(other.scratch, 'content.ndjson.zst');
      await writeFile(file, content);
      await other.analytics.write((connection) => applyImport(connection, fact, file));
    }
  };
  const ledger = {
    entries: (after: number, limit: number) =>
      Promise.resolve(entries.filter(({ id }) => id > after).slice(0, limit)),
  };
  const ledgerImport = createLedgerImport({
    analytics,
    facts,
    fence: () => ({ holder: 'test', number: 1 }),
    replay,
    scratch,
    clock,
  });
  const ask = (sql: string) =>
    analytics.read(async (connection) => {
      const rows = await connection.runAndReadAll(sql);
      return rows.getRowObjectsJson() as Record<string, string | number | boolean | null>[];
    });
  return {
    analytics,
    imports: ledgerImport,
    facts: imports,
    replayInto,
    scratch,
    ask,
    run: (text: string | Uint8Array, options?: LedgerImportOptions) =>
      ledgerImport.run(bytes(text), options),
    /** Lets what waits for so long hear that the time has passed. */
    elapse: async (ms: number) => {
      // What was begun has come to its wait by then.
      await delay(200);
      for (const { ms: wait, callback } of timers) if (wait <= ms) callback();
    },
    change: (sql: string) => analytics.write((connection) => connection.run(sql)),
    /** The companion writes entries, and they are read. */
    companion: async (...written: Omit<LedgerEntry, 'id'>[]) => {
      for (const entry of written) entries.push({ id: entries.length + 1, ...entry });
      return readCompanionLedger({ analytics, ledger, reprice: () => Promise.resolve() });
    },
    lines: async () => {
      const rows = await ask('select * from ledger_lines order by id');
      return rows.map(({ id, amount, currency, type, occurred_at: at }) => ({
        id: String(id),
        amount: Number(amount),
        currency,
        type,
        at: new Date(Number(at)).toISOString(),
      }));
    },
    dirty: async () => {
      const rows = await ask('select distinct order_key from dirty_orders order by 1');
      return rows.map(({ order_key: key }) => key);
    },
  };
}
