import type { Dialect, Transaction } from 'kysely';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { randomId } from '../checkout/id.ts';
import { webhookBody } from '../webhook/message.ts';
import { migrations } from './migrations.ts';
import { fromCheckout, toAttempt, toCheckout, toIdempotency } from './rows.ts';
import type { Schema } from './schema.ts';
import type {
  AttemptResult,
  BeginPrime,
  ChangeResult,
  CheckoutChange,
  CheckoutRow,
  NewAttempt,
  Store,
} from './store.ts';

/** A database that Kysely speaks to. */
export interface KyselyStoreOptions {
  dialect: Dialect;
  /** Whether changes are put in the outbox: off when there is nobody to tell. @default true */
  outbox?: boolean;
}

/**
 * The store over any Kysely dialect. No statement depends on reading before writing without a
 * condition in the write itself, so it holds under SQLite's one writer and under PostgreSQL's
 * READ COMMITTED.
 */
export function createKyselyStore(options: KyselyStoreOptions): Store {
  const db = new Kysely<Schema>({ dialect: options.dialect });
  const outbox = options.outbox ?? true;

  return {
    async migrate() {
      const { error } = await new Migrator({ db, provider: migrations }).migrateToLatest();
      if (error !== undefined) {
        throw new Error('The store could not be brought up to date.', { cause: error });
      }
    },
    async ping() {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),

    async findIdempotency(key) {
      const query = db.selectFrom('idempotency').selectAll().where('key', '=', key);
      const row = await query.executeTakeFirst();
      return row && toIdempotency(row);
    },

    beginPrime: (begin) => db.transaction().execute((tx) => beginPrime(tx, begin)),

    finishPrime: ({ key, attempt, now, end }) =>
      db.transaction().execute(async (tx) => {
        await writeAttempt(tx, attempt, now);
        if (end !== 'released' && 'checkout' in end) {
          await tx.insertInto('checkouts').values(fromCheckout(end.checkout)).execute();
          await tx
            .updateTable('attempts')
            .set({ checkout_id: end.checkout.id })
            .where('id', '=', attempt.id)
            .execute();
        }
        await tx
          .updateTable('idempotency')
          .set({
            state: end === 'released' ? 'released' : 'finished',
            checkout_id: end !== 'released' && 'checkout' in end ? end.checkout.id : null,
            problem: end !== 'released' && 'problem' in end ? JSON.stringify(end.problem) : null,
          })
          .where('key', '=', key)
          .where('attempt_id', '=', attempt.id)
          .execute();
      }),

    async findCheckout(id) {
      const query = db.selectFrom('checkouts').selectAll().where('id', '=', id);
      const row = await query.executeTakeFirst();
      return row && toCheckout(row);
    },

    async findCheckoutsOfOrder(merchantOrderId) {
      const rows = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('merchant_order_id', '=', merchantOrderId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(100)
        .execute();
      return rows.map(toCheckout);
    },

    async isOrderTaken(environment, merchantOrderId) {
      const row = await db
        .selectFrom('order_claims')
        .select('checkout_id')
        .where('environment', '=', environment)
        .where('merchant_order_id', '=', merchantOrderId)
        .executeTakeFirst();
      return row !== undefined;
    },

    async currenciesOfOrders(merchantOrderIds) {
      const found = new Map<string, string>();
      // Databases limit the parameters of one statement.
      for (let start = 0; start < merchantOrderIds.length; start += 500) {
        const rows = await db
          .selectFrom('checkouts')
          .select(['merchant_order_id', 'currency'])
          .distinct()
          .where('merchant_order_id', 'in', merchantOrderIds.slice(start, start + 500))
          .execute();
        for (const row of rows) found.set(row.merchant_order_id, row.currency);
      }
      return found;
    },

    changeCheckout: (change) =>
      db
        .transaction()
        .execute((tx) => changeCheckout(tx, change, outbox))
        .catch((error: unknown) => {
          if (error instanceof Undo) return error.result;
          throw error;
        }),

    async findAttempts(checkoutId) {
      const rows = await db
        .selectFrom('attempts')
        .selectAll()
        .where('checkout_id', '=', checkoutId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toAttempt);
    },

    updateAttempt: (result, now) => writeAttempt(db, result, now),

    async dueCheckouts(now, limit) {
      const rows = await db
        .selectFrom('checkouts')
        .select('id')
        .where('attention_at', '<=', now)
        .orderBy('attention_at')
        .limit(limit)
        .execute();
      return rows.map((row) => row.id);
    },

    async claimAttention(id, seen, until) {
      const result = await db
        .updateTable('checkouts')
        .set((eb) => ({
          attention_at: until,
          attention_tries: eb('attention_tries', '+', 1),
        }))
        .where('id', '=', id)
        .where('attention_at', '=', seen)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async claimDeliveries(now, until, limit) {
      const due = await db
        .selectFrom('outbox')
        .select(['id', 'next_attempt_at'])
        .where('next_attempt_at', '<=', now)
        .orderBy('next_attempt_at')
        .limit(limit)
        .execute();
      const taken = [];
      for (const { id, next_attempt_at } of due) {
        const row = await db
          .updateTable('outbox')
          .set((eb) => ({ next_attempt_at: until, tries: eb('tries', '+', 1) }))
          .where('id', '=', id)
          .where('next_attempt_at', '=', next_attempt_at)
          .returning(['id', 'body', 'tries', 'created_at'])
          .executeTakeFirst();
        if (row) {
          taken.push({
            id: row.id,
            body: row.body,
            tries: row.tries,
            createdAt: Number(row.created_at),
          });
        }
      }
      return taken;
    },

    async finishDelivery(id, result, now) {
      await db
        .updateTable('outbox')
        .set({
          next_attempt_at: result.kind === 'retry' ? result.at : null,
          delivered_at: result.kind === 'delivered' ? now : null,
          last_reason: result.kind === 'delivered' ? null : result.reason,
        })
        .where('id', '=', id)
        .execute();
    },
  };
}

async function beginPrime(tx: Transaction<Schema>, begin: BeginPrime): Promise<boolean> {
  const inserted = await tx
    .insertInto('idempotency')
    .values({
      key: begin.key,
      fingerprint: begin.fingerprint,
      attempt_id: begin.attempt.id,
      state: 'in-flight',
      lease_until: begin.leaseUntil,
      checkout_id: null,
      problem: null,
      created_at: begin.now,
    })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          attempt_id: begin.attempt.id,
          state: 'in-flight',
          lease_until: begin.leaseUntil,
        })
        .where('idempotency.state', '=', 'released')
        .where('idempotency.fingerprint', '=', begin.fingerprint),
    )
    .returning('key')
    .executeTakeFirst();
  if (!inserted) return false;
  await insertAttempt(tx, begin.attempt, begin.now);
  return true;
}

