import type { DeliveryResult } from '@financing-checkout/kit/outbox';
import { worklist } from '@financing-checkout/kit/sql';
import { type Kysely, sql } from 'kysely';
import { advance, type Fence } from './head.ts';
import { type AlertRow, alerts as alertTable, type FactTables } from './schema.ts';

/** A message to queue for finance. */
export interface NewAlert {
  id: string;
  /** Empty if the message does not concern a case. */
  caseId: string;
  body: string;
}

/** A due message. */
export interface DueAlert extends NewAlert {
  /** Number of this attempt. */
  tries: number;
}

export interface AlertQuery {
  state?: 'waiting' | 'delivered' | 'dead';
  after?: string;
  limit: number;
}

const dueAlerts = (db: Kysely<FactTables>) => worklist(db, alertTable);

/** Messages to finance and their delivery states. */
export function alertFacts(db: Kysely<FactTables>) {
  return {
    /** Returns messages to finance, oldest first. */
    async alerts({ state, after, limit }: AlertQuery): Promise<AlertRow[]> {
      let query = db
        .selectFrom('alerts')
        .select(['id', 'caseId', 'createdAt', 'tries'])
        .select(['nextAttemptAt', 'deliveredAt', 'reason']);
      if (state === 'delivered') query = query.where('deliveredAt', 'is not', null);
      if (state === 'waiting' || state === 'dead') {
        const isWaiting = state === 'waiting' ? 'is not' : 'is';
        query = query.where('deliveredAt', 'is', null).where('nextAttemptAt', isWaiting, null);
      }
      if (after !== undefined) {
        query = query.where(
          sql<boolean>`(created_at, id) > (select created_at, id from alerts where id = ${after})`,
        );
      }
      return query.orderBy('createdAt').orderBy('id').limit(limit).execute();
    },

    /** Queues a message that does not concern a case, once per id. @throws {LeaseLostError} */
    queueAlert: (fence: Fence, alert: NewAlert, now: number) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        await tx
          .insertInto('alerts')
          .values(alertTable.write({ ...alert, createdAt: now, tries: 0, nextAttemptAt: now }))
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
      }),

    /** Claims due messages and postpones each of them until `until`. @throws {LeaseLostError} */
    async claimAlerts(
      fence: Fence,
      now: number,
      until: number,
      limit: number,
    ): Promise<DueAlert[]> {
      // Called every second, so it writes only if a message is due.
      if ((await dueAlerts(db).due(now, 1)).length === 0) return [];
      return db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        const returned = ['id', 'caseId', 'body', 'tries'] as const;
        return dueAlerts(tx).claimDue(returned, [now, until, limit]);
      });
    },

    /** Records the result of a delivery attempt. @throws {LeaseLostError} */
    finishAlert: (
      fence: Fence,
      { id, tries }: Pick<DueAlert, 'id' | 'tries'>,
      result: DeliveryResult,
      now: number,
    ) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        await tx
          .updateTable('alerts')
          .set({
            nextAttemptAt: result.kind === 'retry' ? result.at : null,
            deliveredAt: result.kind === 'delivered' ? now : null,
            reason: result.kind === 'delivered' ? null : result.reason,
          })
          .where('id', '=', id)
          // A later attempt has its own result.
          .where('tries', '=', tries)
          .execute();
      }),

    /** Makes a message due again. @returns false if the id is unknown @throws {LeaseLostError} */
    replayAlert: (fence: Fence, id: string, now: number) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        const { numUpdatedRows } = await tx
          .updateTable('alerts')
          .set({ nextAttemptAt: now, tries: 0, deliveredAt: null, reason: null })
          .where('id', '=', id)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),
  };
}
