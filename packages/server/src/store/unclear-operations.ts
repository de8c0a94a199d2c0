import type { Environment } from '@financing-checkout/contract/storefront';
import { type ChargeOperationRow, toOperation } from './charge-operations.ts';
import type { Database } from './database.ts';

/** Milliseconds after which a settle that was requested with its charge needs a manual check. */
const PENDING_MS = 86_400_000;

export interface UnclearOperationsQuery {
  environment: Environment;
  /**
   * Timestamp in milliseconds: selects operations that were sent before it or had been pending for
   * a day by then.
   */
  sentBy: number;
  /** Created at or after `from` and before `to`, in milliseconds since 1970. */
  from?: number | undefined;
  to?: number | undefined;
  /** Selects operations with a greater id. */
  after?: string | undefined;
  limit: number;
}

export interface ActorOperationsQuery {
  environment: Environment;
  actor: string;
  after?: string | undefined;
  limit: number;
}

export type UnclearOperationRepository = ReturnType<typeof unclearOperations>;

/** Operations on charges whose outcome the companion cannot determine. */
export function unclearOperations({ db }: Database) {
  return {
    /** Returns operations requested by a token, with greater ids, oldest first. */
    async operationsOfActor({
      environment,
      actor,
      after = '',
      limit,
    }: ActorOperationsQuery): Promise<ChargeOperationRow[]> {
      const rows = await db
        .selectFrom('chargeOperations')
        .selectAll()
        .where('actor', '=', actor)
        .where('environment', '=', environment)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toOperation);
    },

    async operationsWithIds(
      environment: Environment,
      ids: readonly string[],
    ): Promise<ChargeOperationRow[]> {
      const rows = await db
        .selectFrom('chargeOperations')
        .selectAll()
        .where('id', 'in', ids)
        .where('environment', '=', environment)
        .orderBy('id')
        .execute();
      return rows.map(toOperation);
    },

    async findOperationById(
      environment: Environment,
      id: string,
    ): Promise<ChargeOperationRow | undefined> {
      const row = await db
        .selectFrom('chargeOperations')
        .selectAll()
        .where('id', '=', id)
        .where('environment', '=', environment)
        .executeTakeFirst();
      return row && toOperation(row);
    },

    /**
     * Writes why the outcome of an operation stays unknown. An operation with a known outcome stays
     * unchanged.
     */
    async markUnclear(id: string, reason: string, now: number): Promise<void> {
      await db
        .updateTable('chargeOperations')
        .set({ reason, updatedAt: now })
        .where('id', '=', id)
        .where('state', '=', 'unknown')
        .execute();
    },

    /**
     * Returns operations with an unknown outcome, and settles that were requested with their charge
     * and have been pending for a day, oldest first.
     */
    async unclearOperations({
      environment,
      sentBy,
      from = 0,
      to = Number.MAX_SAFE_INTEGER,
      after = '',
      limit,
    }: UnclearOperationsQuery): Promise<ChargeOperationRow[]> {
      const rows = await db
        .selectFrom('chargeOperations')
        .selectAll()
        // Unknown operations are looked up forever, and the index of due operations is short.
        // Without the subquery, `order by id` keeps the database from using that index.
        .where('id', 'in', (eb) =>
          eb.selectFrom('chargeOperations').select('id').where('attentionAt', '>', 0),
        )
        .where((eb) =>
          eb.or([
            eb.and([eb('state', '=', 'unknown'), eb('sentAt', '<=', sentBy)]),
            eb.and([
              eb('state', '=', 'accepted'),
              eb('withCharge', '=', 1),
              eb('reason', '=', 'pending'),
              eb('sentAt', '<=', sentBy - PENDING_MS),
            ]),
          ]),
        )
        .where('environment', '=', environment)
        .where('createdAt', '>=', from)
        .where('createdAt', '<', to)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toOperation);
    },
  };
}
