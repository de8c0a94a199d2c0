import type { Environment } from '@financing-checkout/contract/storefront';
import { worklist } from '@financing-checkout/kit/sql';
import { sql, type SqlBool } from 'kysely';
import { type Database, isIn } from './database.ts';
import { type CheckoutRow, tables } from './schema.ts';

/** Number of an order's checkouts per page. */
export const CHECKOUTS_PAGE = 100;

const { read } = tables.checkouts;

export function checkouts({ db }: Database) {
  const work = worklist(db, tables.checkouts);
  const rowOf = (id: string) =>
    db.selectFrom('checkouts').selectAll().where('id', '=', id).executeTakeFirst();
  return {
    /**
     * Returns the ids of checkouts that are due: those of one environment, because other
     * environments' services do not know them, or of all environments if undefined.
     * @param open whether to return only open checkouts or only others; undefined returns both
     */
    dueCheckouts(
      environment: Environment | undefined,
      now: number,
      limit: number,
      open?: boolean,
    ): Promise<string[]> {
      const where = environment === undefined ? [] : [isIn(environment)];
      if (open !== undefined) {
        where.push(open ? sql<SqlBool>`status = 'open'` : sql<SqlBool>`status <> 'open'`);
      }
      return work.due(now, limit, ...where);
    },
    claimAttention: work.claim,

    async findCheckout(id: string): Promise<CheckoutRow | undefined> {
      const row = await rowOf(id);
      return row && read(row);
    },

    /**
     * Returns the checkouts of an application, newest first. A continued application has several.
     */
    async findCheckoutsOfApplication(
      environment: Environment,
      applicationId: string,
    ): Promise<CheckoutRow[]> {
      const rows = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('environment', '=', environment)
        .where('applicationId', '=', applicationId)
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .limit(20)
        .execute();
      return rows.map(read);
    },

    async findCheckoutOfCharge(
      environment: Environment,
      chargeId: string,
    ): Promise<CheckoutRow | undefined> {
      const row = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('environment', '=', environment)
        .where('chargeId', '=', chargeId)
        .orderBy('createdAt', 'desc')
        .executeTakeFirst();
      return row && read(row);
    },

    /**
     * Returns a page of 100, using keyset pagination: checkouts with a charge first, then newest
     * first. A shorter page is the last one.
     * @param after id of the last checkout of the previous page
     */
    async findCheckoutsOfOrder(
      environment: Environment,
      merchantOrderId: string,
      after?: string,
    ): Promise<CheckoutRow[]> {
      const last = after === undefined ? undefined : await rowOf(after);
      if (after !== undefined && last === undefined) return [];
      const rows = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('environment', '=', environment)
        .where('merchantOrderId', '=', merchantOrderId)
        .$if(last !== undefined, (query) =>
          query.where((eb) => {
            const createdAt = last?.createdAt ?? 0;
            const isOlder = eb.or([
              eb('createdAt', '<', createdAt),
              eb.and([eb('createdAt', '=', createdAt), eb('id', '>', last?.id ?? '')]),
            ]);
            const hasNoCharge = eb('chargeId', 'is', null);
            return last?.chargeId === undefined
              ? eb.and([hasNoCharge, isOlder])
              : eb.or([hasNoCharge, isOlder]);
          }),
        )
        .orderBy((eb) => eb.case().when('chargeId', 'is', null).then(1).else(0).end())
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .limit(CHECKOUTS_PAGE)
        .execute();
      return rows.map(read);
    },

    /**
     * Returns the checkouts of an order whose charge the service refused after `since`, newest
     * first.
     */
    async refusedCheckoutsOfOrder(
      { environment, merchantOrderId }: Pick<CheckoutRow, 'environment' | 'merchantOrderId'>,
      since: number,
      limit: number,
    ): Promise<CheckoutRow[]> {
      const rows = await db
        .selectFrom('checkouts')
        .selectAll()
        .where('environment', '=', environment)
        .where('merchantOrderId', '=', merchantOrderId)
        .where('status', '=', 'failed')
        .where('chargeId', 'is', null)
        .where('updatedAt', '>', since)
        .orderBy('updatedAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(read);
    },
  };
}
