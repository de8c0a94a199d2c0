import type { SearchHit } from '@financing-checkout/contract/reconciliation';
import { majorUnits, minorUnits, plainAmount } from '../../imports/read/index.ts';
import { isoTime } from '@financing-checkout/kit';
import { type DuckDBConnection, listValue } from '../../platform/duckdb.ts';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { onceARevision } from '../basis/once-a-revision.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { optional, select, text, whole } from '../basis/rows.ts';

/**
 * Returns the amounts in minor units that a search text may mean, in any notation: `1.234,56`,
 * `1,234.56`, `$8.55`, `8,55 €`. An integer means major or minor units: 855 is 855.00 and 8.55.
 * Signs are ignored, and 0 does not count. Empty if the text is not an amount in the currency.
 */
export function amountsMeant(written: string, currency: string): number[] {
  const found = new Set<number>();
  for (const spelled of [written, written.toUpperCase()]) {
    for (const decimal of [undefined, 'point', 'comma'] as const) {
      const plain = plainAmount(spelled, { decimal }, currency);
      const amount = plain === undefined ? undefined : majorUnits(plain, currency, {});
      if (typeof amount === 'number') found.add(Math.abs(amount));
    }
  }
  const minor = minorUnits(written);
  if (typeof minor === 'number') found.add(Math.abs(minor));
  found.delete(0);
  return [...found];
}

export const currenciesOfOrders = onceARevision(async (ctx: QueryContext) => {
  const rows = await ctx.database.read(
    (connection) => select(connection, 'select distinct currency from order_statuses'),
    ctx.signal,
  );
  return rows.map(({ currency }) => text(currency)).filter((currency) => currency !== '');
});

/** Amount columns of orders by preference: an order is listed only once, for the first match. */
const amountColumns = [
  { of: 'exception', table: 'order_exceptions', amount: 'amount', at: 'since', code: 'code' },
  { of: 'awaiting', table: 'order_statuses', amount: 'awaiting', at: 'changed_at', code: 'null' },
  {
    of: 'expected',
    table: 'order_statuses',
    amount: 'expected_settle - expected_refund',
    at: 'changed_at',
    code: 'null',
  },
  {
    of: 'expected',
    table: 'order_statuses',
    amount: 'expected_settle',
    at: 'changed_at',
    code: 'null',
  },
  {
    of: 'funded',
    table: 'order_statuses',
    amount: 'funded_settle - funded_refund - funded_chargeback + funded_reversal',
    at: 'changed_at',
    code: 'null',
  },
] as const;

/** Finds orders and exceptions with an amount. @param limit maximum of each kind of amount */
export async function hitsOfAmount(
  connection: DuckDBConnection,
  query: string,
  currencies: readonly string[],
  limit: number,
): Promise<SearchHit[]> {
  const byAmounts = new Map<string, string[]>();
  for (const currency of currencies) {
    const amounts = amountsMeant(query, currency).join(', ');
    if (amounts !== '') byAmounts.set(amounts, [...(byAmounts.get(amounts) ?? []), currency]);
  }
  const hits = new Map<string, SearchHit>();
  for (const [amounts, ofThese] of byAmounts) {
    const parts = amountColumns.map(
      ({ of, table, amount, at, code }, preference) =>
        `(select ${preference} as preference, '${of}' as amount_of, order_key, currency,
            ${amount} as amount, ${at} as moment, ${code} as code
          from ${table} where abs(${amount}) in (${amounts})
            and currency in (select unnest($currencies::varchar[]))
          order by moment desc limit ${limit})`,
    );
    const rows = await select(connection, `${parts.join(' union all ')} order by preference`, {
      currencies: listValue(ofThese),
    });
    for (const row of rows) {
      const orderKey = text(row.order_key);
      const currency = text(row.currency);
      const amount = whole(row.amount);
      const place = JSON.stringify([orderKey, currency, Math.abs(amount)]);
      if (hits.has(place)) continue;
      hits.set(place, {
        kind: 'amount',
        value: String(amount),
        orderKey,
        merchantOrderId: merchantOrderIdOf(orderKey),
        exact: true,
        at: isoTime(whole(row.moment)),
        amount,
        currency,
        of: amountColumns.find(({ of }) => of === row.amount_of)?.of,
        code: optional(row.code),
      });
    }
  }
  return [...hits.values()];
}
