import { randomUUID } from 'node:crypto';
import { openBooks } from '../node/fundings/place.ts';
import { digest, historyService, seeded, wireHistory, type WireRecord } from './history.fixture.ts';
import { defaultSyncSettings } from './settings.ts';
import { helpSync } from './shared-days.ts';
import { runSync, SyncBusyError } from './sync.ts';
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
/** Where others are at it all the time, a process that has little of the processor must not lose its. */
const SHARED_LEASE_MS = 1_000;

/**
 * A sync of that history into a file, or into a PostgreSQL by its URL, where it takes a part of one that
 * another process leads. Tells when it begins to read.
 */
export async function killedSync(
  store: string,
  time: 'first' | 'second',
  begun: () => void = () => undefined,
) {
  const isFile = !store.startsWith('postgres:');
  const place = isFile
    ? ({ kind: 'sqlite', file: store } as const)
    : ({ kind: 'postgres', url: store } as const);
  const books = await openBooks(place, 'sandbox');
  const service = historyService(killedHistory(time));
  const settings = {
    ...defaultSyncSettings,
    defaultCurrency: 'USD',
    pageSize: 10,
    batchRows: 3,
    shareDays: 2,
    leaseMs: isFile ? LEASE_MS : SHARED_LEASE_MS,
  };
  const options = {
    environment: 'sandbox',
    books,
    windows: createWindows({ fetchPage: service.fetchPage, digest, settings }),
    digest,
    holder: randomUUID(),
    settings,
    onProgress: begun,
  };
  try {
    return await runSync(options, { runId: randomUUID(), ...killedRange });
  } catch (error) {
    if (isFile || !(error instanceof SyncBusyError)) throw error;
    service.before = () => {
      begun();
      return undefined;
    };
    await helpSync(options);
    throw error;
  } finally {
    await books.close();
  }
}

// As a program: a process that can be killed.
const store = process.argv[2];
if (import.meta.main && store !== undefined) {
  for (;;) {
    try {
      await killedSync(store, 'second', () => process.stdout.write('.'));
      break;
    } catch (error) {
      if (!(error instanceof SyncBusyError) || !store.startsWith('postgres:')) throw error;
    }
  }
}
