import { firstId } from '../platform/id.ts';
import type { Database } from './database.ts';

const DAY_MS = 86_400_000;

/**
 * Milliseconds for which ended rows are kept. Rows that have not ended are kept forever: an attempt
 * with an unknown outcome, a dead message (an operator may send it again), each confirmed checkout,
 * and all charge operations and ledger entries.
 */
const KEPT_MS = {
  /**
   * Idempotency keys and their order tickets. A page retries within minutes, and a ticket expires
   * within days.
   */
  keys: 7 * DAY_MS,
  /** Refused requests, for `explain`. */
  refusals: 7 * DAY_MS,
  /** Counted link messages, kept for the longest window in which they count. */
  linkMessages: DAY_MS,
  messages: 30 * DAY_MS,
  /**
   * Checkouts that were expired, canceled or declined, and never confirmed, and applications
   * without a cart.
   */
  checkouts: 90 * DAY_MS,
  /** Attempts that were rejected, not sent, or accepted, for `explain` and disputes. */
  attempts: 400 * DAY_MS,
};

/** Cutoff timestamps in milliseconds since 1970: rows that ended earlier are deleted. */
export type Cutoffs = Record<keyof typeof KEPT_MS, number>;

export function retention(now: number): Cutoffs {
  return {
    keys: now - KEPT_MS.keys,
    refusals: now - KEPT_MS.refusals,
    linkMessages: now - KEPT_MS.linkMessages,
    messages: now - KEPT_MS.messages,
    checkouts: now - KEPT_MS.checkouts,
    attempts: now - KEPT_MS.attempts,
  };
}

export function pruning({ db }: Database) {
  return {
    /**
     * Deletes rows that ended before the cutoffs, at most `limit` of each kind.
     * @returns the number of deleted rows
     */
    async prune(before: Cutoffs, limit: number): Promise<number> {
      // The companion of a key in flight whose lease ended long ago has died, and the response is
      // lost.
      const keys = await db
        .deleteFrom('idempotency')
        .where('key', 'in', (eb) =>
          eb
            .selectFrom('idempotency')
            .select('key')
            .where('createdAt', '<', before.keys)
            .where('leaseUntil', '<', before.keys)
            .limit(limit),
        )
        .executeTakeFirst();
      const messages = await db
        .deleteFrom('outbox')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('outbox')
            .select('id')
            .where('deliveredAt', '<', before.messages)
            .limit(limit),
        )
        .executeTakeFirst();
      // Without a confirmation no charge was attempted.
      const checkouts = await db
        .deleteFrom('checkouts')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('checkouts')
            .select('id')
            .where('confirmationHash', 'is', null)
            .where('attentionAt', 'is', null)
            .where('updatedAt', '<', before.checkouts)
            .where('chargeId', 'is', null)
            .where('status', 'in', ['expired', 'cancelled', 'declined'])
            // The environment of a message is that of its checkout.
            .where('id', 'not in', (not) =>
              not.selectFrom('outbox').select('checkoutId').where('deliveredAt', 'is', null),
            )
            .limit(limit),
        )
        // A shopper may continue the checkout between the subquery and the delete.
        .where('status', 'in', ['expired', 'cancelled', 'declined'])
        .where('confirmationHash', 'is', null)
        .executeTakeFirst();
      const attempts = await db
        .deleteFrom('attempts')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('attempts')
            .select('id')
            .where('id', '<', firstId('att', before.attempts))
            .where('updatedAt', '<', before.attempts)
            .where('state', 'in', ['rejected', 'not-sent', 'accepted'])
            .limit(limit),
        )
        .executeTakeFirst();
      const tickets = await db
        .deleteFrom('ticketUses')
        .where('ticketId', 'in', (eb) =>
          eb
            .selectFrom('ticketUses')
            .select('ticketId')
            .where('claimedAt', '<', before.keys)
            .limit(limit),
        )
        .executeTakeFirst();
      const prequalifications = await db
        .deleteFrom('prequalifications')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('prequalifications')
            .select('id')
            .where('createdAt', '<', before.checkouts)
            .limit(limit),
        )
        .executeTakeFirst();
      const links = await db
        .deleteFrom('links')
        .where('checkoutId', 'in', (eb) =>
          eb
            .selectFrom('links')
            .leftJoin('checkouts', 'checkouts.id', 'links.checkoutId')
            .select('links.checkoutId')
            .where('links.expiresAt', '<', before.checkouts)
            .where('checkouts.id', 'is', null)
            .limit(limit),
        )
        .executeTakeFirst();
      const linkClaims = await db
        .deleteFrom('linkClaims')
        .where('attemptId', 'in', (eb) =>
          eb
            .selectFrom('linkClaims')
            .leftJoin('checkouts', 'checkouts.id', 'linkClaims.checkoutId')
            .select('linkClaims.attemptId')
            .where('linkClaims.until', '<', before.keys)
            .where((where) =>
              where.or([
                where('checkouts.status', 'is', null),
                where('checkouts.status', '<>', 'pending'),
              ]),
            )
            .limit(limit),
        )
        .executeTakeFirst();
      const linkMessages = await db
        .deleteFrom('linkMessages')
        .where('attemptId', 'in', (eb) =>
          eb
            .selectFrom('linkMessages')
            .select('attemptId')
            .where('createdAt', '<', before.linkMessages)
            .limit(limit),
        )
        .executeTakeFirst();
      const refusals = await db
        .deleteFrom('refusals')
        .where('requestId', 'in', (eb) =>
          eb
            .selectFrom('refusals')
            .select('requestId')
            .where('refusedAt', '<', before.refusals)
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(
        keys.numDeletedRows +
          refusals.numDeletedRows +
          prequalifications.numDeletedRows +
          tickets.numDeletedRows +
          links.numDeletedRows +
          linkClaims.numDeletedRows +
          linkMessages.numDeletedRows +
          messages.numDeletedRows +
          checkouts.numDeletedRows +
          attempts.numDeletedRows,
      );
    },
  };
}
