import type { Transaction } from 'kysely';
import type { EndChargeOperation, NewChargeOperation } from './charge-operation.ts';
import { appendToLedger } from './ledger.ts';
import { type Schema, tables } from './schema.ts';

/** Thrown inside a transaction to roll it back. */
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
    .insertInto('chargeTurns')
    .values({ environment, chargeId, revision: 0, operationId: null })
    .onConflict((conflict) => conflict.columns(['environment', 'chargeId']).doNothing())
    .execute();
  const turn = await tx
    .updateTable('chargeTurns')
    .set({ revision: revision + 1, operationId: operation.id })
    .where('environment', '=', environment)
    .where('chargeId', '=', chargeId)
    .where('revision', '=', revision)
    .where('operationId', 'is', null)
    .executeTakeFirst();
  if (turn.numUpdatedRows === 0n) throw new Undo('stale');

  const { progressBefore, requestId, actor, amount } = operation;
  // Columns that are written each time an operation is sent; the others never change.
  const sending = {
    progressBefore,
    requestId,
    actor,
    amount,
    state: 'recorded' as const,
    reason: undefined,
    problem: undefined,
    sentAt: now,
    updatedAt: now,
    attentionAt: leaseUntil,
    attentionTries: 0,
  };
  const { write, change } = tables.chargeOperations;
  const claimed = await tx
    .insertInto('chargeOperations')
    .values(write({ ...operation, ...sending, createdAt: now, isWithCharge: false }))
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(change(sending))
        .where('chargeOperations.state', '=', 'not-sent')
        .where('chargeOperations.fingerprint', '=', operation.fingerprint)
        .where('chargeOperations.id', '=', operation.id),
    )
    .returning('id')
    .executeTakeFirst();
  if (claimed === undefined) throw new Undo('key-taken');
  return 'begun';
}

/**
 * Writes the outcome of an operation. Returns false when the operation had already ended or was
 * sent again since.
 */
export async function endOperation(
  tx: Transaction<Schema>,
  end: EndChargeOperation,
): Promise<boolean> {
  const row = await tx
    .updateTable('chargeOperations')
    .set(
      tables.chargeOperations.change({
        state: end.state,
        transactionId: end.transactionId,
        lenderReferenceId: end.lenderReferenceId,
        serviceRequestId: end.serviceRequestId,
        reason: end.reason,
        problem: end.problem,
        updatedAt: end.now,
        attentionAt: end.attentionAt,
        ...(!end.overrules && { resolution: end.resolution }),
        ...(end.attentionAt !== undefined && { attentionTries: 0 }),
      }),
    )
    .where('id', '=', end.id)
    .where('sentAt', '=', end.sentAt)
    // An outcome that is already recorded as unknown is not written a second time.
    .where((eb) => {
      if (end.overrules) {
        return eb.and([eb('state', '=', 'rejected'), eb('resolvedBy', 'is not', null)]);
      }
      if (end.follows) {
        return eb.and([
          eb('state', '=', 'accepted'),
          eb('reason', '=', 'pending'),
          eb('resolvedBy', 'is', null),
        ]);
      }
      return eb('state', 'in', end.state === 'unknown' ? ['recorded'] : ['recorded', 'unknown']);
    })
    .returning(['environment', 'chargeId'])
    .executeTakeFirst();
  if (row === undefined) return false;
  if (end.state !== 'unknown') {
    await tx
      .updateTable('chargeTurns')
      .set({ operationId: null })
      .where('environment', '=', row.environment)
      .where('chargeId', '=', row.chargeId)
      .where('operationId', '=', end.id)
      .execute();
  }
  if (end.state === 'accepted' || end.follows || end.resolution !== undefined) {
    // The shop is notified of the charge's new state: the checkout becomes due, even after a crash.
    // If the operation was resolved manually, the charge may have been changed manually.
    await tx
      .updateTable('checkouts')
      .set({ attentionAt: end.now, attentionTries: 0 })
      .where('environment', '=', row.environment)
      .where('chargeId', '=', row.chargeId)
      .where('status', 'in', ['approved', 'failed'])
      .execute();
  }
  await appendToLedger(tx, end.ledger, end.now);
  return true;
}
