import type { Environment } from '@financing-checkout/contract';
import pg from 'pg';
import type { PostgresAddress } from '../../config/postgres-url.ts';
import {
  type FundingBatch,
  type FundingBooks,
  fundingsLease,
  LeaseLostError,
  orderIdsOf,
  type QuarantinedRecord,
  type RecordsOfOrders,
} from '../../fundings/books.ts';
import {
  fundingColumns,
  fundingValues,
  runColumns,
  runValues,
  sliceColumns,
  sliceValues,
  toRun,
  toQuarantined,
  toSlice,
  toStored,
  toSums,
} from '../../fundings/rows.ts';
import { identityOfId, type StoredFunding } from '../../fundings/slice.ts';
import { orderKeyOf } from '../../order-key.ts';
import { postgresConnection } from '../postgres.ts';

type Row = Record<string, unknown>;

const numeric: ReadonlySet<string> = new Set([
  'transaction_amount',
  'discount_amount',
  'net_amount',
  'funded_at',
  'updated_at',
  'transaction_date',
]);

/** A batch of many rows takes longer than a statement of the companion may. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** The books in PostgreSQL: each call is a few statements over sets. */
export function openPostgresBooks(
  address: PostgresAddress,
  environment: Environment,
): FundingBooks {
  const pool = new pg.Pool(
    postgresConnection({
      address: { ...address, poolSize: 2 },
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    }),
  );
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  const all = (sql: string, values: unknown[]) => rowsOf(pool, sql, values);

  async function transact(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const client = await pool.connect();
    let broken = true;
    try {
      await client.query('begin isolation level read committed');
      await work(client);
      await client.query('commit');
      broken = false;
    } catch (error) {
      await client.query('rollback').then(
        () => (broken = false),
        () => undefined,
      );
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async function keepVersions(
    client: pg.PoolClient,
    stored: readonly { stored: StoredFunding; reason: string }[],
    now: number,
  ): Promise<void> {
    if (stored.length === 0) return;
    const ids = stored.map(({ stored: { id } }) => id);
    await client.query(
      `insert into funding_versions (environment, id, version, hash, raw, slice_day, replaced_at, reason)
       select f.environment, f.id, f.version, f.hash, r.raw, f.slice_day, $2, k.reason
       from unnest($3::text[], $4::text[]) as k (id, reason)
       join fundings f on f.environment = $1 and f.id = k.id
       join funding_records r on r.environment = f.environment and r.id = f.id`,
      [environment, now, ids, stored.map(({ reason }) => reason)],
    );
    // By their ids alone: their currency may have become known since they were read.
    for (const table of ['fundings', 'funding_records']) {
      await client.query(`delete from ${table} where environment = $1 and id = any($2::text[])`, [
        environment,
        ids,
      ]);
    }
  }

  async function insertFundings(
    client: pg.PoolClient,
    changed: FundingBatch['changed'],
  ): Promise<void> {
    if (changed.length === 0) return;
    const rows = changed.map(({ funding }) => fundingValues(funding));
    const columns = fundingColumns.map((_, index) => rows.map((row) => row[index] ?? null));
    const types = fundingColumns.map((name, index) => {
      const type = numeric.has(name) ? 'bigint' : 'text';
      return `$${index + 2}::${type}[]`;
    });
    await client.query(
      `insert into fundings (environment, ${fundingColumns.join(', ')}, version)
       select $1, ${fundingColumns.map((name) => `n.${name}`).join(', ')}, coalesce(v.last, 0) + 1
       from unnest(${types.join(', ')}) as n (${fundingColumns.join(', ')})
       left join lateral (select max(version) as last from funding_versions
         where environment = $1 and id = n.id) v on true`,
      [environment, ...columns],
    );
  }

  async function insertRecords(
    client: pg.PoolClient,
    records: readonly { id: string; raw: string }[],
  ): Promise<void> {
    if (records.length === 0) return;
    await client.query(
      `insert into funding_records (environment, id, raw)
       select $1, n.id, n.raw from unnest($2::text[], $3::text[]) as n (id, raw)
       on conflict (environment, id) do update set raw = excluded.raw`,
      [environment, records.map(({ id }) => id), records.map(({ raw }) => raw)],
    );
  }

  async function markDirty(client: pg.PoolClient, orderKeys: Set<string>): Promise<void> {
    if (orderKeys.size === 0) return;
    // In one order: two that mark the same orders would wait for each other for ever.
    await client.query(
      `insert into dirty_orders (environment, order_key, generation)
       select $1, key, 1 from unnest($2::text[]) as key order by key
       on conflict (environment, order_key) do update set generation = dirty_orders.generation + 1`,
      [environment, [...orderKeys]],
    );
  }

  /** Orders of which a record comes into quarantine with a batch, or may leave it. */
  async function quarantinedBy(
    client: pg.PoolClient,
    { quarantine }: FundingBatch,
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

  async function writeQuarantine(
    client: pg.PoolClient,
    day: string,
    records: readonly QuarantinedRecord[],
    now: number,
  ): Promise<void> {
    await client.query('delete from funding_quarantine where environment = $1 and slice_day = $2', [
      environment,
      day,
    ]);
    if (records.length === 0) return;
    await client.query(
      `insert into funding_quarantine (environment, id, slice_day, order_key, reason, raw, seen_at)
       select $1, n.id, $2, n.order_key, n.reason, n.raw, $3
       from unnest($4::text[], $5::text[], $6::text[], $7::text[]) as n (id, order_key, reason, raw)`,
      [
        environment,
        day,
        now,
        records.map(({ id }) => id),
        records.map(({ orderKey }) => orderKey),
        records.map(({ reason }) => reason),
        records.map(({ raw }) => raw),
      ],
    );
  }

  async function replace(
    client: pg.PoolClient,
    table: string,
    key: string,
    columns: readonly string[],
    values: unknown[],
  ): Promise<void> {
    await client.query(
      `insert into ${table} (environment, ${columns.join(', ')})
       values ($1, ${columns.map((_, index) => `$${index + 2}`).join(', ')})
       on conflict (${key}) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      [environment, ...values],
    );
  }

  async function currenciesOf(
    client: Pick<pg.PoolClient, 'query'>,
    merchantOrderIds: readonly string[],
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const take = (rows: Row[]) => {
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

  async function recordsOf(
    client: pg.PoolClient,
    orderKeys: readonly string[],
  ): Promise<RecordsOfOrders> {
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

  async function writeBatch(client: pg.PoolClient, batch: FundingBatch): Promise<void> {
    const superseded = batch.changed.flatMap(({ stored }) =>
      stored === undefined ? [] : { stored, reason: 'superseded' },
    );
    await keepVersions(client, [...batch.gone, ...superseded], batch.now);
    await insertFundings(client, batch.changed);
    await insertRecords(client, batch.records ?? []);
    await markDirty(
      client,
      new Set([
        ...batch.gone.map(({ stored }) => stored.orderKey),
        ...superseded.map(({ stored }) => stored.orderKey),
        ...batch.changed.map(({ funding }) => funding.orderKey),
        // While a record of an order is in quarantine, nothing of the order is called missing.
        ...(await quarantinedBy(client, batch)),
      ]),
    );
    const { freed = [], sweep, quarantine, slice, run } = batch;
    if (freed.length > 0) {
      await client.query(
        'delete from funding_quarantine where environment = $1 and id = any($2::text[])',
        [environment, freed],
      );
    }
    if (sweep !== undefined) {
      await client.query(
        `delete from funding_records r where environment = $1 and starts_with(id, $2) and not exists
           (select 1 from fundings f where f.environment = r.environment and f.id = r.id)`,
        [environment, `${sweep}:`],
      );
    }
    if (quarantine) {
      await writeQuarantine(client, quarantine.day, quarantine.records, batch.now);
    }
    if (slice) {
      const values = sliceValues(slice);
      await replace(client, 'funding_slices', 'environment, day', sliceColumns, values);
    }
    if (run) await replace(client, 'funding_runs', 'id', runColumns, runValues(run));
  }

  return {
    async takeLease({ lease, holder }, now, until) {
      const rows = await all(
        `insert into leases (name, holder, until) values ($1, $2, $3)
         on conflict (name) do update set holder = excluded.holder, until = excluded.until
         where leases.until <= $4 or leases.holder = excluded.holder returning name`,
        [lease, holder, until, now],
      );
      return rows.length === 1;
    },
    async renewLease({ lease, holder }, until) {
      const rows = await all(
        'update leases set until = $1 where name = $2 and holder = $3 returning name',
        [until, lease, holder],
      );
      return rows.length === 1;
    },
    async releaseLease({ lease, holder }) {
      await all('delete from leases where name = $1 and holder = $2', [lease, holder]);
    },

    async findRunning() {
      const [row] = await all(
        `select * from funding_runs where environment = $1 and state = 'running'
         order by started_at desc, id desc limit 1`,
        [environment],
      );
      return row && toRun(row);
    },
    async slices(fromDay, toDay) {
      const rows = await all(
        'select * from funding_slices where environment = $1 and day >= $2 and day <= $3 order by day',
        [environment, fromDay, toDay],
      );
      return rows.map(toSlice);
    },

    async stored(day) {
      // By its own column: how ids sort is up to the database.
      const rows = await all(
        'select id, hash, order_key, currency from fundings where environment = $1 and slice_day = $2',
        [environment, day],
      );
      return rows.map(toStored);
    },
    async elsewhere(fundings) {
      const rows = await all(
        `select id, hash, order_key, currency from fundings
         where environment = $1 and order_key = any($2::text[])`,
        [environment, [...new Set(fundings.map(({ orderKey }) => orderKey))]],
      );
      const byOrder = Map.groupBy(rows.map(toStored), ({ orderKey }) => orderKey);
      return fundings.flatMap(({ id, orderKey }) =>
        (byOrder.get(orderKey) ?? []).filter(
          (stored) => stored.id !== id && identityOfId(stored.id) === identityOfId(id),
        ),
      );
    },
    currencies: (merchantOrderIds) => currenciesOf(pool, merchantOrderIds),
    async sums(day) {
      const rows = await all(
        `select currency, count(*) as count, sum(transaction_amount)::text as transactions,
           sum(discount_amount)::text as discounts, sum(net_amount)::text as nets
         from fundings where environment = $1 and slice_day = $2 group by currency order by currency`,
        [environment, day],
      );
      return toSums(rows);
    },
    write: (fence, batch) =>
      transact(async (client) => {
        // Locked until the commit: nobody takes the lease while this is written.
        const [row] = await rowsOf(client, 'select holder from leases where name = $1 for update', [
          fence.lease,
        ]);
        if (row?.holder !== fence.holder) throw new LeaseLostError('The lease was taken.');
        await writeBatch(client, batch);
      }),
    async mispriced(after, limit) {
      const rows = await all(
        `select f.order_key from fundings f
         join ledger_lines l on l.environment = f.environment and l.order_key = f.order_key
         where f.environment = $1 and f.order_key > $2 and f.currency <> l.currency
         union
         select f.order_key from withdrawn_lines w
         join fundings f on f.environment = w.environment and f.order_key = w.order_key
         where w.environment = $1 and w.order_key > $2 and f.currency = w.currency and not exists (
           select 1 from ledger_lines l where l.environment = f.environment
             and l.order_key = f.order_key and l.currency = f.currency)
         order by 1 limit $3`,
        [environment, after, limit],
      );
      return rows.map((row) => String(row.order_key));
    },
    async quarantinedOrders() {
      const rows = await all(
        'select distinct order_key from funding_quarantine where environment = $1 and order_key is not null',
        [environment],
      );
      return rows.map((row) => String(row.order_key));
    },
    rewrite: (orderKeys, work) =>
      transact(async (client) => {
        const lease = fundingsLease(environment);
        await client.query(
          `insert into leases (name, holder, until) values ($1, '', 0) on conflict (name) do nothing`,
          [lease],
        );
        await client.query('select holder from leases where name = $1 for update', [lease]);
        const records = await recordsOf(client, orderKeys);
        const currencies = await currenciesOf(client, orderIdsOf(orderKeys));
        await writeBatch(client, work(records, currencies));
      }),
    close: () => pool.end(),
  };
}

async function rowsOf(
  client: Pick<pg.PoolClient, 'query'>,
  sql: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await client.query<Row>(sql, values);
  return rows;
}
