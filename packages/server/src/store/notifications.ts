import type { Environment } from '@financing-checkout/contract';
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { NotificationsTable } from './schema.ts';

/** What the service told us: where to look, and for a confirmation what to charge with. */
export interface NewNotification {
  /** SHA-256 of environment and content: the same one a second time is the same row. */
  id: string;
  /** Whose companion was told. */
  environment: Environment;
  event: string;
  applicationId: string;
  /** Kept until it has been used, then erased. */
  confirmationToken: string | undefined;
  receivedAt: number;
  /** When it is to be handled first. */
  dueAt: number;
}

export interface NotificationRow extends Omit<NewNotification, 'environment' | 'dueAt'> {
  tries: number;
}

export interface NotificationStore {
  /** False when it was here before. */
  putNotification(notification: NewNotification): Promise<boolean>;
  /** Takes what is due in an environment; until `until` nobody else gets it. */
  claimNotifications(
    environment: Environment,
    now: number,
    until: number,
    limit: number,
  ): Promise<NotificationRow[]>;
  /** Handled, with the confirmation token erased; or to be tried again at `retryAt`. */
  finishNotification(
    id: string,
    end: { outcome: string } | { retryAt: number },
    now: number,
  ): Promise<void>;
  /** Forgets what was handled before a moment. */
  pruneNotifications(handledBefore: number): Promise<void>;
}

export function notifications({ db }: Database): NotificationStore {
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
      const taken: NotificationRow[] = [];
      for (const { id, attention_at } of due) {
        const row = await db
          .updateTable('notifications')
          .set((eb) => ({ attention_at: until, tries: eb('tries', '+', 1) }))
          .where('id', '=', id)
          .where('attention_at', '=', attention_at)
          .returningAll()
          .executeTakeFirst();
        if (row) taken.push(toNotification(row));
      }
      return taken;
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
    receivedAt: Number(row.received_at),
    tries: row.tries,
  };
}
