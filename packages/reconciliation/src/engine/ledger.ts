import { meta, setMeta } from '../analytics/database.ts';
import { reprice } from '../analytics/pricing.ts';
import { metaKeys } from '../analytics/schema.ts';
import type { Database } from '../analytics/session.ts';
import {
  type CompanionLedgerContext,
  type MerchantLedger,
  readCompanionLedger,
} from '../imports/keep/index.ts';

/**
 * Reads new entries from the companion's ledger and prices fundings with them: after every entry
 * while few arrive, or once at the end of a batch.
 * @returns the number of entries @throws {CompanionError}
 */
export async function followLedger(
  database: Database,
  ledger: MerchantLedger,
  {
    defaultCurrency,
    onReplaced,
  }: Pick<CompanionLedgerContext, 'onReplaced'> & { defaultCurrency: string },
  signal?: AbortSignal,
): Promise<number> {
  let isFull = false;
  const { entries } = await readCompanionLedger(
    {
      analytics: database,
      ...(onReplaced && { onReplaced }),
      ledger: {
        async entries(after, limit, ends) {
          const page = await ledger.entries(after, limit, ends);
          isFull = page.length === limit;
          return page;
        },
      },
      async reprice(connection) {
        if (isFull) await setMeta(connection, metaKeys.unpriced, 'true');
        else await reprice(connection, defaultCurrency, 'select order_key from dirty_orders');
      },
    },
    signal,
  );
  await priceWaiting(database, defaultCurrency);
  if (!(await isLedgerRead(database))) {
    await database.write((connection) => setMeta(connection, metaKeys.ledgerRead, 'true'));
  }
  return entries;
}

async function priceWaiting(database: Database, defaultCurrency: string): Promise<void> {
  const waiting = await database.read((connection) => meta(connection, metaKeys.unpriced));
  if (waiting !== 'true') return;
  await database.write(async (connection) => {
    await reprice(connection, defaultCurrency);
    await setMeta(connection, metaKeys.unpriced, 'false');
  });
}

/** Returns whether the companion's ledger has been read to its end since the database was created. */
export async function isLedgerRead(database: Pick<Database, 'read'>): Promise<boolean> {
  return database.read(
    async (connection) => (await meta(connection, metaKeys.ledgerRead)) === 'true',
  );
}
