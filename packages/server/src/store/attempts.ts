import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { Database } from './database.ts';
import { withNulls } from './rows.ts';
import type { AttemptsTable, Schema } from './schema.ts';

export type AttemptKind = 'prime' | 'charge' | 'void';

/**
 * State of one request that changes something at the service. `recorded` is written before the
 * request is sent; a process that dies then leaves it behind, and the outcome is unknown.
 */
export type AttemptState = 'recorded' | 'not-sent' | 'rejected' | 'accepted' | 'unknown';

export interface NewAttempt {
  id: string;
  kind: AttemptKind;
  checkoutId: string | undefined;
  merchantTransactionId: string | undefined;
  /** For a prime: environment and merchant order, separated by a space. */
  primeOf?: string | undefined;
  /** Id of the companion's request that makes this attempt. */
  requestId?: string | undefined;
  /** For a charge: whether its settle was requested with it. Undefined for other kinds. */
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

export type AttemptRepository = ReturnType<typeof attempts>;

/** Requests that change something at the service, each recorded before it is sent. */
export function attempts({ db }: Database) {
  return {
    async findAttempts(checkoutId: string): Promise<AttemptRow[]> {
      const rows = await db
        .selectFrom('attempts')
        .selectAll()
        .where('checkoutId', '=', checkoutId)
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
      return rows.map(toAttempt);
    },
    updateAttempt: (result: AttemptResult, now: number): Promise<void> =>
      writeAttempt(db, result, now),
  };
}

export async function insertAttempt(
  db: Kysely<Schema>,
  attempt: NewAttempt,
  now: number,
): Promise<void> {
  await db.insertInto('attempts').values(fromNewAttempt(attempt, now)).execute();
}

export function fromNewAttempt(attempt: NewAttempt, now: number) {
  const { id, kind, checkoutId, merchantTransactionId, primeOf, requestId, settle } = attempt;
  return withNulls({
    id,
    kind,
    checkoutId,
    merchantTransactionId,
    primeOf,
    requestId,
    settle: settle === undefined ? undefined : Number(settle),
    state: 'recorded',
    serviceRequestId: undefined as string | undefined,
    reason: undefined as string | undefined,
    createdAt: now,
    updatedAt: now,
  });
}

export type AttemptColumns = ReturnType<typeof fromNewAttempt>;

export async function writeAttempt(
  db: Kysely<Schema>,
  result: AttemptResult,
  now: number,
): Promise<void> {
  await db
    .updateTable('attempts')
    .set({
      state: result.state,
      serviceRequestId: result.serviceRequestId ?? null,
      reason: result.reason ?? null,
      updatedAt: now,
    })
    .where('id', '=', result.id)
    .execute();
}

const attemptKind = z.enum(['prime', 'charge', 'void']);
export const attemptState = z.enum(['recorded', 'not-sent', 'rejected', 'accepted', 'unknown']);

export function toAttempt(row: Selectable<AttemptsTable>): AttemptRow {
  return {
    ...row,
    kind: attemptKind.parse(row.kind),
    state: attemptState.parse(row.state),
    settle: row.settle === undefined ? undefined : row.settle === 1,
  };
}
