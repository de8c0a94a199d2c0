import { compareTexts } from '../platform/compare-texts.ts';
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