async function insertAttempt(
  tx: Transaction<Schema>,
  attempt: NewAttempt,
  now: number,
): Promise<void> {
  await tx
    .insertInto('attempts')
    .values({
      id: attempt.id,
      kind: attempt.kind,
      checkout_id: attempt.checkoutId ?? null,
      merchant_transaction_id: attempt.merchantTransactionId ?? null,
      state: 'recorded',
      service_request_id: null,
      reason: null,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

async function writeAttempt(db: Kysely<Schema>, result: AttemptResult, now: number): Promise<void> {
  await db
    .updateTable('attempts')
    .set({
      state: result.state,
      service_request_id: result.serviceRequestId ?? null,
      reason: result.reason ?? null,
      updated_at: now,
    })
    .where('id', '=', result.id)
    .execute();
}

/** Thrown inside a transaction to undo it; carries what the caller gets instead. */
class Undo extends Error {
  readonly result: ChangeResult;

  constructor(result: ChangeResult) {
    super('undone');
    this.result = result;
  }
}

async function changeCheckout(
  tx: Transaction<Schema>,
  change: CheckoutChange,
  outbox: boolean,
): Promise<ChangeResult> {
  const row = await tx
    .selectFrom('checkouts')
    .selectAll()
    .where('id', '=', change.id)
    .executeTakeFirst();
  if (!row) return { kind: 'stale' };
  const before = toCheckout(row);
  if (before.revision !== change.revision) return { kind: 'stale' };
  const after: CheckoutRow = {
    ...before,
    ...change.set,
    revision: before.revision + 1,
    updatedAt: change.now,
  };
  const updated = await tx
    .updateTable('checkouts')
    .set(fromCheckout(after))
    .where('id', '=', change.id)
    .where('revision', '=', change.revision)
    .executeTakeFirst();
  if (updated.numUpdatedRows === 0n) return { kind: 'stale' };

  if (change.order === 'claim') await claimOrder(tx, after);
  if (change.order === 'release') {
    await tx.deleteFrom('order_claims').where('checkout_id', '=', after.id).execute();
  }
  if (change.insertAttempt) await insertAttempt(tx, change.insertAttempt, change.now);
  if (change.updateAttempt) await writeAttempt(tx, change.updateAttempt, change.now);
  if (outbox && isTold(before, after)) {
    await tx
      .insertInto('outbox')
      .values({
        id: randomId('msg'),
        checkout_id: after.id,
        body: webhookBody(after),
        created_at: change.now,
        tries: 0,
        next_attempt_at: change.now,
        delivered_at: null,
        last_reason: null,
      })
      .execute();
  }
  return { kind: 'changed', checkout: after };
}

/** Whether the shop hears of a change: of what {@link webhookBody} states. */
function isTold(before: CheckoutRow, after: CheckoutRow): boolean {
  return (
    before.status !== after.status ||
    before.chargeId !== after.chargeId ||
    before.chargeState !== after.chargeState
  );
}

async function claimOrder(tx: Transaction<Schema>, checkout: CheckoutRow): Promise<void> {
  await tx
    .insertInto('order_claims')
    .values({
      environment: checkout.environment,
      merchant_order_id: checkout.merchantOrderId,
      checkout_id: checkout.id,
    })
    .onConflict((conflict) => conflict.columns(['environment', 'merchant_order_id']).doNothing())
    .execute();
  const holder = await tx
    .selectFrom('order_claims')
    .select('checkout_id')
    .where('environment', '=', checkout.environment)
    .where('merchant_order_id', '=', checkout.merchantOrderId)
    .executeTakeFirst();
  if (holder?.checkout_id !== checkout.id) throw new Undo({ kind: 'order-taken' });
}
