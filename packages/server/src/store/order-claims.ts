import type { Environment } from '@financing-checkout/contract/storefront';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { OrderOf } from './prime-budget.ts';
import type { CheckoutRow, Schema } from './schema.ts';

/** Prefix of an order's holder if no checkout has the order's charge; the charge's id follows. */
export const LOST = 'lost ';

/** One order has one charge: only the checkout that holds the order may create it. */
export function orderClaims({ db }: Database) {
  return {
    /** Returns whether a checkout holds the order: its charge exists or is being created. */
    isOrderTaken: async (environment: Environment, merchantOrderId: string): Promise<boolean> =>
      (await findOrderHolder(db, { environment, merchantOrderId })) !== undefined,

    /** Returns whether the order is held by a charge that the store has lost. */
    isOrderLost: async (environment: Environment, merchantOrderId: string): Promise<boolean> =>
      (await findOrderHolder(db, { environment, merchantOrderId }))?.startsWith(LOST) ?? false,
  };
}

async function findOrderHolder(db: Kysely<Schema>, order: OrderOf): Promise<string | undefined> {
  return (await orderHolder(db, order).executeTakeFirst())?.checkoutId;
}

/** Selects the id of the checkout that holds an order. */
export const orderHolder = (db: Kysely<Schema>, { environment, merchantOrderId }: OrderOf) =>
  db
    .selectFrom('orderClaims')
    .select('checkoutId')
    .where('environment', '=', environment)
    .where('merchantOrderId', '=', merchantOrderId);

/** Claims the order for a checkout. Returns false when another checkout holds it. */
export async function claimOrder(tx: Transaction<Schema>, checkout: CheckoutRow): Promise<boolean> {
  for (;;) {
    const inserted = await tx
      .insertInto('orderClaims')
      .values({
        environment: checkout.environment,
        merchantOrderId: checkout.merchantOrderId,
        checkoutId: checkout.id,
      })
      .onConflict((conflict) => conflict.columns(['environment', 'merchantOrderId']).doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 1n) return true;
    const holder = await findOrderHolder(tx, checkout);
    // Can be undefined: on PostgreSQL, the order can be released between the two statements.
    if (holder !== undefined) return holder === checkout.id;
  }
}

export async function releaseOrder(tx: Transaction<Schema>, checkout: CheckoutRow): Promise<void> {
  await tx
    .deleteFrom('orderClaims')
    .where('environment', '=', checkout.environment)
    .where('merchantOrderId', '=', checkout.merchantOrderId)
    .where('checkoutId', '=', checkout.id)
    .execute();
}
