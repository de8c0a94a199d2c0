import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { FundingBatch, RecordsOfOrders } from '../../fundings/books.ts';
import { toQuarantined, toStored } from '../../fundings/rows.ts';
import { identityOfId, namesakesOf, type StoredFunding } from '../../fundings/slice.ts';

export type SqliteRow = Record<string, unknown>;

/** What is asked of the books by order. */
export function sqliteOrders(database: DatabaseSync, environment: string) {
  const all = (statement: StatementSync, ...values: SQLInputValue[]) =>
    statement.all(...values) as SqliteRow[];
  // CROSS JOIN: in this order and no other, each by its key.
  const ofLedger = arrays(
    `select wanted.value, l.currency from json_each(?) wanted
     cross join ledger_lines l on l.environment = ? and l.order_key = 'order:' || wanted.value`,
  );
  const ofCheckouts = arrays(
    `select wanted.value, c.currency from json_each(?) wanted
     cross join checkouts c on c.merchant_order_id = wanted.value and c.environment = ?`,
  );
  const held = database.prepare(
    `select f.id, f.hash, f.order_key, f.currency, f.slice_day, r.raw from fundings f
     join funding_records r on r.environment = f.environment and r.id = f.id
     where f.environment = ? and f.order_key = ?`,
  );
  const waiting = database.prepare(
    'select * from funding_quarantine where environment = ? and order_key = ?',
  );
  const quarantined = database.prepare(
    `select order_key from funding_quarantine
     where environment = ? and slice_day = ? and order_key is not null`,
  );
  // Each order once, however many of its fundings are asked for. The part of an id behind its day is
  // its identity (identityOfId).
  const namesakes = database.prepare(
    `select f.id, f.hash, f.order_key, f.currency from json_each(?) wanted
     cross join fundings f on f.environment = ? and f.order_key = wanted.value
     where substr(f.id, 12) in (select value from json_each(?))`,
  );

  /** Rows as arrays of two texts: to make an object of each costs more than to find it. */
  function arrays(sql: string) {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return (...values: SQLInputValue[]) =>
      statement.all(...values) as unknown[] as [string, string][];
  }

  function currencies(merchantOrderIds: readonly string[]): Map<string, string> {
    const found = new Map<string, string>();
    const take = (rows: [string, string][]) => {
      for (const [id, currency] of rows) {
        // In two currencies: which one a funding is in, nobody knows.
        found.set(id, (found.get(id) ?? currency) === currency ? currency : '');
      }
    };
    take(ofLedger(JSON.stringify(merchantOrderIds), environment));
    const left = merchantOrderIds.filter((id) => !found.has(id));
    if (left.length > 0) take(ofCheckouts(JSON.stringify(left), environment));
    return found;
  }

  function records(orderKeys: readonly string[]): RecordsOfOrders {
    const found: RecordsOfOrders = { held: [], quarantined: [] };
    for (const orderKey of orderKeys) {
      for (const row of all(held, environment, orderKey))
        found.held.push({
          ...toStored(row),
          raw: String(row.raw),
          day: String(row.slice_day),
        });
      for (const row of all(waiting, environment, orderKey))
        found.quarantined.push(toQuarantined(row));
    }
    return found;
  }

  function elsewhere(fundings: readonly { id: string; orderKey: string }[]): StoredFunding[] {
    const orderKeys = new Set(fundings.map(({ orderKey }) => orderKey));
    const identities = new Set(fundings.map(({ id }) => identityOfId(id)));
    const [keys, parts] = [orderKeys, identities].map((texts) => JSON.stringify([...texts]));
    const found = all(namesakes, keys ?? '', environment, parts ?? '').map(toStored);
    return namesakesOf(fundings, found);
  }

  /** Orders of which a record comes into quarantine with a batch, or may leave it. */
  function quarantinedBy({ quarantine }: Pick<FundingBatch, 'quarantine'>): string[] {
    if (!quarantine) return [];
    const before = all(quarantined, environment, quarantine.day);
    return [
      ...before.map((row) => String(row.order_key)),
      ...quarantine.records.map(({ orderKey }) => orderKey),
    ];
  }
  return { currencies, records, elsewhere, quarantinedBy };
}
