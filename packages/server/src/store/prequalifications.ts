import {
  type Environment,
  environmentSchema,
  type Prequalification,
  prequalificationSchema,
} from '@financing-checkout/contract';
import type { Selectable, Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { PrequalificationsTable, Schema } from './schema.ts';

/** An application without a cart, as the store holds it. Times are milliseconds since 1970. */
export interface PrequalificationRow {
  id: string;
  environment: Environment;
  /** SHA-256 of the page's secret: the Idempotency-Key of the request that opened it. */
  secretHash: string;
  /** SHA-256 of the request's payload. */
  fingerprint: string;
  /** The last one that is known. */
  status: Prequalification['status'];
  currency: string;
  origin: string;
  returnUrl: string | undefined;
  locale: string | undefined;
  /** What the service has opened; undefined while a companion asks for it. */
  session: { token: string; applicationId: string } | undefined;
  /** Until when the companion that opens the session has it to itself. */
  leaseUntil: number;
  createdAt: number;
  expiresAt: number;
}

export type ClaimedPrequalification =
  /** The caller has the key: it opens the session. */
  { kind: 'claimed'; row: PrequalificationRow } | { kind: 'known'; row: PrequalificationRow };

export interface PrequalificationRepository {
  /**
   * Stores a prequalification without a session, or takes over one with the same secret and payload
   * whose companion has died before it wrote the session.
   */
  claimPrequalification(
    row: Omit<PrequalificationRow, 'session'>,
  ): Promise<ClaimedPrequalification>;
  /** Writes the session that the holder of the lease has opened. @returns whether it still held the lease */
  openPrequalification(
    held: Pick<PrequalificationRow, 'id' | 'leaseUntil'>,
    session: NonNullable<PrequalificationRow['session']>,
  ): Promise<boolean>;
  /** Deletes a prequalification whose session was not opened, so that the same key may try again. */
  releasePrequalification(held: Pick<PrequalificationRow, 'id' | 'leaseUntil'>): Promise<void>;
  findPrequalification(id: string): Promise<PrequalificationRow | undefined>;
  hasPrequalification(environment: Environment, applicationId: string): Promise<boolean>;
  changePrequalification(id: string, status: PrequalificationRow['status']): Promise<void>;
}

async function claim(
  tx: Transaction<Schema>,
  row: Omit<PrequalificationRow, 'session'>,
): Promise<ClaimedPrequalification | undefined> {
  const inserted = await tx
    .insertInto('prequalifications')
    .values(columnsOf(row))
    .onConflict((conflict) => conflict.columns(['environment', 'secret_hash']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted) return { kind: 'claimed', row: rowOf(inserted) };
  const taken = await tx
    .updateTable('prequalifications')
    .set({
      lease_until: row.leaseUntil,
      created_at: row.createdAt,
      expires_at: row.expiresAt,
    })
    .where('environment', '=', row.environment)
    .where('secret_hash', '=', row.secretHash)
    .where('fingerprint', '=', row.fingerprint)
    .where('session_token', 'is', null)
    .where('lease_until', '<=', row.createdAt)
    .returningAll()
    .executeTakeFirst();
  if (taken) return { kind: 'claimed', row: rowOf(taken) };
  const known = await tx
    .selectFrom('prequalifications')
    .selectAll()
    .where('environment', '=', row.environment)
    .where('secret_hash', '=', row.secretHash)
    .executeTakeFirst();
  return known && { kind: 'known', row: rowOf(known) };
}

/** Applications without a cart. */
export function prequalifications({ db, transact }: Database): PrequalificationRepository {
  return {
    async claimPrequalification(row) {
      for (;;) {
        const claimed = await transact((tx) => claim(tx, row));
        // Undefined: the row of another request was deleted in between.
        if (claimed !== undefined) return claimed;
      }
    },

    async openPrequalification({ id, leaseUntil }, { token, applicationId }) {
      const { numUpdatedRows } = await db
        .updateTable('prequalifications')
        .set({ session_token: token, application_id: applicationId })
        .where('id', '=', id)
        .where('lease_until', '=', leaseUntil)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async releasePrequalification({ id, leaseUntil }) {
      await db
        .deleteFrom('prequalifications')
        .where('id', '=', id)
        .where('lease_until', '=', leaseUntil)
        .where('session_token', 'is', null)
        .execute();
    },

    async findPrequalification(id) {
      const row = await db
        .selectFrom('prequalifications')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && rowOf(row);
    },

    async hasPrequalification(environment, applicationId) {
      const row = await db
        .selectFrom('prequalifications')
        .select('id')
        .where('environment', '=', environment)
        .where('application_id', '=', applicationId)
        .executeTakeFirst();
      return row !== undefined;
    },

    async changePrequalification(id, status) {
      await db.updateTable('prequalifications').set({ status }).where('id', '=', id).execute();
    },
  };
}

function columnsOf(row: Omit<PrequalificationRow, 'session'>) {
  return {
    id: row.id,
    environment: row.environment,
    secret_hash: row.secretHash,
    fingerprint: row.fingerprint,
    status: row.status,
    currency: row.currency,
    origin: row.origin,
    return_url: row.returnUrl ?? null,
    locale: row.locale ?? null,
    session_token: null,
    application_id: null,
    lease_until: row.leaseUntil,
    created_at: row.createdAt,
    expires_at: row.expiresAt,
  };
}

function rowOf(row: Selectable<PrequalificationsTable>): PrequalificationRow {
  const { session_token: token, application_id: applicationId } = row;
  return {
    id: row.id,
    environment: environmentSchema.parse(row.environment),
    secretHash: row.secret_hash,
    fingerprint: row.fingerprint,
    status: prequalificationSchema.shape.status.parse(row.status),
    currency: row.currency,
    origin: row.origin,
    returnUrl: row.return_url ?? undefined,
    locale: row.locale ?? undefined,
    session: token === null || applicationId === null ? undefined : { token, applicationId },
    leaseUntil: Number(row.lease_until),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}
