import type { Transaction } from 'kysely';
import { type AttemptResult, insertAttempt, type NewAttempt, writeAttempt } from './attempts.ts';
import type { Database } from './database.ts';
import { insertDelivery } from './deliveries.ts';
import { appendToLedger, type NewLedgerEntry } from './ledger.ts';
import { claimOrder, releaseOrder } from './order-claims.ts';
import { insertPending, type PendingOperation } from './charge-operation.ts';
import { type CheckoutColumns, type CheckoutRow, type Schema, tables } from './schema.ts';

/** A change to a checkout, applied as a whole or not at all. */
export interface CheckoutChange {
  id: string;
  /** The revision that this change is based on; if the row has another revision, the change is stale. */
  revision: number;
  now: number;
  set: Partial<
    Pick<
      CheckoutRow,
      | 'status'
      | 'applicationId'
      | 'expiresAt'
      | 'retrySafe'
      | 'confirmationHash'
      | 'orderChanged'
      | 'chargeId'
      | 'chargeState'
      | 'refundedAmount'
      | 'charged'
      | 'attentionAt'
      | 'attentionTries'
    >
  >;
  /**
   * The attention time that this change is based on. If the row has a different one, something has
   * happened since, and the change is stale. Undefined matches any.
   */
  attentionSeen?: number | undefined;
  /** An attempt about to be sent, or the result of one, written together with the change. */
  insertAttempt?: NewAttempt | undefined;
  updateAttempt?: AttemptResult | undefined;
  /** A settle that the service accepted with the charge but has not completed. */
  insertPending?: PendingOperation | undefined;
  /**
   * `claim`: from now on only this checkout may create the charge of its merchant order; `release`
   * ends the claim. So two tabs with the same order create only one charge.
   */
  order?: 'claim' | 'release' | undefined;
  /** Ledger entries for the transactions of this change. */
  ledger?: readonly NewLedgerEntry[] | undefined;
}

export type ChangeResult =
  | { kind: 'changed'; checkout: CheckoutRow }
  /** The checkout has changed since it was read. */
  | { kind: 'stale' }
  /** Another checkout holds the claim on the merchant order. */
  | { kind: 'order-taken' };

/** Changes checkouts by compare-and-set on their revision. */
export function checkoutChanges({ transact, outbox, sent }: Database) {
  function remember({ environment, merchantOrderId }: CheckoutRow, change: CheckoutChange) {
    const { insertAttempt: attempt, now: sentAt } = change;
    if (attempt?.kind !== 'charge' || attempt.merchantTransactionId === undefined) return;
    const { id, kind, merchantTransactionId } = attempt;
    sent.add({ id, kind, environment, merchantOrderId, merchantTransactionId, sentAt });
  }

  return {
    /**
     * Changes a checkout; a change of status or charge is written to the outbox in the same
     * transaction.
     */
    async changeCheckout(change: CheckoutChange): Promise<ChangeResult> {
      try {
        const result = await transact((tx) => applyChange(tx, change, outbox));
        if (result.kind === 'changed') remember(result.checkout, change);
        return result;
      } catch (error) {
        if (error instanceof Undo) return error.result;
        throw error;
      }
    },
  };
}

/** Thrown inside a transaction to roll it back; carries the result for the caller. */
class Undo extends Error {
  readonly result: ChangeResult;

  constructor(result: ChangeResult) {
    super('undone');
    this.result = result;
  }
}

async function applyChange(
  tx: Transaction<Schema>,
  change: CheckoutChange,
  outbox: boolean,
): Promise<ChangeResult> {
  const row = await tx
    .selectFrom('checkouts')
    .selectAll()
    .where('id', '=', change.id)
    .executeTakeFirst();
  if (!row) return { kind: 'stale' };
  const before = tables.checkouts.read(row);
  if (before.revision !== change.revision) return { kind: 'stale' };
  const wanted: CheckoutRow = {
    ...before,
    ...change.set,
    revision: before.revision + 1,
    updatedAt: change.now,
  };
  let update = tx
    .updateTable('checkouts')
    .set(changedColumns(before, wanted))
    .where('id', '=', change.id)
    .where('revision', '=', change.revision);
  // Part of the write's own condition: the attention time may have been set since the read above,
  // without a new revision.
  if (change.attentionSeen !== undefined) {
    update = update.where('attentionAt', '=', change.attentionSeen);
  }
  const updated = await update.returningAll().executeTakeFirst();
  if (!updated) return { kind: 'stale' };
  const after = tables.checkouts.read(updated);

  if (change.order === 'claim' && !(await claimOrder(tx, after))) {
    throw new Undo({ kind: 'order-taken' });
  }
  if (change.order === 'release') await releaseOrder(tx, after);
  if (change.insertAttempt) await insertAttempt(tx, change.insertAttempt, change.now);
  if (change.updateAttempt) await writeAttempt(tx, change.updateAttempt, change.now);
  if (change.insertPending) await insertPending(tx, change.insertPending, change.now);
  if (outbox) await insertDelivery(tx, before, after);
  await appendToLedger(tx, change.ledger ?? [], change.now);
  return { kind: 'changed', checkout: after };
}

/**
 * Returns the columns that differ. The attention time is claimed without a new revision, on
 * PostgreSQL possibly between the read and the write of a change, so the attention time that was
 * read must not be written back.
 */
function changedColumns(before: CheckoutRow, after: CheckoutRow): Partial<CheckoutColumns> {
  const old = tables.checkouts.write(before);
  const changed = Object.entries(tables.checkouts.write(after)).filter(
    ([column, value]) => old[column as keyof CheckoutColumns] !== value,
  );
  return Object.fromEntries(changed);
}
