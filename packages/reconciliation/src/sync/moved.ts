import { type DuckDBConnection, listValue } from '../platform/duckdb.ts';
import type { Gone } from './day-work.ts';

/** Reason for reading a day again if one of its fundings may now be on another day. */
export const MOVED = 'a funding of it is on another day by now';

/**
 * Returns days that must be read again, because one of their fundings appeared on another day after
 * they were proven and may have moved there. If both days still have the funding in a later proof,
 * it was paid in parts.
 */
export async function movedDays(connection: DuckDBConnection): Promise<string[]> {
  const found = await connection.runAndReadAll(`
    with twice as materialized (
      select mark from (select hash(id[12:], order_key) as mark, day from fundings)
      group by mark having min(day) <> max(day)
    ), alike as materialized (
      select day, id[12:] as name, order_key, since from fundings
      where hash(id[12:], order_key) in (select mark from twice)
    )
    select distinct old.day from alike old
    join alike new on old.name = new.name and old.order_key = new.order_key and old.day <> new.day
    join funding_days d on d.day = old.day and d.proven < new.since
    order by 1 desc`);
  return found.getRows().map(([day]) => String(day));
}

/** Returns the vanished fundings that are not on any other day, either. */
export async function lostOf(connection: DuckDBConnection, gone: readonly Gone[]): Promise<Gone[]> {
  // An identity derived from content changes along with the content.
  const named = gone.filter(({ name }) => !name.startsWith('c.'));
  if (named.length === 0) return [];
  const found = await connection.runAndReadAll(
    `select position from (select unnest($1::varchar[]) as name, unnest($2::varchar[]) as order_key,
       unnest($3::varchar[]) as day, generate_subscripts($1::varchar[], 1) - 1 as position) g
     where not exists (select 1 from fundings f where f.id[12:] = g.name and f.order_key = g.order_key and f.day <> g.day)`,
    [
      listValue(named.map(({ name }) => name)),
      listValue(named.map(({ orderKey }) => orderKey)),
      listValue(named.map(({ day }) => day)),
    ],
  );
  return found.getRows().flatMap(([position]) => named[Number(position)] ?? []);
}
