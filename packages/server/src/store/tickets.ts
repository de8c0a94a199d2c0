import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

/** The requests that hold order tickets, for tickets that may open only one checkout at a time. */
export function tickets({ transact }: Database) {
  return {
    /**
     * Claims an order ticket for a request, identified by its Idempotency-Key. Returns false while
     * another request holds the ticket: one in progress, or one whose checkout has not ended.
     */
    claimTicket: (ticketId: string, key: string, now: number): Promise<boolean> =>
      transact((tx) => claim(tx, ticketId, key, now)),
  };
}

/** Milliseconds after which the claim expires if its request left no stored record. */
const CLAIM_MS = 30_000;

async function claim(
  tx: Transaction<Schema>,
  ticketId: string,
  key: string,
  now: number,
): Promise<boolean> {
  await tx
    .insertInto('ticketUses')
    .values({ ticketId, key, claimedAt: now })
    .onConflict((conflict) => conflict.column('ticketId').doNothing())
    .execute();
  const holder = await tx
    .selectFrom('ticketUses')
    .selectAll()
    .where('ticketId', '=', ticketId)
    .executeTakeFirstOrThrow();
  if (holder.key === key) return true;
  if (await isInUse(tx, holder.key, holder.claimedAt, now)) return false;
  const updated = await tx
    .updateTable('ticketUses')
    .set({ key, claimedAt: now })
    .where('ticketId', '=', ticketId)
    .where('key', '=', holder.key)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

async function isInUse(
  tx: Transaction<Schema>,
  key: string,
  claimedAt: number,
  now: number,
): Promise<boolean> {
  const request = await tx
    .selectFrom('idempotency')
    .leftJoin('checkouts', 'checkouts.id', 'idempotency.checkoutId')
    .select(['idempotency.state', 'idempotency.leaseUntil', 'checkouts.status'])
    .where('idempotency.key', '=', key)
    .executeTakeFirst();
  if (request === undefined) return now < claimedAt + CLAIM_MS;
  if (request.state === 'in-flight') return now < request.leaseUntil;
  const { status } = request;
  // A pending checkout continues without the shopper and may reopen.
  return status === 'open' || status === 'confirming' || status === 'pending';
}
