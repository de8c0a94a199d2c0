import { hash } from 'node:crypto';
import type { StoreLocation } from '../config/store.ts';
import { inProcessWorker } from '../reconciliation/recompute/in-process.ts';
import type { RecomputeWorker } from '../reconciliation/recompute/recompute.ts';
import type { Store } from '../store/store.ts';
import { RecomputeThread } from './recompute-thread.ts';

/** Lines at once: few enough for a statement of a second, many enough for its way there and back. */
const CHUNK_ROWS = 10_000;
/** Lines that one of several companions takes on at a time. */
const RANGE_ROWS = 100_000;

/**
 * Who computes statuses: for a file a thread with a connection of its own, so that no checkout
 * waits for the history; PostgreSQL does the work itself, shared out among all companions.
 */
export function createRecomputeWorker(
  location: StoreLocation,
  store: Pick<Store, 'bulk'>,
): RecomputeWorker {
  if (location.kind === 'sqlite' && location.file !== ':memory:') {
    return new RecomputeThread(location.file);
  }
  return inProcessWorker({
    bulk: store.bulk,
    now: Date.now,
    hash: (text) => hash('sha256', text),
    chunkRows: CHUNK_ROWS,
    // The database surveys its own rows: that is never the longer way.
    surveyFrom: 1,
    rangeRows: RANGE_ROWS,
  });
}
