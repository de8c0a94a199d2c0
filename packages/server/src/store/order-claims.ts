import type { Kysely, Transaction } from 'kysely';
import type { Database } from './database.ts';
import { type Prepared, prepare } from './prepared.ts';
import type { Schema } from './schema.ts';
import type { CheckoutRow, Store } from './store.ts';

/** One order has one charge: the checkout that holds the order alone may make it. */
export function orderClaims({ db, units }: Database): Pick<Store, 'isOrderTaken'> {
  const holder = orderHolderQuery(db);
  return {
    async isOrderTaken(environment, merchantOrderId) {
      const rows = await units.read(holder({ environment, merchantOrderId }));
      return rows.length > 0;
    },
  };
}

/** The statement that finds who holds an order, built once. */
export function orderHolderQuery(
  db: Kysely<Schema>,
): Prepared<{ environment: string; merchantOrderId: string }, { checkout_id: string }> {
  return prepare(({ environment, merchantOrderId }) =>
    db
      .selectFrom('order_claims')
      .select('checkout_id')
      .where('environment', '=', environment)
      .where('merchant_order_id', '=', merchantOrderId),
  );
}

/** Takes the order for a checkout. False when another one holds it. */
export async function claimOrder(tx: Transaction<Schema>, checkout: CheckoutRow): Promise<boolean> {
  for (;;) {
    const inserted = await tx
      .insertInto('order_claims')
      .values({
        environment: checkout.environment,
        merchant_order_id: checkout.merchantOrderId,
        checkout_id: checkout.id,
      })
      .onConflict((conflict) => conflict.columns(['environment', 'merchant_order_id']).doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 1n) return true;
    const holder = await tx
      .selectFrom('order_claims')
      .select('checkout_id')
      .where('environment', '=', checkout.environment)
      .where('merchant_order_id', '=', checkout.merchantOrderId)
      .executeTakeFirst();
    // Nobody: on PostgreSQL it can be given back between the two statements.
    if (holder !== undefined) return holder.checkout_id === checkout.id;
  }
}

/** Gives the order of a checkout back, if it holds it. */
export async function releaseOrder(tx: Transaction<Schema>, checkout: CheckoutRow): Promise<void> {
  await tx
    .deleteFrom('order_claims')
    .where('environment', '=', checkout.environment)
    .where('merchant_order_id', '=', checkout.merchantOrderId)
    .where('checkout_id', '=', checkout.id)
    .execute();
}
