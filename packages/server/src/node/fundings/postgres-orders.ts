import type pg from 'pg';
import type { FundingBatch, RecordsOfOrders } from '../../fundings/books.ts';
import { toQuarantined, toStored } from '../../fundings/rows.ts';
import { identityOfId, namesakesOf, type StoredFunding } from '../../fundings/slice.ts';
import { orderKeyOf } from '../../order-key.ts';

export type PostgresRow = Record<string, unknown>;
/** A connection, or a pool of them. */
export type Asked = Pick<pg.PoolClient, 'query'>;

export async function rowsOf(
  client: Asked,
  sql: string,
  values: unknown[],
): Promise<PostgresRow[]> {
  const { rows } = await client.query<PostgresRow>(sql, values);
  return rows;
}

/** What is asked of the books by order. */
export function postgresOrders(environment: string) {
  async function currencies(
    client: Asked,
    merchantOrderIds: readonly string[],
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const take = (rows: PostgresRow[]) => {
      const byOrder = Map.groupBy(rows, ({ id }) => String(id));
      for (const [id, [first, second]] of byOrder) {
        // In two currencies: which one a funding is in, nobody knows.
        found.set(id, second === undefined ? String(first?.currency) : '');
      }
    };
    take(
      await rowsOf(
        client,
        `select distinct substr(order_key, 7) as id, currency from ledger_lines
           where environment = $1 and order_key = any($2::text[])`,
        [environment, merchantOrderIds.map(orderKeyOf)],
      ),
    );
    const left = merchantOrderIds.filter((id) => !found.has(id));
    if (left.length > 0) {
      take(
        await rowsOf(
          client,
          `select distinct merchant_order_id as id, currency from checkouts
             where environment = $1 and merchant_order_id = any($2::text[])`,
          [environment, left],
        ),
      );
    }
    return found;
  }

  async function records(client: Asked, orderKeys: readonly string[]): Promise<RecordsOfOrders> {
    const held = await rowsOf(
      client,
      `select f.id, f.hash, f.order_key, f.currency, f.slice_day, r.raw from fundings f
         join funding_records r on r.environment = f.environment and r.id = f.id
         where f.environment = $1 and f.order_key = any($2::text[])`,
      [environment, orderKeys],
    );
    const waiting = await rowsOf(
      client,
      'select * from funding_quarantine where environment = $1 and order_key = any($2::text[])',
      [environment, orderKeys],
    );
    return {
      held: held.map((row) => ({
        ...toStored(row),
        raw: String(row.raw),
        day: String(row.slice_day),
      })),
      quarantined: waiting.map(toQuarantined),
    };
  }

  async function elsewhere(
    client: Asked,
    fundings: readonly { id: string; orderKey: string }[],
  ): Promise<StoredFunding[]> {
    const rows = await rowsOf(
      client,
      `select id, hash, order_key, currency from fundings
       where environment = $1 and order_key = any($2::text[]) and substr(id, 12) = any($3::text[])`,
      [
        environment,
        [...new Set(fundings.map(({ orderKey }) => orderKey))],
        [...new Set(fundings.map(({ id }) => identityOfId(id)))],
      ],
    );
    return namesakesOf(fundings, rows.map(toStored));
  }

  /** Orders of which a record comes into quarantine with a batch, or may leave it. */
  async function quarantinedBy(
    client: Asked,
    { quarantine }: Pick<FundingBatch, 'quarantine'>,
  ): Promise<string[]> {
    if (!quarantine) return [];
    const rows = await rowsOf(
      client,
      `select order_key from funding_quarantine
       where environment = $1 and slice_day = $2 and order_key is not null`,
      [environment, quarantine.day],
    );
    return [
      ...rows.map((row) => String(row.order_key)),
      ...quarantine.records.map(({ orderKey }) => orderKey),
    ];
  }

  return { currencies, records, elsewhere, quarantinedBy };
}
