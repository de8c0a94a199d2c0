import type pg from 'pg';
import { type FundingBatch, MOVED, type QuarantinedRecord } from '../../fundings/books.ts';
import { addDays } from '../../fundings/calendar.ts';
import {
  fundingColumns,
  fundingValues,
  runColumns,
  runValues,
  sliceColumns,
  sliceValues,
} from '../../fundings/rows.ts';
import type { StoredFunding } from '../../fundings/slice.ts';
import { postgresOrders } from './postgres-orders.ts';

const numeric: ReadonlySet<string> = new Set([
  'transaction_amount',
  'discount_amount',
  'net_amount',
  'funded_at',
  'updated_at',
  'transaction_date',
]);

/** What writes a batch, in a transaction of its caller. */
export function batchWriter(environment: string) {
  const { quarantinedBy } = postgresOrders(environment);

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
    const { freed = [], unsummed = [], stale = [], sweep, quarantine, slice, run } = batch;
    if (freed.length > 0) {
      await client.query(
        'delete from funding_quarantine where environment = $1 and id = any($2::text[])',
        [environment, freed],
      );
    }
    if (unsummed.length > 0) {
      await client.query(
        `update funding_slices set sums = '{}' where environment = $1 and day = any($2::text[])`,
        [environment, unsummed],
      );
    }
    if (stale.length > 0) {
      await client.query(
        `update funding_slices set state = 'stale', reason = $3
         where environment = $1 and day = any($2::text[]) and state = 'complete'`,
        [environment, stale, MOVED],
      );
    }
    if (sweep !== undefined) {
      await client.query(
        // Between two days, for whichever order the database has texts in: a prefix alone finds its
        // rows by an index only where they are sorted by code units.
        `delete from funding_records r where environment = $1 and id > $2 and id < $3
           and starts_with(id, $2 || ':') and not exists
           (select 1 from fundings f where f.environment = r.environment and f.id = r.id)`,
        [environment, sweep, addDays(sweep, 1)],
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

  return writeBatch;
}
