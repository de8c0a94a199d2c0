import { type DuckDBConnection, listValue } from '../../platform/duckdb.ts';
import { select, whole } from '../basis/rows.ts';

/** Fundings that are excluded from all sums. */
export interface LeftOut {
  /** Fundings of orders in several currencies, whose own currency is unknown. */
  withoutCurrency: number;
  /** Fundings in the default currency, without evidence in the data. */
  assumedCurrency: number;
}

/** Selects the fundings that sums exclude, except for those in quarantine. */
export const leftOut = `select * from fundings where problem is null and currency = ''
  union all by name select * from guessed_fundings where problem is null`;

/**
 * Counts the fundings that sums exclude.
 * @param part a currency selects fundings of unknown currency whose orders use it, and all guesses,
 * because any of them may be in it; a lender is selected by all of its names
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
