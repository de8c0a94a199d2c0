import type { Transaction } from 'kysely';
import { insertAttempt, writeAttempt } from './attempts.ts';
import type { Database } from './database.ts';
import { fromCheckout, toIdempotency } from './rows.ts';
import type { Schema } from './schema.ts';
import type { BeginPrime, FinishPrime, Store } from './store.ts';

/** Idempotency keys of the storefront, and what each ended with. */
export function idempotency({
  db,
  transact,
}: Database): Pick<Store, 'findIdempotency' | 'beginPrime' | 'finishPrime'> {
  return {
    async findIdempotency(key) {
      const query = db.selectFrom('idempotency').selectAll().where('key', '=', key);
      const row = await query.executeTakeFirst();
      return row && toIdempotency(row);
    },
    beginPrime: (begin) => transact((tx) => beginPrime(tx, begin)),
    finishPrime: (finish) => transact((tx) => finishPrime(tx, finish)),
  };
}

async function beginPrime(tx: Transaction<Schema>, begin: BeginPrime): Promise<boolean> {
  const inserted = await tx
    .insertInto('idempotency')
    .values({
      key: begin.key,
      fingerprint: begin.fingerprint,
      attempt_id: begin.attempt.id,
      state: 'in-flight',
      lease_until: begin.leaseUntil,
      checkout_id: null,
      problem: null,
      created_at: begin.now,
    })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          attempt_id: begin.attempt.id,
          state: 'in-flight',
          lease_until: begin.leaseUntil,
        })
        .where('idempotency.state', '=', 'released')
        .where('idempotency.fingerprint', '=', begin.fingerprint),
    )
    .returning('key')
    .executeTakeFirst();
  if (!inserted) return false;
  await insertAttempt(tx, begin.attempt, begin.now);
  return true;
}

async function finishPrime(tx: Transaction<Schema>, finish: FinishPrime): Promise<void> {
  const { key, attempt, now, end } = finish;
  await writeAttempt(tx, attempt, now);
  if (end !== 'released' && 'checkout' in end) {
    await tx.insertInto('checkouts').values(fromCheckout(end.checkout)).execute();
    await tx
      .updateTable('attempts')
      .set({ checkout_id: end.checkout.id })
      .where('id', '=', attempt.id)
      .execute();
  }
  await tx
    .updateTable('idempotency')
    .set({
      state: end === 'released' ? 'released' : 'finished',
      checkout_id: end !== 'released' && 'checkout' in end ? end.checkout.id : null,
      problem: end !== 'released' && 'problem' in end ? JSON.stringify(end.problem) : null,
    })
    .where('key', '=', key)
    .where('attempt_id', '=', attempt.id)
    .execute();
}
