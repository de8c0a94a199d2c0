import type { Database } from '../analytics/session.ts';
import { select, text, whole } from './rows.ts';

type Reader = Pick<Database, 'read'>;

/** Counts the open cases of each code; a merged case counts as its main case. */
export function openCasesByCode(database: Reader): Promise<Map<string, number>> {
  return database.read(async (connection) => {
    const rows = await select(
      connection,
      `select code, count(*) as count from cases
       where state = 'open' and merged_into is null group by code`,
    );
    return new Map(rows.map(({ code, count }) => [text(code), whole(count)]));
  });
}

/** Counts the orders whose lines have changed since they were judged. */
export function ordersToJudge(database: Reader): Promise<number> {
  return database.read(async (connection) => {
    const [row] = await select(
      connection,
      'select count(distinct order_key) as count from dirty_orders',
    );
    return whole(row?.count);
  });
}
