import type { Kysely, Transaction, Updateable } from 'kysely';
import type { FactNumber, FactTables } from './schema.ts';

/** Fencing token of a lease holder, which every write must present. */
export interface Fence {
  holder: string;
  /** Increases with each holder, so that writes with an older number are rejected. */
  number: number;
}

/** Another process took over the lease; nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The lease holder and the URL of its API. */
export interface LeaseHolder {
  holder: string;
  /** Base URL of the holder's HTTP API; undefined for a command without one. */
  address: string | undefined;
  /** Milliseconds since 1970. */
  until: number;
}

/**
 * Increments the number of the last fact; must be the first statement of each writing transaction.
 * Checks the fencing token, excludes all other writers until the transaction ends, and numbers the
 * facts, so that readers see numbers in commit order and without gaps.
 * @returns the highest number of the new facts @throws {LeaseLostError}
 */
export async function advance(
  tx: Transaction<FactTables>,
  fence: Fence,
  facts: number,
): Promise<FactNumber> {
  const row = await tx
    .updateTable('factHead')
    .set((eb) => ({ lastNumber: eb('lastNumber', '+', facts) }))
    .where('fence', '=', fence.number)
    .where('holder', '=', fence.holder)
    .returning('lastNumber')
    .executeTakeFirst();
  if (row === undefined) {
    throw new LeaseLostError('Another process has taken the lease of the record store.');
  }
  return row.lastNumber;
}

/** The lease, stored in one row with the number of the last fact. */
export function leases(db: Kysely<FactTables>) {
  // Uses a transaction, which waits for other processes without blocking the current process.
  const update = (fence: Fence, values: Updateable<FactTables['factHead']>) =>
    db.transaction().execute(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('factHead')
        .set(values)
        .where('fence', '=', fence.number)
        .where('holder', '=', fence.holder)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });

  return {
    takeLease: (
      holder: string,
      address: string | undefined,
      now: number,
      until: number,
    ): Promise<Fence | undefined> =>
      db.transaction().execute(async (tx) => {
        const row = await tx
          .updateTable('factHead')
          .set((eb) => ({
            fence: eb('fence', '+', 1),
            holder,
            address: address ?? null,
            until,
          }))
          .where((eb) => eb.or([eb('holder', '=', ''), eb('until', '<=', now)]))
          .returning('fence')
          .executeTakeFirst();
        return row && { holder, number: row.fence };
      }),

    renewLease: (fence: Fence, until: number) => update(fence, { until }),

    async releaseLease(fence: Fence) {
      await update(fence, { holder: '', address: null, until: 0 });
    },

    async leaseHolder(): Promise<LeaseHolder | undefined> {
      const row = await db
        .selectFrom('factHead')
        .select(['holder', 'address', 'until'])
        .executeTakeFirstOrThrow();
      if (row.holder === '') return undefined;
      return { holder: row.holder, address: row.address, until: row.until };
    },
  };
}
