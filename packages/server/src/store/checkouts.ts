import type { Selectable, Transaction } from 'kysely';
import { insertAttempt, writeAttempt } from './attempts.ts';
import { type CheckoutColumns, fromCheckout } from './checkout-columns.ts';
import type { Database } from './database.ts';
import { appendToLedger } from './ledger.ts';
import { claimOrder, releaseOrder } from './order-claims.ts';
import { tellOfChange } from './outbox.ts';
import { insertPending } from './pending-operations.ts';
import { prepare } from './prepared.ts';
import { toCheckout } from './rows.ts';
import type { CheckoutsTable, Schema } from './schema.ts';
import type { ChangeResult, CheckoutChange, CheckoutRow, Store } from './store.ts';

/** Checkouts of an order on one page. */
export const CHECKOUTS_PAGE = 100;

/** Checkouts, changed by compare-and-set on their revision. */
export function checkouts(
  database: Database,
): Pick<
  Store,
  | 'findCheckout'
  | 'findCheckoutsOfApplication'
  | 'findCheckoutOfCharge'
  | 'findCheckoutsOfOrder'
  | 'refusedCheckoutsOfOrder'
  | 'currenciesOfOrders'
  | 'changeCheckout'
> {
  const { db, transact } = database;
  const byId = prepare<{ id: string }, Selectable<CheckoutsTable>>(({ id }) =>
    db.selectFrom('checkouts').selectAll().where('id', '=', id),
  );
  return {
    async findCheckout(id) {
      const [row] = await database.units.read(byId({ id }));
      return row && toCheckout(row);
    },

    async findCheckoutsOfApplication(environment, applicationId) {
      const rows = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('environment', '=', environment)
        .where('application_id', '=', applicationId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(20)
        .execute();
      return rows.map(toCheckout);
    },

    async findCheckoutOfCharge(environment, chargeId) {
      const row = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('environment', '=', environment)
        .where('charge_id', '=', chargeId)
        .orderBy('created_at', 'desc')
        .executeTakeFirst();
      return row && toCheckout(row);
    },

    async findCheckoutsOfOrder(environment, merchantOrderId, after) {
      const [last] = after === undefined ? [] : await database.units.read(byId({ id: after }));
      if (after !== undefined && last === undefined) return [];
      const rows = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('environment', '=', environment)
        .where('merchant_order_id', '=', merchantOrderId)
        .$if(last !== undefined, (query) =>
          query.where((eb) => {
            const createdAt = Number(last?.created_at);
            const isOlder = eb.or([
              eb('created_at', '<', createdAt),
              eb.and([eb('created_at', '=', createdAt), eb('id', '>', last?.id ?? '')]),
            ]);
            const hasNoCharge = eb('charge_id', 'is', null);
            return last?.charge_id === null
              ? eb.and([hasNoCharge, isOlder])
              : eb.or([hasNoCharge, isOlder]);
          }),
        )
        .orderBy((eb) => eb.case().when('charge_id', 'is', null).then(1).else(0).end())
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(CHECKOUTS_PAGE)
        .execute();
      return rows.map(toCheckout);
    },

    async refusedCheckoutsOfOrder({ environment, merchantOrderId }, since, limit) {
      const rows = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('environment', '=', environment)
        .where('merchant_order_id', '=', merchantOrderId)
        .where('status', '=', 'failed')
        .where('charge_id', 'is', null)
        .where('updated_at', '>', since)
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toCheckout);
    },

    async currenciesOfOrders(environment, merchantOrderIds) {
      const found = new Map<string, Set<string>>();
      for (const table of ['ledger', 'checkouts'] as const) {
        const wanted = merchantOrderIds.filter((id) => !found.has(id));
        // Databases limit the parameters of one statement.
        for (let start = 0; start < wanted.length; start += 500) {
          const ids = wanted.slice(start, start + 500);
          const rows = await db
            .selectFrom(table)
            .select(['merchant_order_id', 'currency'])
            .distinct()
            .where('environment', '=', environment)
            .where('merchant_order_id', 'in', ids)
            .execute();
          for (const { merchant_order_id: id, currency } of rows) {
            // Of an amount that cannot be held exactly the ledger has no currency.
            if (currency === null) continue;
            found.set(id, (found.get(id) ?? new Set()).add(currency));
          }
        }
      }
      return new Map(
        [...found].flatMap(([id, [currency = '', ...others]]) =>
          others.length === 0 ? [[id, currency] as const] : [],
        ),
      );
    },

    changeCheckout: (change) =>
      transact((tx) => changeCheckout(tx, change, database.outbox)).catch((error: unknown) => {
        if (error instanceof Undo) return error.result;
        throw error;
      }),
  };
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
  const wanted: CheckoutRow = {
    ...before,
    ...change.set,
    revision: before.revision + 1,
    updatedAt: change.now,
  };
  let update = tx
    .updateTable('checkouts')
    .set(changedColumns(before, wanted))
    .where('id', '=', change.id)
    .where('revision', '=', change.revision);
  // In the write itself: attention may be set without a new revision, also since it was read here.
  if (change.attentionSeen !== undefined) {
    update = update.where('attention_at', '=', change.attentionSeen);
  }
  const updated = await update.returningAll().executeTakeFirst();
  if (!updated) return { kind: 'stale' };
  const after = toCheckout(updated);

  if (change.order === 'claim' && !(await claimOrder(tx, after))) {
    throw new Undo({ kind: 'order-taken' });
  }
  if (change.order === 'release') await releaseOrder(tx, after);
  if (change.insertAttempt) await insertAttempt(tx, change.insertAttempt, change.now);
  if (change.updateAttempt) await writeAttempt(tx, change.updateAttempt, change.now);
  if (change.insertPending) await insertPending(tx, change.insertPending, change.now);
  if (outbox) await tellOfChange(tx, before, after);
  await appendToLedger(tx, change.ledger ?? [], change.now);
  return { kind: 'changed', checkout: after };
}

/**
 * Only what differs is written. Attention is claimed without a new revision, and on PostgreSQL
 * between the reading and the writing here: what was read of it must not be written back.
 */
function changedColumns(before: CheckoutRow, after: CheckoutRow): Partial<CheckoutColumns> {
  const old = fromCheckout(before);
  const changed = Object.entries(fromCheckout(after)).filter(
    ([column, value]) => old[column as keyof CheckoutColumns] !== value,
  );
  return Object.fromEntries(changed);
}
