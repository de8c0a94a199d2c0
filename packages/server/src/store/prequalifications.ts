import {
  type Environment,
  environmentSchema,
  type Prequalification,
  prequalificationSchema,
} from '@financing-checkout/contract/storefront';
import type { Selectable, Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { PrequalificationsTable, Schema } from './schema.ts';

/** An application without a cart, as stored. Times are milliseconds since 1970. */
export interface PrequalificationRow {
  id: string;
  environment: Environment;
  /** SHA-256 of the page's secret: the Idempotency-Key of the request that opened it. */
  secretHash: string;
  /** SHA-256 of the request's payload. */
  fingerprint: string;
  status: Prequalification['status'];
  currency: string;
  origin: string;
  returnUrl: string | undefined;
  locale: string | undefined;
  /** The session that the service opened; undefined while a companion is requesting it. */
  session: { token: string; applicationId: string } | undefined;
  /** End of the lease of the companion that opens the session. */
  leaseUntil: number;
  createdAt: number;
  expiresAt: number;
}

export type ClaimedPrequalification =
  /** The caller has the key and opens the session. */
  { kind: 'claimed'; row: PrequalificationRow } | { kind: 'known'; row: PrequalificationRow };

export type PrequalificationRepository = ReturnType<typeof prequalifications>;

async function claim(
  tx: Transaction<Schema>,
  row: Omit<PrequalificationRow, 'session'>,
): Promise<ClaimedPrequalification | undefined> {
  const inserted = await tx
    .insertInto('prequalifications')
    .values(row)
    .onConflict((conflict) => conflict.columns(['environment', 'secretHash']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted) return { kind: 'claimed', row: rowOf(inserted) };
  const taken = await tx
    .updateTable('prequalifications')
    .set({
      leaseUntil: row.leaseUntil,
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
    })
    .where('environment', '=', row.environment)
    .where('secretHash', '=', row.secretHash)
    .where('fingerprint', '=', row.fingerprint)
    .where('sessionToken', 'is', null)
    .where('leaseUntil', '<=', row.createdAt)
    .returningAll()
    .executeTakeFirst();
  if (taken) return { kind: 'claimed', row: rowOf(taken) };
  const known = await tx
    .selectFrom('prequalifications')
    .selectAll()
    .where('environment', '=', row.environment)
    .where('secretHash', '=', row.secretHash)
    .executeTakeFirst();
  return known && { kind: 'known', row: rowOf(known) };
}

export function prequalifications({ db, transact }: Database) {
  return {
    /**
     * Stores a prequalification without a session, or takes over one with the same secret and
     * payload whose companion died before it wrote the session.
     */
    async claimPrequalification(
      row: Omit<PrequalificationRow, 'session'>,
    ): Promise<ClaimedPrequalification> {
      for (;;) {
        const claimed = await transact((tx) => claim(tx, row));
        // Undefined means that the row of another request was deleted in between.
        if (claimed !== undefined) return claimed;
      }
    },

    /**
     * Writes the session that the holder of the lease has opened.
     * @returns whether it still held the lease
     */
    async openPrequalification(
      { id, leaseUntil }: Pick<PrequalificationRow, 'id' | 'leaseUntil'>,
      { token, applicationId }: NonNullable<PrequalificationRow['session']>,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('prequalifications')
        .set({ sessionToken: token, applicationId })
        .where('id', '=', id)
        .where('leaseUntil', '=', leaseUntil)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /**
     * Deletes a prequalification whose session was not opened, so that the same key may try again.
     */
    async releasePrequalification({
      id,
      leaseUntil,
    }: Pick<PrequalificationRow, 'id' | 'leaseUntil'>): Promise<void> {
      await db
        .deleteFrom('prequalifications')
        .where('id', '=', id)
        .where('leaseUntil', '=', leaseUntil)
        .where('sessionToken', 'is', null)
        .execute();
    },

    async findPrequalification(id: string): Promise<PrequalificationRow | undefined> {
      const row = await db
        .selectFrom('prequalifications')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && rowOf(row);
    },

    async hasPrequalification(environment: Environment, applicationId: string): Promise<boolean> {
      const row = await db
        .selectFrom('prequalifications')
        .select('id')
        .where('environment', '=', environment)
        .where('applicationId', '=', applicationId)
        .executeTakeFirst();
      return row !== undefined;
    },

    async changePrequalification(id: string, status: PrequalificationRow['status']): Promise<void> {
      await db.updateTable('prequalifications').set({ status }).where('id', '=', id).execute();
    },
  };
}

function rowOf(columns: Selectable<PrequalificationsTable>): PrequalificationRow {
  const { sessionToken: token, applicationId, ...row } = columns;
  return {
    ...row,
    environment: environmentSchema.parse(row.environment),
    status: prequalificationSchema.shape.status.parse(row.status),
    session:
      token === undefined || applicationId === undefined ? undefined : { token, applicationId },
  };
}
