import { compareTexts } from '@financing-checkout/reconciliation-rules';
import { isOfOrders } from '../../analytics/key-hash.ts';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import type { QueryContext } from './reliability.ts';
import { select, text } from './rows.ts';

/**
 * Returns the names of lenders in fundings or the policy, sorted; none before the first funding.
 */
export async function knownLenders({ database, policy, signal }: QueryContext): Promise<string[]> {
  const rows = await database.read(
    (connection) =>
      select(
        connection,
        'select distinct lender_name as name from fundings where lender_name is not null',
      ),
    signal,
  );
  if (rows.length === 0) return [];
  const { aliases, contracts, slaDays } = policy;
  const names = new Set([
    ...rows.map((row) => text(row.name)),
    ...Object.entries(aliases).flat(),
    ...contracts.map(({ lender }) => lender),
    ...Object.keys(slaDays.lenders),
  ]);
  return [...names].sort(compareTexts);
}

/** Selects the lender of the last funding of each order that has one. */
export function lastLenders(condition = 'true'): string {
  return `select order_key, arg_max(lender_name, funded_at) as lender from fundings
    where ${condition} and lender_name is not null and funded_at is not null group by order_key`;
}

/** Returns the lender of the last funding of each order that has one. */
export async function lendersOfOrders(
  connection: DuckDBConnection,
  orderKeys: readonly string[],
): Promise<Map<string, string>> {
  const { condition, parameters } = isOfOrders({ table: 'fundings' }, orderKeys);
  const rows = await select(connection, lastLenders(condition), parameters);
  return new Map(rows.map((row) => [text(row.order_key), text(row.lender)]));
}
