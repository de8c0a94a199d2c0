import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Columns of a table, in order: `text!` means not null, `text key` the primary key. */
type Columns = Readonly<Record<string, Column>>;
type Column = `${'text' | 'bigint' | 'integer'}${'' | '!' | '! unique' | ' key'}`;
interface Index {
  columns: readonly string[];
  /** Conditions of a partial index. */
  where?: readonly (readonly [column: string, operator: 'is' | 'is not'])[];
}
interface Table {
  columns: Columns;
  /** Columns of a composite primary key. */
  key?: readonly string[];
  indexes?: Readonly<Record<string, Index>>;
}

/** `schema.ts` describes the columns. */
const tables: Readonly<Record<string, Table>> = {
  checkouts: {
    columns: {
      id: 'text key',
      environment: 'text!',
      merchant_order_id: 'text!',
      amount: 'bigint!',
      currency: 'text!',
      status: 'text!',
      retry_safe: 'integer',
      revision: 'bigint!',
      session_token: 'text!',
      application_id: 'text',
      origin: 'text!',
      return_url: 'text',
      locale: 'text',
      confirmation_hash: 'text',
      charge_id: 'text',
      charge_state: 'text',
      created_at: 'bigint!',
      updated_at: 'bigint!',
      expires_at: 'bigint!',
      attention_at: 'bigint',
      attention_tries: 'integer!',
      order_hash: 'text',
      ticket_hash: 'text',
      order_changed: 'integer',
      tax_amount: 'bigint',
      shipping_tax_amount: 'bigint',
      charged_amount: 'bigint',
      charged_reason: 'text',
      secret_hash: 'text',
      refunded_amount: 'bigint',
    },
    indexes: {
      checkouts_by_order: { columns: ['merchant_order_id', 'created_at'] },
      checkouts_by_attention: { columns: ['attention_at'] },
      checkouts_by_application: { columns: ['application_id'] },
      checkouts_by_charge: { columns: ['charge_id'], where: [['charge_id', 'is not']] },
      checkouts_never_confirmed: {
        columns: ['updated_at'],
        where: [
          ['confirmation_hash', 'is'],
          ['attention_at', 'is'],
        ],
      },
    },
  },
  attempts: {
    columns: {
      id: 'text key',
      kind: 'text!',
      checkout_id: 'text',
      merchant_transaction_id: 'text',
      state: 'text!',
      service_request_id: 'text',
      reason: 'text',
      created_at: 'bigint!',
      updated_at: 'bigint!',
      request_id: 'text',
      settle: 'integer',
      prime_of: 'text',
    },
    indexes: {
      attempts_by_request: { columns: ['request_id'] },
      attempts_by_checkout: { columns: ['checkout_id'], where: [['checkout_id', 'is not']] },
      attempts_by_prime: { columns: ['prime_of', 'created_at'], where: [['prime_of', 'is not']] },
    },
  },
  idempotency: {
    columns: {
      key: 'text key',
      fingerprint: 'text!',
      attempt_id: 'text!',
      state: 'text!',
      lease_until: 'bigint!',
      checkout_id: 'text',
      problem: 'text',
      created_at: 'bigint!',
    },
    indexes: {
      idempotency_by_age: { columns: ['created_at'] },
    },
  },
  order_claims: {
    columns: {
      environment: 'text!',
      merchant_order_id: 'text!',
      checkout_id: 'text!',
    },
    key: ['environment', 'merchant_order_id'],
  },
  ticket_uses: {
    columns: {
      ticket_id: 'text key',
      key: 'text!',
      claimed_at: 'bigint!',
    },
  },
  refusals: {
    columns: {
      request_id: 'text key',
      code: 'text!',
      detail: 'text!',
      refused_at: 'bigint!',
    },
    indexes: {
      refusals_by_time: { columns: ['refused_at'] },
    },
  },
  outbox: {
    columns: {
      id: 'text key',
      checkout_id: 'text!',
      body: 'text!',
      created_at: 'bigint!',
      tries: 'integer!',
      next_attempt_at: 'bigint',
      delivered_at: 'bigint',
      last_reason: 'text',
    },
    indexes: {
      outbox_due: { columns: ['next_attempt_at'] },
      outbox_by_age: { columns: ['created_at', 'id'] },
      outbox_by_delivery: { columns: ['delivered_at'] },
    },
  },
  notifications: {
    columns: {
      id: 'text key',
      event: 'text!',
      application_id: 'text!',
      confirmation_token: 'text',
      received_at: 'bigint!',
      attention_at: 'bigint',
      tries: 'integer!',
      handled_at: 'bigint',
      outcome: 'text',
      environment: 'text',
    },
    indexes: {
      notifications_due: { columns: ['attention_at'] },
      notifications_handled: { columns: ['handled_at'] },
    },
  },
  charge_turns: {
    columns: {
      environment: 'text!',
      charge_id: 'text!',
      revision: 'bigint!',
      operation_id: 'text',
    },
    key: ['environment', 'charge_id'],
  },
  charge_operations: {
    columns: {
      id: 'text key',
      environment: 'text!',
      charge_id: 'text!',
      merchant_order_id: 'text!',
      kind: 'text!',
      amount: 'bigint',
      currency: 'text',
      merchant_transaction_id: 'text!',
      key: 'text! unique',
      fingerprint: 'text!',
      progress_before: 'bigint!',
      state: 'text!',
      transaction_id: 'text',
      service_request_id: 'text',
      reason: 'text',
      problem: 'text',
      created_at: 'bigint!',
      sent_at: 'bigint!',
      updated_at: 'bigint!',
      attention_at: 'bigint',
      attention_tries: 'integer!',
      request_id: 'text',
      resolved_by: 'text',
      resolution_note: 'text',
      lender_reference_id: 'text',
      with_charge: 'integer',
    },
    indexes: {
      charge_operations_by_charge: { columns: ['charge_id', 'created_at'] },
      charge_operations_due: { columns: ['attention_at'] },
      charge_operations_by_request: { columns: ['request_id'] },
    },
  },
  ledger: {
    columns: {
      id: 'bigint key',
      environment: 'text!',
      merchant_order_id: 'text!',
      charge_id: 'text',
      type: 'text!',
      amount: 'bigint',
      currency: 'text',
      merchant_transaction_id: 'text!',
      transaction_id: 'text',
      state: 'text!',
      occurred_at: 'bigint!',
      created_at: 'bigint!',
      lender_reference_id: 'text',
      order_amount: 'bigint',
      order_amount_reason: 'text',
    },
    indexes: {
      ledger_by_order: { columns: ['merchant_order_id', 'id'] },
    },
  },
  ledger_head: {
    columns: {
      last_id: 'bigint!',
    },
  },
  pings: {
    columns: {
      id: 'bigint key',
    },
  },
};

/** All tables of the store. */
export const baseline: Migration = {
  async up(db: Kysely<{ ledger_head: { last_id: number } }>) {
    for (const [name, { columns, key, indexes = {} }] of Object.entries(tables)) {
      let table = db.schema.createTable(name);
      for (const [column, written] of Object.entries(columns)) {
        const [type] = written.split(/[! ]/) as ['text' | 'bigint' | 'integer'];
        table = table.addColumn(column, type, (builder) => {
          if (written.endsWith(' key')) return builder.primaryKey();
          const required = written.includes('!') ? builder.notNull() : builder;
          return written.endsWith('unique') ? required.unique() : required;
        });
      }
      if (key) table = table.addPrimaryKeyConstraint(`${name}_key`, [...key] as never[]);
      await table.execute();
      for (const [index, { columns: indexed, where = [] }] of Object.entries(indexes)) {
        let builder = db.schema
          .createIndex(index)
          .on(name)
          .columns([...indexed]);
        for (const [column, operator] of where) builder = builder.where(column, operator, null);
        await builder.execute();
      }
    }
    await db.insertInto('ledger_head').values({ last_id: 0 }).execute();
  },
};
