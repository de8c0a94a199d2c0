import { type RawBuilder, sql } from 'kysely';

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

/**
 * Whether `s` is the settle that the companion made with the charge of its order. The service names no
 * transaction of that one, so that a line without the merchant's name for it has no name in common
 * with the companion's own. It settles all there is, and an order has one charge: another settle of as
 * much there is not.
 */
export function isSettledAsCharged(environment: string): RawBuilder<boolean> {
  return sql<boolean>`(case when s.type = 'Settle' and s.merchant_transaction_id is null
    then exists (select 1 from ledger a
      join ledger_lines o on o.environment = a.environment
        and o.id = 'm:Settle:' || a.merchant_transaction_id
      where a.environment = ${environment} and a.merchant_order_id = s.merchant_order_id
        and a.type = 'Authorize' and a.state = 'accepted' and o.order_key = s.order_key
        and o.currency = s.currency and o.amount = s.amount and o.transaction_id is null)
    else ${never} end)`;
}

/** The line that has no more than the service's name for the transaction of `s`. */
const namelessId = sql`'t:' || s.type || ':' || s.transaction_id`;
const inFile = sql`from ledger_import_lines o
  where o.import_id = s.import_id and o.id = ${namelessId}`;
/**
 * The line `o` of the books with an id. A range, and in order, so that PostgreSQL takes the index by
 * id also of a table that it knows nothing of, or takes for empty from before.
 */
export const inBooks = (environment: string, id: RawBuilder<unknown>) => sql`from ledger_lines o
  where o.environment = ${environment} and o.id between ${id} and ${id}
  order by o.id`;

/**
 * The other way round: whether `s` has the merchant's name for a transaction, too, of which another
 * line of the books or of the file has the service's alone. Of two such lines in one file that one is
 * taken: its turn comes later (`lineId`).
 */
export function namelessTellingOf(environment: string) {
  const places = [inBooks(environment, namelessId), inFile];
  const ofNamed = (conditions: RawBuilder<unknown>[]) =>
    sql<boolean>`(case when s.id like 'm:%' and s.transaction_id is not null
      then ${sql.join(conditions, sql` or `)} else ${never} end)`;
  // Its order is compared and not looked for: of an order with many lines all would be read.
  const isThere = (place: RawBuilder<unknown>) =>
    sql`coalesce((select o.order_key ${place} limit 1), '') = s.order_key`;
  const differs = (place: RawBuilder<unknown>) => sql`(${isThere(place)}
    and s.currency || ' ' || s.amount <> (select o.currency || ' ' || o.amount ${place} limit 1))`;
  return {
    isTold: ofNamed(places.map(isThere)),
    isToldOtherwise: ofNamed(places.map(differs)),
    /** Number of that line of the file. */
    line: sql<number | null>`(case when s.id like 'm:%'
      then (select min(o.line) ${inFile}) end)`,
  };
}
