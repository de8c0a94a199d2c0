import type { OpenBooks } from './books.fixture.ts';
import { digest, type HistoryService, type WireRecord } from './history.fixture.ts';
import { defaultSyncSettings } from './settings.ts';
import type { SyncOptions } from './sync.ts';
import { createWindows } from './window.ts';

export const from = '2026-03-01';
export const to = '2026-03-05';
export const range = { from, to };

export function options(
  open: Pick<OpenBooks, 'books' | 'shareDays'>,
  service: Pick<HistoryService, 'fetchPage'>,
  change: Partial<SyncOptions> = {},
): SyncOptions {
  const settings = {
    ...defaultSyncSettings,
    defaultCurrency: 'USD',
    pageSize: 20,
    overlap: 3,
    batchRows: 7,
    ...(open.shareDays === undefined ? {} : { shareDays: open.shareDays }),
    ...change.settings,
  };
  return {
    environment: 'sandbox',
    books: open.books,
    windows: createWindows({ fetchPage: service.fetchPage, digest, settings }),
    digest,
    holder: 'one',
    ...change,
    settings,
  };
}

/** What is held of each record, by the lender's reference. */
export async function held({ db }: OpenBooks) {
  return db
    .selectFrom('fundings')
    .select([
      'lender_reference_id as reference',
      'slice_day as day',
      'order_key',
      'status',
      'version',
      'transaction_amount as amount',
      'currency',
    ])
    .orderBy('id')
    .execute();
}

/** What should be held of it. */
export function truth(records: readonly WireRecord[]) {
  return records
    .map((record) => ({
      reference: String(record.lenderReferenceId),
      day: record.fundedAt.slice(0, 10),
      amount: Math.round(Number(record.transactionAmount) * 100),
    }))
    .sort(byReference);
}

const byReference = (one: { reference: string | null }, other: { reference: string | null }) =>
  String(one.reference) < String(other.reference) ? -1 : 1;

export async function facts(open: OpenBooks) {
  const rows = await held(open);
  return rows
    .map(({ reference, day, amount }) => ({ reference, day, amount: Number(amount) }))
    .sort(byReference);
}

export async function dirtyKeys({ db }: OpenBooks): Promise<string[]> {
  const rows = await db.selectFrom('dirty_orders').select('order_key').execute();
  return rows.map((row) => row.order_key).sort();
}
