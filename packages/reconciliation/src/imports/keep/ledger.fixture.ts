import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { borrowAnalytics } from '../../analytics/analytics.fixture.ts';
import type { Analytics } from '../../analytics/database.ts';
import type { LedgerImportFact, NewImport } from '../../facts/store.ts';
import type { Clock } from '@financing-checkout/kit';
import { readCompanionLedger } from './companion-ledger.ts';
import { createLedgerImport } from './ledger-import.ts';
import { applyLines, linesIn } from '../compare/lines.ts';
import type { LedgerImportOptions } from '../read/options.ts';
import { createReceiver, type Upload } from '../receive/receive.ts';
import type { LedgerEntry } from '@financing-checkout/contract/back-office';

export const NOW = Date.UTC(2026, 2, 31, 12);

/** Yields a text in chunks that split lines, quotes and characters. Long texts get larger chunks. */
export async function* bytes(
  text: string | Uint8Array,
  size = text.length > 100_000 ? 65_521 : 7,
): AsyncGenerator<Uint8Array> {
  const all = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < all.length; at += size) {
    yield await Promise.resolve(all.subarray(at, at + size));
  }
}

export function upload(pieces: AsyncIterable<Uint8Array>): Upload {
  return { pieces, sender: 'test' };
}

/** No upload takes long enough to time out. */
const endless: Clock = { now: () => NOW, after: () => () => undefined };

/**
 * Opens a merchant's ledger: an analytics database that contains only imports.
 * @param clock for everything except uploads
 */
export async function openLedger(clock: Clock = endless) {
  const { folder: scratch, database: analytics } = await borrowAnalytics({
    facts: { id: 'store-1', head: () => Promise.resolve(0) },
    fill: () => Promise.resolve(),
  });
  const disk = { freeBytes: Infinity };
  const imports: { fact: LedgerImportFact; content: Uint8Array }[] = [];
  const entries: LedgerEntry[] = [];
  let applied = 0;
  const facts = {
    importsInPeriod: (from: number, to: number) =>
      Promise.resolve(
        imports.flatMap(({ fact: { id, action, origin } }) =>
          action === 'add' && origin && origin.from <= to && origin.to >= from
            ? [{ id, origin }]
            : [],
        ),
      ),
    importContent: (id: string) =>
      Promise.resolve(imports.find(({ fact }) => fact.id === id)?.content ?? new Uint8Array()),
    id: 'store-1',
    header: () => Promise.resolve(imports.length),
    writeImports: (_: unknown, written: readonly NewImport[]) => {
      for (const { fact, content } of written) {
        imports.push({ fact: { ...fact, number: imports.length + 1 }, content });
      }
      return Promise.resolve(imports.length);
    },
  };
  const replay = async () => {
    for (const { fact, content } of imports.slice(applied)) {
      const file = join(scratch, `content-${fact.id}`);
      await writeFile(file, content);
      await analytics.write((connection) => applyLines(connection, file, fact));
      applied += 1;
    }
  };
  const replayInto = async (
    other: { analytics: Analytics; scratch: string },
    facts: typeof imports,
  ) => {
    for (const { fact, content } of facts) {
      const file = join(other.scratch, `content-${fact.id}`);
      await writeFile(file, content);
      await other.analytics.write((connection) => applyLines(connection, file, fact));
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
    receiver: createReceiver({
      folder: scratch,
      clock: endless,
      maxBytes: Infinity,
      freeBytes: () => Promise.resolve(disk.freeBytes),
    }),
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
      ledgerImport.run(upload(bytes(text)), options),
    disk,
    change: (sql: string) => analytics.write((connection) => connection.run(sql)),
    /** Writes the companion's entries and reads them. */
    companion: async (...written: Omit<LedgerEntry, 'id'>[]) => {
      for (const entry of written) entries.push({ id: entries.length + 1, ...entry });
      return readCompanionLedger({ analytics, ledger, reprice: () => Promise.resolve() });
    },
    /** Restores the companion's store from a backup that has its first entries. */
    restoreCompanion: (kept: number) => void entries.splice(kept),
    /** Returns the lines in an import's content. */
    contentOf: async (content: Uint8Array) => {
      const file = join(scratch, `content-${randomUUID()}`);
      await writeFile(file, content);
      return ask(`from ${await linesIn(file)} order by number`);
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
