import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

export interface TicketRepository {
  /**
   * Claims an order ticket for a request, by its Idempotency-Key. False while another request holds the
   * ticket: one in progress, or one whose checkout has not ended.
   */
  claimTicket(ticketId: string, key: string, now: number): Promise<boolean>;
}

/** The requests that hold order tickets, where a ticket may open one checkout at a time. */
export function tickets({ transact }: Database): TicketRepository {
  return {
    claimTicket: (ticketId, key, now) => transact((tx) => claim(tx, ticketId, key, now)),
  };
}

/** Milliseconds after which the claim of a request that has no record of its own expires. */
const CLAIM_MS = 30_000;

async function claim(
  tx: Transaction<Schema>,
  ticketId: string,
  key: string,
  now: number,
): Promise<boolean> {
  await tx
    .insertInto('ticket_uses')
    .values({ ticket_id: ticketId, key, claimed_at: now })
    .onConflict((conflict) => conflict.column('ticket_id').doNothing())
    .execute();
  const holder = await tx
    .selectFrom('ticket_uses')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .executeTakeFirstOrThrow();
  if (holder.key === key) return true;
  if (await isInUse(tx, holder.key, Number(holder.claimed_at), now)) return false;
  const updated = await tx
    .updateTable('ticket_uses')
    .set({ key, claimed_at: now })
    .where('ticket_id', '=', ticketId)
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
    .leftJoin('checkouts', 'checkouts.id', 'idempotency.checkout_id')
    .select(['idempotency.state', 'idempotency.lease_until', 'checkouts.status'])
    .where('idempotency.key', '=', key)
    .executeTakeFirst();
  if (request === undefined) return now < claimedAt + CLAIM_MS;
  if (request.state === 'in-flight') return now < Number(request.lease_until);
  const { status } = request;
  // A pending checkout continues without the shopper, and may be open again.
  return status === 'open' || status === 'confirming' || status === 'pending';
}
