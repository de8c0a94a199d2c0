import type { Transaction } from 'kysely';
import type { EndChargeOperation, NewChargeOperation } from './charge-operation.ts';
import { appendToLedger } from './ledger.ts';
import { identityOf, sendingOf } from './pending-operations.ts';
import type { Schema } from './schema.ts';

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

  const sent = { ...sendingOf(operation, now), state: 'recorded', attentionAt: leaseUntil };
  const claimed = await tx
    .insertInto('chargeOperations')
    .values({ ...identityOf(operation), createdAt: now, ...sent })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(sent)
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
    .set({
      state: end.state,
      transactionId: end.transactionId ?? null,
      lenderReferenceId: end.lenderReferenceId ?? null,
      serviceRequestId: end.serviceRequestId ?? null,
      reason: end.reason ?? null,
      problem: end.problem === undefined ? null : JSON.stringify(end.problem),
      updatedAt: end.now,
      attentionAt: end.attentionAt ?? null,
    })
    .$if(!end.overrules, (update) =>
      update.set({
        resolvedBy: end.resolution?.by ?? null,
        resolutionNote: end.resolution?.note ?? null,
      }),
    )
    .$if(end.attentionAt !== undefined, (update) => update.set({ attentionTries: 0 }))
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
