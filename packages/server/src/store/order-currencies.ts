import type { Environment } from '@financing-checkout/contract';
import type { Database } from './database.ts';

export interface OrderCurrencies {
  /** Returns the currency of each order in the ledger or the checkouts; an order with several is left out. */
  currenciesOfOrders(
    environment: Environment,
    merchantOrderIds: readonly string[],
  ): Promise<Map<string, string>>;
}

/** Finds the currency of orders. */
export function orderCurrencies({ db }: Database): OrderCurrencies {
  return {
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
            // The ledger has no currency for an amount that cannot be represented exactly.
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
  };
}
