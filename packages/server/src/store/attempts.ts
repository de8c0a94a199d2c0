import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import { insertAttemptQuery } from './prime-units.ts';
import { toAttempt } from './rows.ts';
import type { Schema } from './schema.ts';
import type { AttemptResult, NewAttempt, Store } from './store.ts';

/** Requests to the service that change something there, each recorded before it is sent. */
export function attempts({ db }: Database): Pick<Store, 'findAttempts' | 'updateAttempt'> {
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
  await db.executeQuery(insertAttemptQuery(db)(attempt, now));
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
