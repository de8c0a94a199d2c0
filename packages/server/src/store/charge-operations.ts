import { chargeOperationKinds } from '@financing-checkout/contract/back-office';
import { type Environment, environmentSchema } from '@financing-checkout/contract/storefront';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { attemptState } from './attempts.ts';
import type {
  ChargeOperationRow,
  EndChargeOperation,
  NewChargeOperation,
  Resolution,
} from './charge-operation.ts';
import { beginOperation, endOperation, Undo } from './charge-turns.ts';
import type { Database } from './database.ts';
import type { ChargeOperationsTable } from './schema.ts';
import { parseProblem } from './stored-problem.ts';
import { worklist } from './worklist.ts';

export type { ChargeOperationRow, EndChargeOperation, NewChargeOperation, Resolution };

export type ChargeOperationRepository = ReturnType<typeof chargeOperations>;

export function chargeOperations({ db, transact, sent }: Database) {
  return {
    async findChargeOperation(key: string): Promise<ChargeOperationRow | undefined> {
      const query = db.selectFrom('chargeOperations').selectAll().where('key', '=', key);
      const row = await query.executeTakeFirst();
      return row && toOperation(row);
    },

    /** Returns the operations of a charge, oldest first. */
    async findChargeOperations(
      environment: Environment,
      chargeId: string,
    ): Promise<ChargeOperationRow[]> {
      const rows = await db
        .selectFrom('chargeOperations')
        .selectAll()
        .where('environment', '=', environment)
        .where('chargeId', '=', chargeId)
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
      return rows.map(toOperation);
    },

    /**
     * Returns the number of operations started on a charge, and whether one of them is still
     * running.
     */
    async chargeTurn(
      environment: Environment,
      chargeId: string,
    ): Promise<{ revision: number; busy: boolean }> {
      const row = await db
        .selectFrom('chargeTurns')
        .select(['revision', 'operationId'])
        .where('environment', '=', environment)
        .where('chargeId', '=', chargeId)
        .executeTakeFirst();
      return row === undefined
        ? { revision: 0, busy: false }
        : { revision: row.revision, busy: row.operationId !== undefined };
    },

    /**
     * Records an operation and claims the charge for it. `stale`: another operation has started
     * since `revision` was read; `key-taken`: the key belongs to a request that has not provably
     * failed.
     */
    async beginChargeOperation(
      operation: NewChargeOperation,
      revision: number,
      now: number,
      leaseUntil: number,
    ): Promise<'begun' | 'stale' | 'key-taken'> {
      try {
        await transact((tx) => beginOperation(tx, operation, revision, now, leaseUntil));
        const { id, kind, environment, merchantOrderId, merchantTransactionId } = operation;
        sent.add({ id, kind, environment, merchantOrderId, merchantTransactionId, sentAt: now });
        return 'begun';
      } catch (error) {
        if (error instanceof Undo) return error.result;
        throw error;
      }
    },

    /**
     * Writes the outcome of an operation with its ledger entries, and releases the charge unless
     * the outcome is unknown. Returns false when the operation had already ended or was sent again
     * since.
     */
    endChargeOperation: (end: EndChargeOperation): Promise<boolean> =>
      transact((tx) => endOperation(tx, end)),

    async dueChargeOperations(
      environment: Environment,
      now: number,
      limit: number,
    ): Promise<ChargeOperationRow[]> {
      const rows = await db
        .selectFrom('chargeOperations')
        .selectAll()
        .where('environment', '=', environment)
        .where('attentionAt', '<=', now)
        .orderBy('attentionAt')
        .limit(limit)
        .execute();
      return rows.map(toOperation);
    },

    claimChargeOperation: worklist(db, 'chargeOperations').claim,
  };
}

const operationKind = z.enum(chargeOperationKinds);

export function toOperation(columns: Selectable<ChargeOperationsTable>): ChargeOperationRow {
  const { amount, currency, withCharge, resolvedBy, resolutionNote, ...row } = columns;
  return {
    ...row,
    environment: environmentSchema.parse(row.environment),
    kind: operationKind.parse(row.kind),
    amount:
      amount === undefined || currency === undefined ? undefined : { value: amount, currency },
    state: attemptState.parse(row.state),
    isWithCharge: withCharge === 1,
    problem: parseProblem(row.problem),
    resolution:
      resolvedBy === undefined || resolutionNote === undefined
        ? undefined
        : { by: resolvedBy, note: resolutionNote },
  };
}
