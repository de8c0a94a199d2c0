import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import { type AttemptRow, type AttemptState, type Schema, tables } from './schema.ts';

/** A request that is about to be sent. */
export type NewAttempt = Pick<
  AttemptRow,
  'id' | 'kind' | 'checkoutId' | 'merchantTransactionId' | 'primeOf' | 'requestId' | 'settle'
>;

export interface AttemptResult extends Pick<AttemptRow, 'id' | 'serviceRequestId' | 'reason'> {
  state: Exclude<AttemptState, 'recorded'>;
}

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
      return rows.map(tables.attempts.read);
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
  await db.insertInto('attempts').values(newAttempt(attempt, now)).execute();
}

export const newAttempt = (attempt: NewAttempt, now: number) =>
  tables.attempts.write({ ...attempt, state: 'recorded', createdAt: now, updatedAt: now });

export async function writeAttempt(
  db: Kysely<Schema>,
  { id, state, serviceRequestId, reason }: AttemptResult,
  now: number,
): Promise<void> {
  await db
    .updateTable('attempts')
    .set(tables.attempts.change({ state, serviceRequestId, reason, updatedAt: now }))
    .where('id', '=', id)
    .execute();
}
