import type { Environment } from '@financing-checkout/contract';
import { type CheckoutRow, toCheckout } from './checkout-row.ts';
import type { Database } from './database.ts';

/** Checkouts of an order on one page. */
export const CHECKOUTS_PAGE = 100;

export interface CheckoutRepository {
  findCheckout(id: string): Promise<CheckoutRow | undefined>;
  /** Returns the checkouts of an application, newest first: an application that is continued has several. */
  findCheckoutsOfApplication(
    environment: Environment,
    applicationId: string,
  ): Promise<CheckoutRow[]>;
  findCheckoutOfCharge(
    environment: Environment,
    chargeId: string,
  ): Promise<CheckoutRow | undefined>;
  /**
   * Returns a page of 100: checkouts with a charge first, then the newest first. A shorter page is the last.
   * @param after id of the last checkout of the page before
   */
  findCheckoutsOfOrder(
    environment: Environment,
    merchantOrderId: string,
    after?: string,
  ): Promise<CheckoutRow[]>;
  /** Returns the checkouts of an order whose charge the service refused after `since`, newest first. */
  refusedCheckoutsOfOrder(
    order: Pick<CheckoutRow, 'environment' | 'merchantOrderId'>,
    since: number,
    limit: number,
  ): Promise<CheckoutRow[]>;
}

/** Finds checkouts. */
export function checkouts({ db }: Database): CheckoutRepository {
  const rowOf = (id: string) =>
    db.selectFrom('checkouts').selectAll().where('id', '=', id).executeTakeFirst();
  return {
    async findCheckout(id) {
      const row = await rowOf(id);
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
      const last = after === undefined ? undefined : await rowOf(after);
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
  };
}
