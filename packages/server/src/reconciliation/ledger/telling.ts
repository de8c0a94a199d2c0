import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { isSqlite } from './json-rows.ts';

/**
 * Has PostgreSQL look lines up by the index in whose order they are asked for. It chooses by what it
 * counted, which may be that there are none: all indexes of the table cost the same then, and by a
 * wrong one it would read all lines for each. So what is looked up here is a range, and in order
 * (of what is equal the order is no matter), and sorting is made dear for this transaction.
 */
export async function byIndex(tx: Transaction<Schema>): Promise<void> {
  if (!isSqlite(tx)) await sql`set local enable_sort = off`.execute(tx);
}

/**
 * Lines of the books that tell of the transaction of `s` by the merchant's name for it, where `s` has
 * none: the companion's own, of what it settled itself. Both would be summed.
 */
const told = (environment: string) => sql`from ledger_lines b
  where b.environment = ${environment}
    and b.transaction_id between s.transaction_id and s.transaction_id
    and b.order_key = s.order_key and b.type = s.type and b.merchant_transaction_id is not null
  order by b.transaction_id`;
const never = sql<boolean>`1 = 0`;

/**
 * Whether `s`, one of the lines up to an id, is told already, and whether it is told otherwise.
 */
export function tellingOf(environment: string, last: string | undefined) {
  // Such lines have the ids that come last (`lineId`): for all others PostgreSQL need not look.
  if (last !== undefined && last < 't:') return { isTold: never, isToldOtherwise: never };
  // One by one by its transaction: joined, all lines would be read for each batch.
  const isTold = sql<boolean>`(case when s.id like 't:%'
    then (select 1 ${told(environment)} limit 1) is not null else ${never} end)`;
  const sum = sql`(select sum(t.amount) from (select b.amount, b.currency ${told(environment)}) t
    where t.currency = s.currency)`;
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
  const own = sql`'m:Settle:' || a.merchant_transaction_id`;
  const isSame = sql`b.order_key = s.order_key and b.currency = s.currency
    and b.amount = s.amount and b.transaction_id is null`;
  return sql<boolean>`(case when s.type = 'Settle' and s.merchant_transaction_id is null
    then exists (select 1 from ledger a
      where a.environment = ${environment} and a.merchant_order_id = s.merchant_order_id
        and a.type = 'Authorize' and a.state = 'accepted'
        and (select 1 ${inBooks(environment, own, isSame)} limit 1) is not null)
    else ${never} end)`;
}

/** The line that has no more than the service's name for the transaction of `s`. */
const namelessId = sql`'t:' || s.type || ':' || s.transaction_id`;
const inFile = sql`from ledger_import_lines b
  where b.import_id = s.import_id and b.id = ${namelessId}`;
/** The line `b` of the books with an id, if a condition holds for it ({@link byIndex}). */
export const inBooks = (
  environment: string,
  id: RawBuilder<unknown>,
  condition: RawBuilder<unknown> = sql`1 = 1`,
) => sql`from ledger_lines b
  where b.environment = ${environment} and b.id between ${id} and ${id} and ${condition}
  order by b.id`;

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
    sql`coalesce((select b.order_key ${place} limit 1), '') = s.order_key`;
  const differs = (place: RawBuilder<unknown>) => sql`(${isThere(place)}
    and s.currency || ' ' || s.amount <> (select b.currency || ' ' || b.amount ${place} limit 1))`;
  return {
    isTold: ofNamed(places.map(isThere)),
    isToldOtherwise: ofNamed(places.map(differs)),
    /** Number of that line of the file. */
    line: sql<number | null>`(case when s.id like 'm:%'
      then (select min(b.line) ${inFile}) end)`,
  };
}
