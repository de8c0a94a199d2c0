import { worklist } from '@financing-checkout/kit/sql';
import { type Kysely, sql } from 'kysely';
import { advance } from './head.ts';
import { alerts as alertTable, type FactTables } from './schema.ts';
import type { FactStore } from './store.ts';

type AlertFacts = Pick<
  FactStore,
  'alerts' | 'queueAlert' | 'claimAlerts' | 'finishAlert' | 'replayAlert'
>;

const dueAlerts = (db: Kysely<FactTables>) => worklist(db, alertTable);

/** Messages to finance and their delivery states. */
export function alertFacts(db: Kysely<FactTables>): AlertFacts {
  return {
    async alerts({ state, after, limit }) {
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

    queueAlert: (fence, alert, now) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        await tx
          .insertInto('alerts')
          .values(alertTable.write({ ...alert, createdAt: now, tries: 0, nextAttemptAt: now }))
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
      }),

    async claimAlerts(fence, now, until, limit) {
      // Called every second, so it writes only if a message is due.
      if ((await dueAlerts(db).due(now, 1)).length === 0) return [];
      return db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        const returned = ['id', 'caseId', 'body', 'tries'] as const;
        return dueAlerts(tx).claimDue(returned, [now, until, limit]);
      });
    },

    finishAlert: (fence, { id, tries }, result, now) =>
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

    replayAlert: (fence, id, now) =>
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
