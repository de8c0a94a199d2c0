import type { Environment } from '@financing-checkout/contract/storefront';
import type { Database } from './database.ts';
import { isIn, worklist } from './worklist.ts';

/**
 * A notification from the service: the application it concerns, and the token of a confirmation.
 */
export interface NewNotification {
  /** SHA-256 of environment and content: a repeated notification maps to the same row. */
  id: string;
  /** Environment of the companion that received it. */
  environment: Environment;
  event: string;
  applicationId: string;
  /** Stored until used, then erased. */
  confirmationToken: string | undefined;
  /** Checkout of the link that the notification identifies; undefined for other notifications. */
  checkoutId?: string | undefined;
  receivedAt: number;
  dueAt: number;
}

export interface NotificationRow extends Omit<NewNotification, 'environment' | 'dueAt'> {
  tries: number;
}

export type NotificationRepository = ReturnType<typeof notifications>;

export function notifications({ db }: Database) {
  const work = worklist(db, 'notifications');
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
    ) => work.claimDue(returned, due, isIn(environment)),

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
