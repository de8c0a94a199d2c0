import { randomUUID } from 'node:crypto';
import { openSqliteBooks } from '../node/fundings/sqlite-books.ts';
import { digest, historyService, seeded, wireHistory, type WireRecord } from './history.fixture.ts';
import { defaultSyncSettings } from './settings.ts';
import { runSync } from './sync.ts';
import { createWindows } from './window.ts';

export const killedRange = { from: '2026-03-01', to: '2026-03-30' };

/** A small history; the second time lenders have thought again about some of it. */
export function killedHistory(time: 'first' | 'second'): WireRecord[] {
  const records = wireHistory(600, killedRange.from, 30);
  if (time === 'first') return records;
  const random = seeded(11);
  return records.flatMap((record) => {
    const dice = random();
    if (dice < 0.1) return [];
    if (dice < 0.2) return [{ ...record, status: 'AMOUNT_MISMATCH', transactionAmount: 77.77 }];
    if (dice < 0.25) return [{ ...record, transactionAmount: 1.001 }];
    if (dice < 0.35) return [{ ...record, fundedAt: '2026-03-15T00:00:00.000Z' }];
    return [record];
  });
}

/** Short: who comes after one that was killed waits for it. */
const LEASE_MS = 40;

/** A sync of that history into a file. Tells when it begins to read. */
export async function killedSync(
  file: string,
  time: 'first' | 'second',
  begun: () => void = () => undefined,
) {
  const books = openSqliteBooks(file, 'sandbox');
  const service = historyService(killedHistory(time));
  const settings = {
    ...defaultSyncSettings,
    defaultCurrency: 'USD',
    pageSize: 10,
    batchRows: 3,
    leaseMs: LEASE_MS,
  };
  try {
    return await runSync(
      {
        environment: 'sandbox',
        books,
        windows: createWindows({ fetchPage: service.fetchPage, digest, settings }),
        digest,
        holder: randomUUID(),
        settings,
        onProgress: begun,
      },
      { runId: randomUUID(), ...killedRange },
    );
  } finally {
    await books.close();
  }
}

// As a program: a process that can be killed.
const file = process.argv[2];
if (import.meta.main && file !== undefined) {
  await killedSync(file, 'second', () => process.stdout.write('.'));
}
