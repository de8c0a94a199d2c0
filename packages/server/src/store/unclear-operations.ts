import type { Environment } from '@financing-checkout/contract';
import type { ChargeOperationRow } from './charge-operations.ts';
import type { Database } from './database.ts';
import { toOperation } from './rows.ts';

/** Milliseconds after which a person looks at a settle that was requested with its charge. */
const PENDING_MS = 86_400_000;

export interface UnclearOperationsQuery {
  environment: Environment;
  /** Milliseconds: sent at or before this moment; pending for a day at it. */
  sentBy: number;
  /** Operations with a greater id. */
  after?: string | undefined;
  limit: number;
}

export interface UnclearOperationStore {
  findOperationById(environment: Environment, id: string): Promise<ChargeOperationRow | undefined>;
  /** Says why an operation whose outcome is unknown stays so. Of another one nothing is changed. */
  markUnclear(id: string, reason: string, now: number): Promise<void>;
  /**
   * Operations whose outcome is unknown, and settles that were requested with their charge and are
   * pending for a day, in the order of their ids: the oldest first.
   */
  unclearOperations(query: UnclearOperationsQuery): Promise<ChargeOperationRow[]>;
}

/** Operations on charges of which the companion cannot find out what became. */
export function unclearOperations({ db }: Database): UnclearOperationStore {
  return {
    async findOperationById(environment, id) {
      const row = await db
        .selectFrom('charge_operations')
        .selectAll()
        .where('id', '=', id)
        .where('environment', '=', environment)
        .executeTakeFirst();
      return row && toOperation(row);
    },

    async markUnclear(id, reason, now) {
      await db
        .updateTable('charge_operations')
        .set({ reason, updated_at: now })
        .where('id', '=', id)
        .where('state', '=', 'unknown')
        .execute();
    },

    async unclearOperations({ environment, sentBy, after = '', limit }) {
      const rows = await db
        .selectFrom('charge_operations')
        .selectAll()
        // What is unknown is looked up for ever, and the index of that is short. Beside the order by
        // id it would not be used.
        .where('id', 'in', (eb) =>
          eb.selectFrom('charge_operations').select('id').where('attention_at', '>', 0),
        )
        .where((eb) =>
          eb.or([
            eb.and([eb('state', '=', 'unknown'), eb('sent_at', '<=', sentBy)]),
            eb.and([
              eb('state', '=', 'accepted'),
              eb('with_charge', '=', 1),
              eb('reason', '=', 'pending'),
              eb('sent_at', '<=', sentBy - PENDING_MS),
            ]),
          ]),
        )
        .where('environment', '=', environment)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toOperation);
    },
  };
}
