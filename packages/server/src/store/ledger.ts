import type { Environment } from '@financing-checkout/contract/storefront';
import type { Row } from '@financing-checkout/kit/sql';
import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import { type Schema, tables } from './schema.ts';

export type LedgerEntryRow = Omit<Row<typeof tables.ledger>, 'createdAt'>;
/** A transaction that the companion made, or may have made. */
export type NewLedgerEntry = Omit<LedgerEntryRow, 'id'>;

export interface LedgerQuery {
  environment: Environment;
  merchantOrderId?: string | undefined;
  /** Milliseconds: `occurredAt` at or after `from`, before `to`. */
  from?: number | undefined;
  to?: number | undefined;
  after: number;
  limit: number;
}

/** The companion's ledger, as reconciliation reads it. */
export function ledger({ db }: Database) {
  return {
    async ledgerEntries({
      environment,
      merchantOrderId,
      from,
      to,
      after,
      limit,
    }: LedgerQuery): Promise<LedgerEntryRow[]> {
      let query = db
        .selectFrom('ledger')
        .selectAll()
        .where('environment', '=', environment)
        .where('id', '>', after);
      if (merchantOrderId !== undefined)
        query = query.where('merchantOrderId', '=', merchantOrderId);
      if (from !== undefined) query = query.where('occurredAt', '>=', from);
      if (to !== undefined) query = query.where('occurredAt', '<', to);
      const rows = await query.orderBy('id').limit(limit).execute();
      return rows.map((columns) => {
        const { createdAt, ...entry } = tables.ledger.read(columns);
        // The time at which the row was written is not part of an entry.
        void createdAt;
        return entry;
      });
    },
  };
}

/**
 * Appends entries at the end of the transaction that writes their outcome. Ids come from one row
 * that stays locked until the commit, not from a sequence: with a sequence a lower id can become
 * visible after a higher one, and a reader that pages by id would never see it.
 */
export async function appendToLedger(
  tx: Transaction<Schema>,
  entries: readonly NewLedgerEntry[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const head = await tx
    .updateTable('ledgerHead')
    .set((eb) => ({ lastId: eb('lastId', '+', entries.length) }))
    .returning('lastId')
    .executeTakeFirstOrThrow();
  const first = head.lastId - entries.length + 1;
  await tx
    .insertInto('ledger')
    .values(
      entries.map((entry, index) =>
        tables.ledger.write({ ...entry, id: first + index, createdAt: now }),
      ),
    )
    .execute();
}
