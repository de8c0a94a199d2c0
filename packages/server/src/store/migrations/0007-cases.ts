import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Cases, their audit trail, and messages that go to somebody other than the shop. */
export const cases: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('cases')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('order_key', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('code', 'text', (column) => column.notNull())
      .addColumn('merchant_order_id', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('content_hash', 'text', (column) => column.notNull())
      .addColumn('assignee', 'text')
      .addColumn('reason', 'text')
      .addColumn('opened_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('alerted_at', 'bigint')
      .addUniqueConstraint('cases_by_exception', ['environment', 'order_key', 'currency', 'code'])
      .execute();
    await db.schema
      .createIndex('cases_by_state')
      .on('cases')
      .columns(['environment', 'state', 'id'])
      .execute();
    await db.schema
      .createTable('case_events')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('case_id', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('detail', 'text', (column) => column.notNull())
      .addColumn('previous', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('key', 'text')
      .addPrimaryKeyConstraint('case_events_key', ['environment', 'seq'])
      .addUniqueConstraint('case_events_once', ['environment', 'key'])
      .execute();
    await db.schema
      .createIndex('case_events_by_case')
      .on('case_events')
      .columns(['case_id', 'seq'])
      .execute();
    await db.schema
      .createTable('case_chains')
      .addColumn('environment', 'text', (column) => column.primaryKey())
      .addColumn('last_seq', 'bigint', (column) => column.notNull())
      .addColumn('last_hash', 'text', (column) => column.notNull())
      .execute();
    // From the oldest line on every day has to be proved: that one is asked for often.
    await db.schema
      .createIndex('ledger_lines_by_time')
      .on('ledger_lines')
      .columns(['environment', 'occurred_at'])
      .execute();
    // Null: the shop. What it gets and what finance gets go to two addresses.
    await db.schema.alterTable('outbox').addColumn('case_id', 'text').execute();
  },
};
