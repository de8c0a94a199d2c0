import type { SQLInputValue } from 'node:sqlite';
import type { QuarantinedRecord, RecordsOfOrders } from '../../fundings/books.ts';
import { identityOfId, type StoredFunding } from '../../fundings/slice.ts';

export type SqliteRow = Record<string, unknown>;
type Row = SqliteRow;

/** What is asked of the books by order. */
export function sqliteOrders(
  all: (sql: string, ...values: SQLInputValue[]) => SqliteRow[],
  environment: string,
) {
  // CROSS JOIN: in this order and no other, each by its key.
  function currencies(merchantOrderIds: readonly string[]): Map<string, string> {
    const found = new Map<string, string>();
    const take = (rows: Row[]) => {
      // In two currencies: which one a funding is in, nobody knows.
      for (const { id, one, other } of rows)
        found.set(String(id), one === other ? String(one) : '');
    };
    take(
      all(
        `select wanted.value as id, min(l.currency) as one, max(l.currency) as other
         from json_each(?) wanted
         cross join ledger_lines l on l.environment = ? and l.order_key = 'order:' || wanted.value
         group by wanted.value`,
        JSON.stringify(merchantOrderIds),
        environment,
      ),
    );
    const left = merchantOrderIds.filter((id) => !found.has(id));
    take(
      all(
        `select wanted.value as id, min(c.currency) as one, max(c.currency) as other
         from json_each(?) wanted
         cross join checkouts c on c.merchant_order_id = wanted.value and c.environment = ?
         group by wanted.value`,
        JSON.stringify(left),
        environment,
      ),
    );
    return found;
  }

  function records(orderKeys: readonly string[]): RecordsOfOrders {
    const held: RecordsOfOrders['held'] = [];
    const quarantined: QuarantinedRecord[] = [];
    for (const orderKey of orderKeys) {
      const rows = all(
        `select f.id, f.hash, f.order_key, f.currency, f.slice_day, r.raw from fundings f
           join funding_records r on r.environment = f.environment and r.id = f.id
           where f.environment = ? and f.order_key = ?`,
        environment,
        orderKey,
      );
      for (const row of rows)
        held.push({
          ...toStored(row),
          raw: String(row.raw),
          day: String(row.slice_day),
        });
      const waiting = all(
        'select * from funding_quarantine where environment = ? and order_key = ?',
        environment,
        orderKey,
      );
      for (const row of waiting) quarantined.push(toQuarantined(row));
    }
    return { held, quarantined };
  }

  function elsewhere(fundings: readonly { id: string; orderKey: string }[]): StoredFunding[] {
    const byOrder = Map.groupBy(
      all(
        `select f.id, f.hash, f.order_key, f.currency from json_each(?) wanted
           cross join fundings f on f.environment = ? and f.order_key = wanted.value`,
        JSON.stringify([...new Set(fundings.map(({ orderKey }) => orderKey))]),
        environment,
      ).map(toStored),
      ({ orderKey }) => orderKey,
    );
    return fundings.flatMap(({ id, orderKey }) =>
      (byOrder.get(orderKey) ?? []).filter(
        (stored) => stored.id !== id && identityOfId(stored.id) === identityOfId(id),
      ),
    );
  }
  return { currencies, records, elsewhere };
}

export function toStored(row: Row): StoredFunding {
  return {
    id: String(row.id),
    hash: String(row.hash),
    orderKey: String(row.order_key),
    currency: String(row.currency),
  };
}

function toQuarantined(row: Row): QuarantinedRecord {
  return {
    id: String(row.id),
    day: String(row.slice_day),
    orderKey: String(row.order_key),
    reason: String(row.reason),
    raw: String(row.raw),
  };
}
