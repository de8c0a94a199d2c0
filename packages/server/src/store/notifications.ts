import type { Environment } from '@financing-checkout/contract/storefront';
import { type Row, worklist } from '@financing-checkout/kit/sql';
import { type Database, isIn } from './database.ts';
import { tables } from './schema.ts';

type StoredNotification = Row<typeof tables.notifications>;
export type NewNotification = Omit<
  StoredNotification,
  'attentionAt' | 'tries' | 'handledAt' | 'outcome'
> & { dueAt: number };
export type NotificationRow = Pick<StoredNotification, (typeof returned)[number]>;

export function notifications({ db }: Database) {
  const work = worklist(db, tables.notifications);
  return {
    /** Stores a notification. Returns false when it is already stored. */
    async putNotification({ dueAt, ...notification }: NewNotification): Promise<boolean> {
      const inserted = await db
        .insertInto('notifications')
        .values({ ...notification, attentionAt: dueAt, tries: 0 })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted !== undefined;
    },

    /** Claims due notifications of an environment. No other companion gets them before `until`. */
    claimNotifications: (
      environment: Environment,
      ...due: [now: number, until: number, limit: number]
    ): Promise<NotificationRow[]> => work.claimDue(returned, due, isIn(environment)),

    /** Marks a notification as handled and erases its token, or makes it due again at `retryAt`. */
    async finishNotification(
      id: string,
      end: { outcome: string } | { retryAt: number },
      now: number,
    ): Promise<void> {
      await db
        .updateTable('notifications')
        .set(
          'retryAt' in end
            ? { attentionAt: end.retryAt }
            : {
                attentionAt: null,
                handledAt: now,
                outcome: end.outcome,
                confirmationToken: null,
              },
        )
        .where('id', '=', id)
        .execute();
    },

    async pruneNotifications(handledBefore: number): Promise<void> {
      await db.deleteFrom('notifications').where('handledAt', '<', handledBefore).execute();
    },
  };
}

const returned = [
  'id',
  'event',
  'applicationId',
  'confirmationToken',
  'checkoutId',
  'receivedAt',
  'tries',
] as const;
