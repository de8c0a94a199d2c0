import type pg from 'pg';
import { type Fence, fundingsLease } from '../../fundings/books.ts';
import { tallyColumns, tallyValues, toShare, toTally } from '../../fundings/rows.ts';
import type { Findings, ShareBooks, ShareName, ShareProgress } from '../../fundings/share-books.ts';
import { type Asked, type PostgresRow, rowsOf } from './postgres-orders.ts';

const NOTHING: Findings = { moved: {}, lost: {}, proofs: {}, strays: 0 };

/**
 * Locks a share until the commit. Who writes under one writes beside others who do, and never beside
 * who rewrites what is held of some orders, whichever their days: {@link takeTurn}.
 * @returns its row with who holds it, while its leader has the lease of the run; else none
 */
export async function lockShare(
  client: pg.PoolClient,
  environment: string,
  lease: string,
  { plan, ordinal }: ShareName,
): Promise<PostgresRow[]> {
  await client.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [lease]);
  return rowsOf(
    client,
    `select s.holder from funding_shares s
     join leases l on l.name = $2 and l.holder = s.leader
     where s.environment = $1 and s.plan = $3 and s.ordinal = $4 for update of s`,
    [environment, lease, plan, ordinal],
  );
}

/** As the holders of the lease and of its shares do when they write: one after the other. */
export async function takeTurn(client: pg.PoolClient, environment: string): Promise<void> {
  const lease = fundingsLease(environment);
  await client.query(
    `insert into leases (name, holder, until) values ($1, '', 0) on conflict (name) do nothing`,
    [lease],
  );
  await client.query('select holder from leases where name = $1 for update', [lease]);
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lease]);
}

/** Writes how far a share is, in the transaction of what was written of it. */
export async function keepShare(
  client: pg.PoolClient,
  environment: string,
  { plan, ordinal }: ShareName,
  { tally, findings, isDone }: ShareProgress,
): Promise<void> {
  const counted = tallyColumns.map((name, index) => `${name} = $${index + 6}`);
  await client.query(
    `update funding_shares set state = $4, findings = $5, ${counted.join(', ')}
     where environment = $1 and plan = $2 and ordinal = $3`,
    [
      environment,
      plan,
      ordinal,
      isDone ? 'done' : 'open',
      JSON.stringify(findings),
      ...tallyValues(tally),
    ],
  );
}

interface SharesContext {
  environment: string;
  pool: Asked;
  transact: (work: (client: pg.PoolClient) => Promise<void>) => Promise<void>;
  checkFence: (client: pg.PoolClient, fence: Fence) => Promise<void>;
}

/** {@link ShareBooks} of PostgreSQL, and what is done to the lease of a share. */
export function postgresShares({ environment, pool, transact, checkFence }: SharesContext) {
  const all = (sql: string, values: unknown[]) => rowsOf(pool, sql, values);
  const lease = fundingsLease(environment);

  const books: ShareBooks = {
    cut: (fence, { plan, runId, counted, shares }) =>
      transact(async (client) => {
        await checkFence(client, fence);
        await client.query('delete from funding_shares where environment = $1', [environment]);
        const columns = ['environment', 'plan', 'ordinal', 'run_id', 'leader', 'days', 'state'];
        columns.push('until', 'findings', ...tallyColumns);
        const placeholders = columns.map((_, index) => `$${index + 1}`).join(', ');
        for (const [ordinal, days] of [[], ...shares].entries()) {
          const zero = tallyColumns.map(() => 0);
          await client.query(
            `insert into funding_shares (${columns.join(', ')}) values (${placeholders})`,
            [
              environment,
              plan,
              ordinal,
              runId,
              fence.holder,
              JSON.stringify(days),
              ordinal === 0 ? 'done' : 'open',
              0,
              JSON.stringify(NOTHING),
              ...(ordinal === 0 ? tallyValues(counted) : zero),
            ],
          );
        }
      }),

    async claim(holder, zone, now, until) {
      const [row] = await all(
        `with free as materialized (
           select s.plan, s.ordinal from funding_shares s
           join leases l on l.name = $2 and l.holder = s.leader and l.until > $4
           join funding_runs r on r.id = s.run_id and r.state = 'running' and r.zone = $6
           where s.environment = $1 and s.state = 'open' and s.until <= $4
           order by s.ordinal limit 1 for update of s skip locked)
         update funding_shares s set holder = $3, until = $5 from free
         where s.environment = $1 and s.plan = free.plan and s.ordinal = free.ordinal
         returning s.*`,
        [environment, lease, holder, now, until, zone],
      );
      if (!row) return undefined;
      const share = toShare(row);
      const { plan, ordinal } = share;
      return { share, fence: { lease, holder, share: { plan, ordinal } } };
    },

    async counted(runId) {
      const sums = tallyColumns.map((name) => `sum(${name}) as ${name}`).join(', ');
      const [row] = await all(
        `select count(*) as shares, ${sums} from funding_shares
         where environment = $1 and run_id = $2`,
        [environment, runId],
      );
      return row && Number(row.shares) > 0 ? toTally(row) : undefined;
    },

    async state(plan, now) {
      const [row] = await all(
        `select count(*) as open, count(*) filter (where until > $3) as held from funding_shares
         where environment = $1 and plan = $2 and state = 'open'`,
        [environment, plan, now],
      );
      return { open: Number(row?.open), held: Number(row?.held) };
    },

    async findings(plan) {
      const rows = await all(
        `select * from funding_shares where environment = $1 and plan = $2 order by ordinal`,
        [environment, plan],
      );
      return rows.map((row) => toShare(row).findings);
    },

    clear: (fence) =>
      transact(async (client) => {
        await checkFence(client, fence);
        await client.query('delete from funding_shares where environment = $1', [environment]);
      }),
  };

  return {
    ...books,
    async renew({ holder }: Fence, { plan, ordinal }: ShareName, until: number): Promise<boolean> {
      const rows = await all(
        `update funding_shares set until = $5
         where environment = $1 and plan = $2 and ordinal = $3 and holder = $4 returning ordinal`,
        [environment, plan, ordinal, holder, until],
      );
      return rows.length === 1;
    },
    async giveBack({ holder }: Fence, { plan, ordinal }: ShareName): Promise<void> {
      await all(
        `update funding_shares set holder = null, until = 0
         where environment = $1 and plan = $2 and ordinal = $3 and holder = $4`,
        [environment, plan, ordinal, holder],
      );
    },
  };
}
