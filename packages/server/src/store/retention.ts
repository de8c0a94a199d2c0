import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely';
import { firstId } from '../platform/id.ts';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

const DAY_MS = 86_400_000;

/**
 * How long ended rows are kept, in milliseconds. Rows that have not ended are kept forever: an
 * attempt with an unknown outcome, a dead message (an operator may send it again), each confirmed
 * checkout, and all charge operations and ledger entries.
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
      let deleted = 0n;
      for (const { name, key, ended, recheck } of endedRows(before)) {
        const [table, id] = [sql.table(name), sql.ref(key)];
        const found = sql`${id} in (select ${id} from ${table} where ${ended} limit ${limit})`;
        const condition = recheck === undefined ? found : sql`${found} and ${recheck}`;
        const { numAffectedRows } = await sql`delete from ${table} where ${condition}`.execute(db);
        deleted += numAffectedRows ?? 0n;
      }
      return Number(deleted);
    },
  };
}

interface EndedRows {
  name: keyof Schema;
  /** A column that selects one row. */
  key: string;
  ended: Expression<SqlBool>;
  /** A condition that may have changed since the rows were selected. */
  recheck?: Expression<SqlBool>;
}

function endedRows(before: Cutoffs): EndedRows[] {
  const eb = expressionBuilder<Schema, keyof Schema>();
  // Without a confirmation no charge was attempted.
  const neverConfirmed = [
    eb('checkouts.status', 'in', ['expired', 'cancelled', 'declined']),
    eb('checkouts.confirmationHash', 'is', null),
  ];
  const checkoutOf = (reference: 'links.checkoutId' | 'linkClaims.checkoutId') =>
    eb.selectFrom('checkouts').select('checkouts.id').whereRef('checkouts.id', '=', reference);
  return [
    {
      name: 'idempotency',
      key: 'key',
      // The companion of a key in flight whose lease ended long ago has died, and the response is
      // lost.
      ended: eb.and([
        eb('idempotency.createdAt', '<', before.keys),
        eb('idempotency.leaseUntil', '<', before.keys),
      ]),
    },
    { name: 'outbox', key: 'id', ended: eb('outbox.deliveredAt', '<', before.messages) },
    {
      name: 'checkouts',
      key: 'id',
      ended: eb.and([
        ...neverConfirmed,
        eb('checkouts.attentionAt', 'is', null),
        eb('checkouts.updatedAt', '<', before.checkouts),
        eb('checkouts.chargeId', 'is', null),
        // A message has the environment of its checkout.
        eb('checkouts.id', 'not in', (not) =>
          not
            .selectFrom('outbox')
            .select('outbox.checkoutId')
            .where('outbox.deliveredAt', 'is', null),
        ),
      ]),
      // A shopper may continue the checkout between the subquery and the delete.
      recheck: eb.and(neverConfirmed),
    },
    {
      name: 'attempts',
      key: 'id',
      ended: eb.and([
        eb('attempts.id', '<', firstId('att', before.attempts)),
        eb('attempts.updatedAt', '<', before.attempts),
        eb('attempts.state', 'in', ['rejected', 'not-sent', 'accepted']),
      ]),
    },
    { name: 'ticketUses', key: 'ticketId', ended: eb('ticketUses.claimedAt', '<', before.keys) },
    {
      name: 'prequalifications',
      key: 'id',
      ended: eb('prequalifications.createdAt', '<', before.checkouts),
    },
    {
      name: 'links',
      key: 'checkoutId',
      ended: eb.and([
        eb('links.expiresAt', '<', before.checkouts),
        eb.not(eb.exists(checkoutOf('links.checkoutId'))),
      ]),
    },
    {
      name: 'linkClaims',
      key: 'attemptId',
      ended: eb.and([
        eb('linkClaims.until', '<', before.keys),
        eb.not(
          eb.exists(checkoutOf('linkClaims.checkoutId').where('checkouts.status', '=', 'pending')),
        ),
      ]),
    },
    {
      name: 'linkMessages',
      key: 'attemptId',
      ended: eb('linkMessages.createdAt', '<', before.linkMessages),
    },
    { name: 'refusals', key: 'requestId', ended: eb('refusals.refusedAt', '<', before.refusals) },
  ];
}
