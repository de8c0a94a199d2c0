import type { Environment } from '@financing-checkout/contract';
import type { Transaction } from 'kysely';
import type { Database, ServerHistory } from './database.ts';
import { LOST } from './order-claims.ts';
import type { Schema } from './schema.ts';
import type { SentRequest } from './sent-requests.ts';

/** What the service has done and the store no longer has. */
export interface LostRecord {
  environment: Environment;
  kind: SentRequest['kind'];
  merchantOrderId: string;
  chargeId: string;
  /** Transaction id of an operation on the charge; undefined for the charge itself. */
  merchantTransactionId?: string | undefined;
}

/** How often the store records that its server is in use, in milliseconds. */
const SEEN_EVERY_MS = 60_000;
/** How long after its expiration a checkout may still be confirmed by the service, in milliseconds. */
const CONFIRMED_LATE_MS = 3_600_000;
/** Maximum number of ids in a query. */
const IDS = 1_000;

export type LossRepository = ReturnType<typeof losses>;

/** Finds out which records the store has lost because another server took its place. */
export function losses({ db, transact, sent, server }: Database) {
  let noted:
    | { history: ServerHistory; at: number; result: Promise<number | undefined> }
    | undefined;
  let searched: ServerHistory | undefined;

  async function serverChangedAt(now: number): Promise<number | undefined> {
    const { history } = server;
    if (history === undefined) return undefined;
    const isNoted = noted !== undefined && isSame(noted.history, history);
    if (noted !== undefined && isNoted && now < noted.at + SEEN_EVERY_MS) return noted.result;
    const result = transact((tx) => noteServer(tx, history, now));
    noted = { history, at: now, result };
    result.catch(() => (noted = undefined));
    return result;
  }

  return {
    /**
     * Returns when the database was first found on a server with another history: a standby was
     * promoted, or a backup was restored. Undefined if that has not happened or cannot be known.
     * The first call after a change makes the checkouts due whose charge may be lost.
     */
    serverChangedAt,

    /** Returns the requests of this process that are not in the store since its server changed. */
    async lostRequests(now: number): Promise<SentRequest[]> {
      const { history } = server;
      await serverChangedAt(now);
      if (history === undefined || (searched && isSame(searched, history))) return [];
      const lost: SentRequest[] = [];
      const requests = searched === undefined ? [] : sent.all();
      for (let start = 0; start < requests.length; start += IDS) {
        const some = requests.slice(start, start + IDS);
        const ids = some.map(({ id }) => id);
        const found = await db
          .selectFrom('attempts')
          .select('id')
          .where('id', 'in', ids)
          .unionAll(db.selectFrom('chargeOperations').select('id').where('id', 'in', ids))
          .execute();
        const kept = new Set(found.map(({ id }) => id));
        lost.push(...some.filter(({ id }) => !kept.has(id)));
      }
      for (const { id } of lost) sent.forget(id);
      searched = history;
      return lost;
    },

    /**
     * Records a loss. The order of a lost charge is claimed for ever, so that it is not charged
     * again. Returns false if the loss is recorded already.
     */
    putLostRecord: (record: LostRecord, now: number): Promise<boolean> =>
      transact(async (tx) => {
        const { environment, kind, merchantOrderId, chargeId, merchantTransactionId } = record;
        const id = `${environment} ${kind} ${merchantTransactionId ?? chargeId}`;
        const inserted = await tx
          .insertInto('lostRecords')
          .values({ id, environment, kind, merchantOrderId, chargeId, foundAt: now })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        if (kind === 'charge') {
          await tx
            .insertInto('orderClaims')
            .values({ environment, merchantOrderId, checkoutId: LOST + chargeId })
            .onConflict((conflict) =>
              conflict.columns(['environment', 'merchantOrderId']).doNothing(),
            )
            .execute();
        }
        return inserted.numInsertedOrUpdatedRows === 1n;
      }),

    /** Returns the losses that were found since a moment, newest first. */
    async lostRecords(environment: Environment, since: number, limit: number) {
      return db
        .selectFrom('lostRecords')
        .select(['kind', 'merchantOrderId', 'chargeId'])
        .where('environment', '=', environment)
        .where('foundAt', '>=', since)
        .orderBy('foundAt', 'desc')
        .limit(limit)
        .execute();
    },
  };
}

const isSame = (one: ServerHistory, other: ServerHistory) =>
  one.cluster === other.cluster && one.timeline === other.timeline;

/** Records the server that the store has. @returns when its history last changed */
async function noteServer(
  tx: Transaction<Schema>,
  history: ServerHistory,
  now: number,
): Promise<number | undefined> {
  const { cluster, timeline } = history;
  await tx
    .insertInto('serverHistory')
    .values({ id: 1, cluster, timeline, seenAt: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  // Locks the row, so that one companion alone sees the change.
  const row = await tx
    .updateTable('serverHistory')
    .set({ id: 1 })
    .where('id', '=', 1)
    .returningAll()
    .executeTakeFirstOrThrow();
  const isChanged = row.cluster !== cluster || timeline > row.timeline;
  const changedAt = isChanged ? now : row.changedAt;
  if (isChanged) {
    // Their charge may have been created after the standby had received its last commit.
    await tx
      .updateTable('checkouts')
      .set({ attentionAt: now, attentionTries: 0 })
      .where('status', 'in', ['open', 'expired'])
      .where('chargeId', 'is', null)
      .where('expiresAt', '>=', row.seenAt - CONFIRMED_LATE_MS)
      .execute();
  }
  await tx
    .updateTable('serverHistory')
    .set({ cluster, timeline: isChanged ? timeline : row.timeline, seenAt: now, changedAt })
    .where('id', '=', 1)
    .execute();
  return changedAt;
}
