import { firstId } from '../platform/id.ts';
import type { Database } from './database.ts';

const DAY_MS = 86_400_000;

/**
 * How long what has ended is kept. What has not is kept for ever: an attempt whose outcome is not
 * known, a message that was given up (an operator may send it again), each checkout that was confirmed,
 * and all charge operations and ledger entries.
 */
const KEPT_MS = {
  /** Idempotency keys, and the order tickets they were used with. A page asks again within minutes, and its ticket runs out within days. */
  keys: 7 * DAY_MS,
  /** Refused requests. For `explain`. */
  refusals: 7 * DAY_MS,
  /** Messages that were delivered. */
  messages: 30 * DAY_MS,
  /** Checkouts that came to nothing: expired, cancelled or declined, and never confirmed. */
  checkouts: 90 * DAY_MS,
  /** Attempts that ended: rejected, not sent, or accepted. For `explain` and disputes. */
  attempts: 400 * DAY_MS,
};

/** Moments, in milliseconds since 1970, before which what has ended is removed. */
export type Cutoffs = Record<keyof typeof KEPT_MS, number>;

export interface RetentionStore {
  /**
   * Removes what has ended before the cutoffs, at most `limit` of each kind.
   * @returns how many rows that were
   */
  prune(before: Cutoffs, limit: number): Promise<number>;
}

export function retention(now: number): Cutoffs {
  return {
    keys: now - KEPT_MS.keys,
    refusals: now - KEPT_MS.refusals,
    messages: now - KEPT_MS.messages,
    checkouts: now - KEPT_MS.checkouts,
    attempts: now - KEPT_MS.attempts,
  };
}

export function pruning({ db }: Database): RetentionStore {
  return {
    async prune(before, limit) {
      // A key in flight whose lease ended long ago has lost its companion, and its answer with it.
      const keys = await db
        .deleteFrom('idempotency')
        .where('key', 'in', (eb) =>
          eb
            .selectFrom('idempotency')
            .select('key')
            .where('created_at', '<', before.keys)
            .where('lease_until', '<', before.keys)
            .limit(limit),
        )
        .executeTakeFirst();
      const messages = await db
        .deleteFrom('outbox')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('outbox')
            .select('id')
            .where('delivered_at', '<', before.messages)
            .limit(limit),
        )
        .executeTakeFirst();
      // Without a confirmation there is no attempt of a charge.
      const checkouts = await db
        .deleteFrom('checkouts')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('checkouts')
            .select('id')
            .where('confirmation_hash', 'is', null)
            .where('attention_at', 'is', null)
            .where('updated_at', '<', before.checkouts)
            .where('charge_id', 'is', null)
            .where('status', 'in', ['expired', 'cancelled', 'declined'])
            // A message finds its environment by its checkout.
            .where('id', 'not in', (not) =>
              not.selectFrom('outbox').select('checkout_id').where('delivered_at', 'is', null),
            )
            .limit(limit),
        )
        // A shopper may go on with it between the two.
        .where('status', 'in', ['expired', 'cancelled', 'declined'])
        .where('confirmation_hash', 'is', null)
        .executeTakeFirst();
      const attempts = await db
        .deleteFrom('attempts')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('attempts')
            .select('id')
            .where('id', '<', firstId('att', before.attempts))
            .where('updated_at', '<', before.attempts)
            .where('state', 'in', ['rejected', 'not-sent', 'accepted'])
            .limit(limit),
        )
        .executeTakeFirst();
      const tickets = await db
        .deleteFrom('ticket_uses')
        .where('ticket_id', 'in', (eb) =>
          eb
            .selectFrom('ticket_uses')
            .select('ticket_id')
            .where('claimed_at', '<', before.keys)
            .limit(limit),
        )
        .executeTakeFirst();
      const refusals = await db
        .deleteFrom('refusals')
        .where('request_id', 'in', (eb) =>
          eb
            .selectFrom('refusals')
            .select('request_id')
            .where('refused_at', '<', before.refusals)
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(
        keys.numDeletedRows +
          refusals.numDeletedRows +
          tickets.numDeletedRows +
          messages.numDeletedRows +
          checkouts.numDeletedRows +
          attempts.numDeletedRows,
      );
    },
  };
}
