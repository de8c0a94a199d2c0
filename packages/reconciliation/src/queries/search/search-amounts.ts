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

interface AmountColumn {
  of: NonNullable<SearchHit['of']>;
  table: 'order_exceptions' | 'order_statuses' | 'ledger_lines' | 'fundings';
  amount: string;
  at: string;
  /** @default null */
  code?: string;
  /** @default all rows */
  where?: string;
}

const ofOrder = { table: 'order_statuses', at: 'changed_at' } as const;
const ofLine = { table: 'ledger_lines', amount: 'amount', at: 'occurred_at' } as const;
const ofFunding = { table: 'fundings', at: 'funded_at' } as const;

/** Amount columns by preference: an order is listed once for an amount, for the first match. */
const amountColumns: readonly AmountColumn[] = [
  { of: 'exception', table: 'order_exceptions', amount: 'amount', at: 'since', code: 'code' },
  { ...ofOrder, of: 'awaiting', amount: 'awaiting' },
  { ...ofOrder, of: 'expected', amount: 'expected_settle - expected_refund' },
  {
    ...ofOrder,
    of: 'funded',
    amount: 'funded_settle - funded_refund - funded_chargeback + funded_reversal',
  },
  { ...ofOrder, of: 'settle', amount: 'expected_settle' },
  { ...ofOrder, of: 'refund', amount: 'expected_refund' },
  { ...ofOrder, of: 'posted', amount: 'funded_settle' },
  { ...ofOrder, of: 'net', amount: 'net' },
  { ...ofLine, of: 'settle', where: "type = 'Settle'" },
  { ...ofLine, of: 'refund', where: "type = 'Refund'" },
  { ...ofFunding, of: 'posted', amount: 'transaction_amount' },
  { ...ofFunding, of: 'net', amount: 'net_amount' },
];

/** Finds orders, their lines and exceptions with an amount. @param limit maximum of each kind of amount */
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
      ({ of, table, amount, at, code = 'null', where = 'true' }, preference) =>
        `(select ${preference} as preference, '${of}' as amount_of, order_key, currency,
            ${amount} as amount, ${at} as moment, ${code} as code
          from ${table} where abs(${amount}) in (${amounts}) and ${where}
            and currency in (select unnest($currencies::varchar[]))
          order by moment desc nulls last limit ${limit})`,
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
        at: typeof row.moment === 'number' ? isoTime(row.moment) : undefined,
        amount,
        currency,
        of: amountColumns.find(({ of }) => of === row.amount_of)?.of,
        code: optional(row.code),
      });
    }
  }
  return [...hits.values()];
}
