import type { Environment } from '@financing-checkout/contract/storefront';
import type { Transaction } from 'kysely';
import type { Database, ServerHistory } from './database.ts';
import { LOST } from './order-claims.ts';
import type { Schema } from './schema.ts';
import type { SentRequest } from './sent-requests.ts';

/** A charge or an operation that the service executed and the store has lost. */
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
/** States of a checkout that the service may still confirm. */
const UNCONFIRMED = ['open', 'expired'] as const;
const IDS = 1_000;

/** Finds records that the store lost when another server took over. */
export function losses({ db, transact, sent, server }: Database) {
  let noted:
    | { history: ServerHistory; at: number; result: Promise<number | undefined> }
    | undefined;
  let searched: ServerHistory | undefined;
  let recording: Promise<unknown> | undefined;

  async function serverChangedAt(now: number): Promise<number | undefined> {
    const { history } = server;
    if (history === undefined) return undefined;
    const isNoted = noted !== undefined && isSame(noted.history, history);
    if (noted !== undefined && isNoted && now < noted.at + SEEN_EVERY_MS) return noted.result;
    const result = note(history, now);
    noted = { history, at: now, result };
    result.catch(() => (noted = undefined));
    return result;
  }

  /** Records the server. Returns a change immediately, but records it once its checkouts are due. */
  async function note(history: ServerHistory, now: number): Promise<number | undefined> {
    // A transaction, because it is retried if the connection led to a dead server.
    const row = await transact((tx) =>
      tx.selectFrom('serverHistory').selectAll().where('id', '=', 1).executeTakeFirst(),
    );
    if (row === undefined || !isSuccessor(history, row)) {
      return transact((tx) => noteServer(tx, history, now));
    }
    recording ??= (async () => {
      await makeDue(row.seenAt - CONFIRMED_LATE_MS, now);
      await transact((tx) => noteServer(tx, history, now));
    })().finally(() => (noted = recording = undefined));
    recording.catch(() => undefined);
    return now;
  }

  /**
   * Makes checkouts due that expire at or after `expiry`: their charge may have been created after
   * the standby received its last commit. Works in batches, so that no shopper waits for all of
   * them.
   */
  async function makeDue(expiry: number, now: number): Promise<void> {
    for (let last: string | undefined = ''; last !== undefined;) {
      const after: string = last;
      last = await transact(async (tx) => {
        const rows = await tx
          .selectFrom('checkouts')
          .select('id')
          .where('id', '>', after)
          .where('status', 'in', UNCONFIRMED)
          .where('chargeId', 'is', null)
          .where('expiresAt', '>=', expiry)
          .orderBy('id')
          .limit(IDS)
          .execute();
        const ids = rows.map(({ id }) => id);
        if (ids.length === 0) return undefined;
        await tx
          .updateTable('checkouts')
          .set({ attentionAt: now, attentionTries: 0 })
          .where('id', 'in', ids)
          .where('status', 'in', UNCONFIRMED)
          .where('chargeId', 'is', null)
          .execute();
        return ids.at(-1);
      });
    }
  }

  return {
    /**
     * Returns when the database was first seen on a server with another history: a standby was
     * promoted, or a backup was restored. Undefined if that has not happened or cannot be known.
     */
    serverChangedAt,

    /**
     * Returns this process's requests that were lost when the server changed, after making the
     * checkouts due whose charge may be lost.
     */
    async lostRequests(now: number): Promise<SentRequest[]> {
      const { history } = server;
      await serverChangedAt(now);
      await recording;
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
     * Records a loss. Claims the order of a lost charge forever, so that it is not charged again.
     * Returns false if the loss is already recorded.
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

    async lostRecords(environment: Environment, since: number, limit: number) {
      return db
        .selectFrom('lostRecords')
        .select(['kind', 'merchantOrderId', 'chargeId', 'foundAt'])
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

const isSuccessor = (history: ServerHistory, earlier: ServerHistory) =>
  history.cluster !== earlier.cluster || history.timeline > earlier.timeline;

/** Records the store's current server. @returns when its history last changed */
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
  // Locks the row, so that only one companion sees the change.
  const row = await tx
    .updateTable('serverHistory')
    .set({ id: 1 })
    .where('id', '=', 1)
    .returningAll()
    .executeTakeFirstOrThrow();
  const isChanged = isSuccessor(history, row);
  const changedAt = isChanged ? now : row.changedAt;
  await tx
    .updateTable('serverHistory')
    .set({ cluster, timeline: isChanged ? timeline : row.timeline, seenAt: now, changedAt })
    .where('id', '=', 1)
    .execute();
  return changedAt;
}
