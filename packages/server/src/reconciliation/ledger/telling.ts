import { sql } from 'kysely';

/**
 * Lines of the books that tell of the transaction of `s` by the merchant's name for it, where `s` has
 * none: the companion's own, of what it settled itself. Both would be summed.
 */
const told = (environment: string) => sql`from ledger_lines o
  where o.environment = ${environment} and o.order_key = s.order_key and o.type = s.type
    and o.transaction_id = s.transaction_id and o.merchant_transaction_id is not null`;
const never = sql<boolean>`1 = 0`;

/**
 * Whether `s`, one of the lines up to an id, is told already, and whether it is told otherwise.
 */
export function tellingOf(environment: string, last: string | undefined) {
  // Such lines have the ids that come last (`lineId`): for all others PostgreSQL need not look.
  if (last !== undefined && last < 't:') return { isTold: never, isToldOtherwise: never };
  // One by one by the key of its order: joined, all lines would be read for each batch.
  const isTold = sql<boolean>`(case when s.id like 't:%'
    then (select 1 ${told(environment)} limit 1) is not null else ${never} end)`;
  const sum = sql`(select sum(o.amount) ${told(environment)} and o.currency = s.currency)`;
  const isToldOtherwise = sql<boolean>`(${isTold} and s.amount <> coalesce(${sum}, 0))`;
  return { isTold, isToldOtherwise };
}
