import type { BulkConnection, BulkWriter } from './bulk.ts';

/** Longest time for which a worker that died keeps others from its work. */
export const LEASE_MS = 30_000;

/** Another one has taken over: what was about to be written is not. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** Who writes the statuses of an environment. */
export interface Holder {
  environment: string;
  /** Unique to this worker. */
  name: string;
}

const leaseName = (environment: string) => `recompute:${environment}`;

/** @returns false while another one holds it */
export function takeLease(
  bulk: BulkConnection,
  { environment, name }: Holder,
  now: number,
): Promise<boolean> {
  return bulk.write(async (writer) => {
    const changed = await writer.run(
      `insert into leases (name, holder, until) values (?, ?, ?)
       on conflict (name) do update set holder = excluded.holder, until = excluded.until
       where leases.until < ? or leases.holder = excluded.holder`,
      [leaseName(environment), name, now + LEASE_MS, now],
    );
    return changed === 1;
  });
}

/**
 * Extends the lease in the transaction that writes, and holds its row until the commit: who lost it
 * writes nothing, and two never write at the same time.
 * @throws {LeaseLostError}
 */
export async function fence(
  writer: BulkWriter,
  { environment, name }: Holder,
  now: number,
): Promise<void> {
  const changed = await writer.run(`update leases set until = ? where name = ? and holder = ?`, [
    now + LEASE_MS,
    leaseName(environment),
    name,
  ]);
  if (changed !== 1) throw new LeaseLostError('Another companion recomputes by now.');
}

export function releaseLease(bulk: BulkConnection, { environment, name }: Holder): Promise<number> {
  return bulk.write((writer) =>
    writer.run(`delete from leases where name = ? and holder = ?`, [leaseName(environment), name]),
  );
}
