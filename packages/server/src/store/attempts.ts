import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { prepare } from './prepared.ts';
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

/** The statement that records an attempt, built once. */
export function insertAttemptQuery(
  db: Kysely<Schema>,
): (attempt: NewAttempt, now: number) => CompiledQuery {
  const insert = prepare<
    {
      id: string;
      kind: string;
      checkout_id: string | null;
      merchant_transaction_id: string | null;
      request_id: string | null;
      now: number;
    },
    unknown
  >(({ id, kind, checkout_id, merchant_transaction_id, request_id, now }) =>
    db.insertInto('attempts').values({
      id,
      kind,
      checkout_id,
      merchant_transaction_id,
      state: sql.lit('recorded'),
      request_id,
      service_request_id: sql.lit(null),
      reason: sql.lit(null),
      created_at: now,
      updated_at: now,
    }),
  );
  return (attempt, now) =>
    insert({
      id: attempt.id,
      kind: attempt.kind,
      checkout_id: attempt.checkoutId ?? null,
      merchant_transaction_id: attempt.merchantTransactionId ?? null,
      request_id: attempt.requestId ?? null,
      now,
    });
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
