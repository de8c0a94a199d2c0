import { type DuckDBConnection, listValue } from '@duckdb/node-api';
import { select, whole } from './rows.ts';

/** Fundings that are in no sum. */
export interface LeftOut {
  /** Of orders in several currencies, and it is not known which one is theirs. */
  withoutCurrency: number;
  /** In the default currency, which nothing that was read says. */
  assumedCurrency: number;
}

/**
 * Counts the fundings that sums leave out.
 * @param part one currency: those without one of the orders that are in it, and all guesses, as any may be
 *   in it; one lender by all of its names
 */
export async function countLeftOut(
  connection: DuckDBConnection,
  part: { currency?: string | undefined; lenders?: readonly string[] | undefined },
): Promise<LeftOut> {
  const { currency, lenders } = part;
  const ofLender =
    lenders === undefined ? '' : 'and lender_name in (select unnest($lenders::varchar[]))';
  const ofOrder =
    currency === undefined
      ? ''
      : 'and order_key in (select order_key from order_statuses where currency = $currency)';
  const [row] = await select(
    connection,
    `select
      (select count(*) from fundings where problem is null and currency = '' ${ofOrder} ${ofLender}) as without,
      (select count(*) from guessed_fundings where problem is null ${ofLender}) as assumed`,
    {
      ...(currency === undefined ? {} : { currency }),
      ...(lenders === undefined ? {} : { lenders: listValue([...lenders]) }),
    },
  );
  return { withoutCurrency: whole(row?.without), assumedCurrency: whole(row?.assumed) };
}
