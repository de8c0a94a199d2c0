import { type DuckDBConnection, listValue } from '../../platform/duckdb.ts';
import type { CaseException, JudgedOrder } from '@financing-checkout/reconciliation-rules';
import type { ExceptionSource, SourceState } from '../../cases/exception-source.ts';
import type { RevisedDatabase } from '../../analytics/database.ts';
import { select, text, whole, word } from '../basis/rows.ts';
import { stakes } from '../basis/stakes.ts';

const PAGE = 20_000;

/** SQL for the order keys of exceptions that differ from the mirrored cases. */
const changed = `
  select coalesce(e.order_key, c.order_key) as order_key
  from order_exceptions e
  full join cases c
    on c.order_key = e.order_key and c.currency = e.currency and c.code = e.code
  where c.order_key is null
    or (e.order_key is null and c.state <> 'closed')
    or (e.order_key is not null and (c.state = 'closed' or c.content_hash <> e.content_hash
      or (c.state = 'open' and (c.amount <> e.amount or c.count <> e.count))))`;

/** Provides the exceptions of the analytics database for opening and closing cases. */
export function exceptionSource(
  database: Pick<RevisedDatabase, 'read' | 'writes'>,
  state: () => Promise<SourceState>,
): ExceptionSource {
  /** Orders of the last page with an incomplete status, and the number of writes at that time. */
  let listed: Listed | undefined;
  return {
    state,

    async *changedOrders(signal) {
      let after = '';
      for (;;) {
        const from = after;
        const keys = await database.read(
          (connection) =>
            select(
              connection,
              `select distinct order_key from (${changed}) where order_key > $after
              order by order_key limit ${PAGE}`,
              { after: from },
            ),
          signal,
        );
        const page = keys.map((row) => text(row.order_key));
        if (page.length > 0) {
          const writes = database.writes();
          const partial = await database.read((connection) => partialOf(connection, page), signal);
          listed = { writes, orderKeys: new Set(page), partial };
          yield page;
        }
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return;
        after = last;
      }
    },

    async stakes(caseIds) {
      // DuckDB cannot infer the type of an empty list.
      if (caseIds.length === 0) return new Map();
      const rows = await database.read((connection) =>
        select(
          connection,
          `select id, at_stake from ${stakes} where id in (select unnest($ids::varchar[]))`,
          { ids: listValue([...caseIds]) },
        ),
      );
      return new Map(rows.map((row) => [text(row.id), whole(row.at_stake)]));
    },

    async judged(orderKeys) {
      // DuckDB cannot infer the type of an empty list.
      if (orderKeys.length === 0) return [];
      const keys = { keys: listValue([...orderKeys]) };
      const wanted = '(select unnest($keys::varchar[]))';
      const [dirty, exceptions, partial] = await database.read(async (connection) => [
        await select(
          connection,
          `select distinct order_key from dirty_orders where order_key in ${wanted}`,
          keys,
        ),
        await select(
          connection,
          `select * from order_exceptions where order_key in ${wanted}
          order by order_key, currency, code`,
          keys,
        ),
        await partialNow(connection, orderKeys),
      ]);
      const skipped = new Set(dirty.map((row) => text(row.order_key)));
      const assumed = new Set(
        exceptions.filter((row) => row.assumed === true).map((row) => text(row.order_key)),
      );
      const own = Map.groupBy(
        exceptions.map((row): CaseException => ({
          orderKey: text(row.order_key),
          currency: text(row.currency),
          code: word('code', row.code),
          amount: whole(row.amount),
          count: whole(row.count),
          since: whole(row.since),
          contentHash: text(row.content_hash),
        })),
        ({ orderKey }) => orderKey,
      );
      return [...new Set(orderKeys)]
        .filter((orderKey) => !skipped.has(orderKey))
        .map((orderKey): JudgedOrder => ({
          orderKey,
          exceptions: own.get(orderKey) ?? [],
          isWhole: !partial.has(orderKey),
          currencyAssumed: assumed.has(orderKey),
        }));
    },
  };

  /** Queries again only orders that were not listed, or that may have been judged since. */
  async function partialNow(
    connection: DuckDBConnection,
    orderKeys: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const isListed =
      listed?.writes === database.writes() && orderKeys.every((key) => listed?.orderKeys.has(key));
    return isListed && listed ? listed.partial : partialOf(connection, orderKeys);
  }
}

interface Listed {
  writes: number;
  orderKeys: ReadonlySet<string>;
  partial: ReadonlySet<string>;
}

/**
 * Finds orders with a record in quarantine or with lines without a status. Reads all rows of three
 * tables, however few orders are requested.
 */
async function partialOf(
  connection: DuckDBConnection,
  orderKeys: readonly string[],
): Promise<Set<string>> {
  const wanted = '(select unnest($keys::varchar[]))';
  const rows = await select(
    connection,
    `select order_key from fundings
      where order_key in ${wanted} and (problem is not null
        or (assumed and order_key in (select order_key from ledger_lines)))
    union
    select order_key from (
      select order_key, currency from fundings where order_key in ${wanted} and problem is null
      union select order_key, currency from ledger_lines where order_key in ${wanted}) l
    anti join (from order_statuses where order_key in ${wanted}) s
      on s.order_key = l.order_key and s.currency = l.currency`,
    { keys: listValue([...orderKeys]) },
  );
  return new Set(rows.map((row) => text(row.order_key)));
}
