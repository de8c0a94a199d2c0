import type { Environment } from '@financing-checkout/contract';
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { NotificationsTable } from './schema.ts';

/** A notification of the service: the application it concerns, and the token of a confirmation. */
export interface NewNotification {
  /** SHA-256 of environment and content: a repeated notification is the same row. */
  id: string;
  /** Environment of the companion that received it. */
  environment: Environment;
  event: string;
  applicationId: string;
  /** Stored until it is used, then erased. */
  confirmationToken: string | undefined;
  /** Of the link that it names; undefined for other notifications. */
  checkoutId?: string | undefined;
  receivedAt: number;
  /** When the notification is handled first. */
  dueAt: number;
}

export interface NotificationRow extends Omit<NewNotification, 'environment' | 'dueAt'> {
  tries: number;
}

export interface NotificationRepository {
  /** Stores a notification. False when it is stored already. */
  putNotification(notification: NewNotification): Promise<boolean>;
  /** Claims due notifications of an environment; until `until` no other companion gets them. */
  claimNotifications(
    environment: Environment,
    now: number,
    until: number,
    limit: number,
  ): Promise<NotificationRow[]>;
  /** Marks a notification as handled and erases its token, or makes it due again at `retryAt`. */
  finishNotification(
    id: string,
    end: { outcome: string } | { retryAt: number },
    now: number,
  ): Promise<void>;
  /** Deletes notifications that were handled before a moment. */
  pruneNotifications(handledBefore: number): Promise<void>;
}

export function notifications({ db }: Database): NotificationRepository {
  return {
    async putNotification(notification) {
      const inserted = await db
        .insertInto('notifications')
        .values({
          id: notification.id,
          environment: notification.environment,
          event: notification.event,
          application_id: notification.applicationId,
          confirmation_token: notification.confirmationToken ?? null,
          received_at: notification.receivedAt,
          attention_at: notification.dueAt,
          tries: 0,
          handled_at: null,
          outcome: null,
          checkout_id: notification.checkoutId ?? null,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted !== undefined;
    },

    async claimNotifications(environment, now, until, limit) {
      const due = await db
        .selectFrom('notifications')
        .select(['id', 'attention_at'])
        .where('attention_at', '<=', now)
        .where((eb) => eb.or([eb('environment', '=', environment), eb('environment', 'is', null)]))
        .orderBy('attention_at')
        .limit(limit)
        .execute();
      const claimed: NotificationRow[] = [];
      for (const { id, attention_at } of due) {
        const row = await db
          .updateTable('notifications')
          .set((eb) => ({ attention_at: until, tries: eb('tries', '+', 1) }))
          .where('id', '=', id)
          .where('attention_at', '=', attention_at)
          .returningAll()
          .executeTakeFirst();
        if (row) claimed.push(toNotification(row));
      }
      return claimed;
    },

    async finishNotification(id, end, now) {
      await db
        .updateTable('notifications')
        .set(
          'retryAt' in end
            ? { attention_at: end.retryAt }
            : {
                attention_at: null,
                handled_at: now,
                outcome: end.outcome,
                confirmation_token: null,
              },
        )
        .where('id', '=', id)
        .execute();
    },

    async pruneNotifications(handledBefore) {
      await db.deleteFrom('notifications').where('handled_at', '<', handledBefore).execute();
    },
  };
}

function toNotification(row: Selectable<NotificationsTable>): NotificationRow {
  return {
    id: row.id,
    event: row.event,
    applicationId: row.application_id,
    confirmationToken: row.confirmation_token ?? undefined,
    checkoutId: row.checkout_id ?? undefined,
    receivedAt: Number(row.received_at),
    tries: row.tries,
  };
}
