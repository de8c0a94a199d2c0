import type { BulkConnection } from '../reconciliation/recompute/bulk.ts';
import { fundingsLease } from './books.ts';

/** Whether somebody reads fundings from the service right now. */
export async function isSyncing(
  bulk: BulkConnection,
  environment: string,
  now: number,
): Promise<boolean> {
  const rows = await bulk.rows(`select holder from leases where name = ? and until > ?`, [
    fundingsLease(environment),
    now,
  ]);
  return rows.length > 0;
}

/** Whether a sync that another companion leads has days that nobody is at. */
export async function hasOpenShares(
  bulk: BulkConnection,
  environment: string,
  now: number,
): Promise<boolean> {
  const rows = await bulk.rows(
    `select s.ordinal from funding_shares s
     join leases l on l.name = ? and l.holder = s.leader and l.until > ?
     where s.environment = ? and s.state = 'open' and s.until <= ? limit 1`,
    [fundingsLease(environment), now, environment, now],
  );
  return rows.length > 0;
}
