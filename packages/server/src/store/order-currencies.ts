import type { Environment } from '@financing-checkout/contract/storefront';
import type { Database } from './database.ts';

export type OrderCurrencies = ReturnType<typeof orderCurrencies>;

export function orderCurrencies({ db }: Database) {
  return {
    /**
     * Returns the currency of each order in the ledger or the checkouts; an order with several
     * currencies is omitted.
     */
    async currenciesOfOrders(
      environment: Environment,
      merchantOrderIds: readonly string[],
    ): Promise<Map<string, string>> {
      const found = new Map<string, Set<string>>();
      for (const table of ['ledger', 'checkouts'] as const) {
        const wanted = merchantOrderIds.filter((id) => !found.has(id));
        // Databases limit the number of parameters per statement.
        for (let start = 0; start < wanted.length; start += 500) {
          const ids = wanted.slice(start, start + 500);
          const rows = await db
            .selectFrom(table)
            .select(['merchantOrderId', 'currency'])
            .distinct()
            .where('environment', '=', environment)
            .where('merchantOrderId', 'in', ids)
            .execute();
          for (const { merchantOrderId: id, currency } of rows) {
            // The ledger has no currency for an amount that cannot be represented exactly.
            if (currency === undefined) continue;
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
