import type { Environment } from '@financing-checkout/contract';
import pg from 'pg';
import type { PostgresAddress } from '../../config/postgres-url.ts';
import {
  type CurrencySums,
  type Fence,
  type FundingBooks,
  LeaseLostError,
  orderIdsOf,
} from '../../fundings/books.ts';
import { isConflict, MAX_TRIES } from '../../store/database.ts';
import { isUnavailable } from '../../store/unavailable.ts';
import { toRun, toSlice, toStored, toSums } from '../../fundings/rows.ts';
import { postgresConnection } from '../postgres.ts';
import { batchWriter } from './postgres-batch.ts';
import { postgresOrders, rowsOf } from './postgres-orders.ts';
import { keepShare, lockShare, postgresShares, takeTurn } from './postgres-shares.ts';

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
  const orders = postgresOrders(environment);
  const writeBatch = batchWriter(environment);

  /** A checkout, an import or a pass may want the same rows: who had to give way begins again. */
  async function transact(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await tryTo(work);
        return;
      } catch (error) {
        if (!isConflict(error) || tries >= MAX_TRIES) throw error;
      }
    }
  }

  async function tryTo(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const client = await pool.connect();
    let broken = true;
    try {
      await client.query('begin isolation level read committed');
      await work(client);
      await client.query('commit');
      broken = false;
    } catch (error) {
      // One that is silent, or keeps nothing, is not waited for again: its end undoes what it began.
      if (isUnavailable(error)) throw error;
      await client.query('rollback').then(
        () => (broken = false),
        () => undefined,
      );
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Locked until the commit: nobody takes the lease while something is written under it. */
  async function checkFence(client: pg.PoolClient, fence: Fence): Promise<void> {
    const { lease, holder, share } = fence;
    const found = share
      ? await lockShare(client, environment, lease, share)
      : await rowsOf(client, 'select holder from leases where name = $1 for update', [lease]);
    if (found[0]?.holder !== holder) throw new LeaseLostError('The lease was taken.');
  }

  const shares = postgresShares({ environment, pool, transact, checkFence });

  async function sumsOf(client: pg.Pool | pg.PoolClient, day: string): Promise<CurrencySums> {
    const rows = await rowsOf(
      client,
      `select currency, count(*) as count, sum(transaction_amount)::text as transactions,
         sum(discount_amount)::text as discounts, sum(net_amount)::text as nets
       from fundings where environment = $1 and slice_day = $2 group by currency order by currency`,
      [environment, day],
    );
    return toSums(rows);
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
    async renewLease(fence, until) {
      if (fence.share) return shares.renew(fence, fence.share, until);
      const { lease, holder } = fence;
      const rows = await all(
        'update leases set until = $1 where name = $2 and holder = $3 returning name',
        [until, lease, holder],
      );
      return rows.length === 1;
    },
    async releaseLease(fence) {
      if (fence.share) return shares.giveBack(fence, fence.share);
      const { lease, holder } = fence;
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
    elsewhere: (fundings) => orders.elsewhere(pool, fundings),
    currencies: (merchantOrderIds) => orders.currencies(pool, merchantOrderIds),
    sums: (day) => sumsOf(pool, day),
    write: (fence, batch) =>
      transact(async (client) => {
        await checkFence(client, fence);
        await writeBatch(client, batch);
        if (fence.share && batch.share) {
          await keepShare(client, environment, fence.share, batch.share);
        }
      }),
    async mispriced(after, limit) {
      const rows = await all(
        // Without a join: where what PostgreSQL knows of its tables is old, it would try each funding
        // beside each line. An order with lines is found where they and its fundings are not all in one
        // currency; one without, where a funding is in that of a line that was withdrawn.
        `select order_key from (
           select distinct order_key, currency, 'funding' as side from fundings
             where environment = $1 and order_key > $2
           union all select distinct order_key, currency, 'line' from ledger_lines
             where environment = $1 and order_key > $2
           union all select distinct order_key, currency, 'withdrawn' from withdrawn_lines
             where environment = $1 and order_key > $2) sides
         group by order_key
         having bool_or(side = 'funding') and case when bool_or(side = 'line')
           then min(currency) filter (where side <> 'withdrawn')
             <> max(currency) filter (where side <> 'withdrawn')
           else count(*) > count(distinct currency) end
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
        await takeTurn(client, environment);
        const records = await orders.records(client, orderKeys);
        const currencies = await orders.currencies(client, orderIdsOf(orderKeys));
        await writeBatch(client, work(records, currencies));
      }),
    async sumAgain() {
      const days = await all(
        `select day from funding_slices where environment = $1 and sums = '{}' and rows > 0`,
        [environment],
      );
      for (const { day } of days) {
        await transact(async (client) => {
          await takeTurn(client, environment);
          await client.query(
            `update funding_slices set sums = $1, quarantined = (select count(*)
               from funding_quarantine q where q.environment = $2 and q.slice_day = $3)
             where environment = $2 and day = $3 and state <> 'writing'`,
            [JSON.stringify(await sumsOf(client, String(day))), environment, day],
          );
        });
      }
    },
    shares,
    close: () => pool.end(),
  };
}
