import type { Insertable, Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { Database } from './database.ts';
import type { AttemptsTable, Schema } from './schema.ts';

export type AttemptKind = 'prime' | 'charge' | 'void';

/**
 * State of one request that changes something at the service. `recorded` is written before the request is
 * sent; a process that dies then leaves it behind, and the outcome is unknown.
 */
export type AttemptState = 'recorded' | 'not-sent' | 'rejected' | 'accepted' | 'unknown';

export interface NewAttempt {
  id: string;
  kind: AttemptKind;
  checkoutId: string | undefined;
  merchantTransactionId: string | undefined;
  /** Of a prime: environment and merchant order, with a space between them. */
  primeOf?: string | undefined;
  /** Id of the companion's request that makes the attempt. */
  requestId?: string | undefined;
  /** Whether a charge requests its settle too. Undefined for other kinds, and where an earlier version wrote it. */
  settle?: boolean | undefined;
}

export interface AttemptRow extends NewAttempt {
  state: AttemptState;
  serviceRequestId: string | undefined;
  reason: string | undefined;
  createdAt: number;
  updatedAt: number;
}

export interface AttemptResult {
  id: string;
  state: Exclude<AttemptState, 'recorded'>;
  serviceRequestId?: string | undefined;
  reason?: string | undefined;
}

export interface AttemptRepository {
  /** Returns the attempts of a checkout, oldest first. */
  findAttempts(checkoutId: string): Promise<AttemptRow[]>;
  updateAttempt(result: AttemptResult, now: number): Promise<void>;
}

/** Requests that change something at the service, each recorded before it is sent. */
export function attempts({ db }: Database): AttemptRepository {
  return {
    async findAttempts(checkoutId) {
      const rows = await db
        .selectFrom('attempts')
        .selectAll()
        .where('checkout_id', '=', checkoutId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toAttempt);
    },
    updateAttempt: (result, now) => writeAttempt(db, result, now),
  };
}

/** Records an attempt that is about to be sent. */
export async function insertAttempt(
  db: Kysely<Schema>,
  attempt: NewAttempt,
  now: number,
): Promise<void> {
  await db.insertInto('attempts').values(fromNewAttempt(attempt, now)).execute();
}

/** Every column of a new attempt. */
export type AttemptColumns = Required<Insertable<AttemptsTable>>;

/** Returns the columns of an attempt that is about to be sent. */
export function fromNewAttempt(attempt: NewAttempt, now: number): AttemptColumns {
  return {
    id: attempt.id,
    kind: attempt.kind,
    checkout_id: attempt.checkoutId ?? null,
    merchant_transaction_id: attempt.merchantTransactionId ?? null,
    state: 'recorded',
    service_request_id: null,
    reason: null,
    request_id: attempt.requestId ?? null,
    settle: attempt.settle === undefined ? null : Number(attempt.settle),
    prime_of: attempt.primeOf ?? null,
    created_at: now,
    updated_at: now,
  };
}

/** Writes how an attempt ended. */
export async function writeAttempt(
  db: Kysely<Schema>,
  result: AttemptResult,
  now: number,
): Promise<void> {
  await db
    .updateTable('attempts')
    .set({
      state: result.state,
      service_request_id: result.serviceRequestId ?? null,
      reason: result.reason ?? null,
      updated_at: now,
    })
    .where('id', '=', result.id)
    .execute();
}

const attemptKind = z.enum(['prime', 'charge', 'void']);
export const attemptState = z.enum(['recorded', 'not-sent', 'rejected', 'accepted', 'unknown']);

export function toAttempt(row: Selectable<AttemptsTable>): AttemptRow {
  return {
    id: row.id,
    kind: attemptKind.parse(row.kind),
    checkoutId: row.checkout_id ?? undefined,
    merchantTransactionId: row.merchant_transaction_id ?? undefined,
    state: attemptState.parse(row.state),
    requestId: row.request_id ?? undefined,
    settle: row.settle === null ? undefined : row.settle === 1,
    serviceRequestId: row.service_request_id ?? undefined,
    reason: row.reason ?? undefined,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}
