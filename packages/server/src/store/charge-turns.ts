import type { Transaction } from 'kysely';
import type { EndChargeOperation, NewChargeOperation } from './charge-operations.ts';
import { appendToLedger } from './ledger.ts';
import { identity } from './pending-operations.ts';
import type { Schema } from './schema.ts';

/** Thrown inside a transaction to undo it. */
export class Undo extends Error {
  readonly result: 'stale' | 'key-taken';

  constructor(result: Undo['result']) {
    super('undone');
    this.result = result;
  }
}

/** Records an operation and claims the charge for it. @throws {Undo} */
export async function beginOperation(
  tx: Transaction<Schema>,
  operation: NewChargeOperation,
  revision: number,
  now: number,
  leaseUntil: number,
): Promise<'begun'> {
  const { environment, chargeId } = operation;
  await tx
    .insertInto('charge_turns')
    .values({ environment, charge_id: chargeId, revision: 0, operation_id: null })
    .onConflict((conflict) => conflict.columns(['environment', 'charge_id']).doNothing())
    .execute();
  const turn = await tx
    .updateTable('charge_turns')
    .set({ revision: revision + 1, operation_id: operation.id })
    .where('environment', '=', environment)
    .where('charge_id', '=', chargeId)
    .where('revision', '=', revision)
    .where('operation_id', 'is', null)
    .executeTakeFirst();
  if (turn.numUpdatedRows === 0n) throw new Undo('stale');

  const sent = {
    state: 'recorded',
    amount: operation.amount?.value ?? null,
    currency: operation.amount?.currency ?? null,
    progress_before: operation.progressBefore,
    reason: null,
    problem: null,
    sent_at: now,
    updated_at: now,
    attention_at: leaseUntil,
    attention_tries: 0,
    request_id: operation.requestId ?? null,
    actor: operation.actor ?? null,
  };
  const claimed = await tx
    .insertInto('charge_operations')
    .values({ ...identity(operation), created_at: now, ...sent })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(sent)
        .where('charge_operations.state', '=', 'not-sent')
        .where('charge_operations.fingerprint', '=', operation.fingerprint)
        .where('charge_operations.id', '=', operation.id),
    )
    .returning('id')
    .executeTakeFirst();
  if (claimed === undefined) throw new Undo('key-taken');
  return 'begun';
}

/** Writes the outcome of an operation. False when it has ended before, or was sent again since. */
export async function endOperation(
  tx: Transaction<Schema>,
  end: EndChargeOperation,
): Promise<boolean> {
  const row = await tx
    .updateTable('charge_operations')
    .set({
      state: end.state,
      transaction_id: end.transactionId ?? null,
      lender_reference_id: end.lenderReferenceId ?? null,
      service_request_id: end.serviceRequestId ?? null,
      reason: end.reason ?? null,
      problem: end.problem === undefined ? null : JSON.stringify(end.problem),
      ...(end.overrules
        ? {}
        : {
            resolved_by: end.resolution?.by ?? null,
            resolution_note: end.resolution?.note ?? null,
          }),
      updated_at: end.now,
      attention_at: end.attentionAt ?? null,
      ...(end.attentionAt === undefined ? {} : { attention_tries: 0 }),
    })
    .where('id', '=', end.id)
    .where('sent_at', '=', end.sentAt)
    // An unknown outcome stays unknown until it is found; it is not written a second time.
    .where((eb) => {
      if (end.overrules) {
        return eb.and([eb('state', '=', 'rejected'), eb('resolved_by', 'is not', null)]);
      }
      if (end.follows) {
        return eb.and([
          eb('state', '=', 'accepted'),
          eb('reason', '=', 'pending'),
          eb('resolved_by', 'is', null),
        ]);
      }
      return eb('state', 'in', end.state === 'unknown' ? ['recorded'] : ['recorded', 'unknown']);
    })
    .returning(['environment', 'charge_id'])
    .executeTakeFirst();
  if (row === undefined) return false;
  if (end.state !== 'unknown') {
    await tx
      .updateTable('charge_turns')
      .set({ operation_id: null })
      .where('environment', '=', row.environment)
      .where('charge_id', '=', row.charge_id)
      .where('operation_id', '=', end.id)
      .execute();
  }
  if (end.state === 'accepted' || end.follows || end.resolution !== undefined) {
    // The shop is notified of the charge's new state: the checkout is due, also after a crash. Where a person
    // resolved the operation, the charge may have been changed by hand.
    await tx
      .updateTable('checkouts')
      .set({ attention_at: end.now, attention_tries: 0 })
      .where('environment', '=', row.environment)
      .where('charge_id', '=', row.charge_id)
      .where('status', 'in', ['approved', 'failed'])
      .execute();
  }
  await appendToLedger(tx, end.ledger, end.now);
  return true;
}
