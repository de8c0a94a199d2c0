import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds the messages in which the service sends links, to count them per recipient and per token.
 */
export const linkMessages: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('link_messages')
      .addColumn('attempt_id', 'text', (column) => column.primaryKey())
      .addColumn('recipient', 'text')
      .addColumn('sender', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    const indexes = {
      link_messages_by_recipient: ['recipient', 'created_at'],
      link_messages_by_sender: ['sender', 'created_at'],
      link_messages_by_time: ['created_at'],
    };
    for (const [name, columns] of Object.entries(indexes)) {
      await db.schema.createIndex(name).on('link_messages').columns(columns).execute();
    }
  },
};
