import type { Dialect } from 'kysely';
import { Kysely } from 'kysely';
import { attempts } from './attempts.ts';
import { attention } from './attention.ts';
import { chargeOperations } from './charge-operations.ts';
import { checkouts } from './checkouts.ts';
import { type Database, transactions } from './database.ts';
import { idempotency } from './idempotency.ts';
import { ledger } from './ledger.ts';
import { notifications } from './notifications.ts';
import { orderClaims } from './order-claims.ts';
import { outbox } from './outbox.ts';
import { pruning } from './retention.ts';
import { refusals } from './refusals.ts';
import type { Schema } from './schema.ts';
import type { Store } from './store.ts';
import { tickets } from './tickets.ts';
import { trace } from './trace.ts';
import { unclearOperations } from './unclear-operations.ts';
import { tellingUnavailable } from '../platform/store-errors.ts';
import { kyselyUnits, type Units } from './units.ts';
import { applyPending, readVersion } from './version.ts';

/** A database that Kysely speaks to. */
export interface KyselyStoreOptions {
  dialect: Dialect & { units?: Units };
  /** The same database without time limits, for migrations. @default dialect */
  migrationDialect?: Dialect;
  /** Whether changes are put in the outbox: off when there is nobody to tell. @default true */
  outbox?: boolean;
}

/**
 * The store over any Kysely dialect. No statement depends on reading before writing without a
 * condition in the write itself, so it holds under SQLite's one writer and under PostgreSQL's
 * READ COMMITTED.
 */
export function createKyselyStore(options: KyselyStoreOptions): Store {
  const db = new Kysely<Schema>({ dialect: options.dialect });
  const transact = transactions(db);
  const units = options.dialect.units ?? kyselyUnits(db, transact);
  const database: Database = {
    db,
    transact,
    units,
    outbox: options.outbox ?? true,
  };

  return {
    async migrate() {
      if (options.migrationDialect === undefined) return applyPending(db);
      const patient = new Kysely<Schema>({ dialect: options.migrationDialect });
      try {
        return await applyPending(patient);
      } finally {
        await patient.destroy();
      }
    },
    version: () => readVersion(db),
    async ping() {
      // One that is full, or a standby, still answers questions, and keeps nothing.
      await db
        .insertInto('pings')
        .values({ id: 1 })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ id: 1 }))
        .execute();
    },
    async close() {
      await db.destroy();
      await units.close();
    },
    ...tellingUnavailable(operationsOf(database)),
  };
}

function operationsOf(database: Database) {
  return {
    ...idempotency(database),
    ...checkouts(database),
    ...orderClaims(database),
    ...attempts(database),
    ...attention(database),
    ...outbox(database),
    ...pruning(database),
    ...chargeOperations(database),
    ...unclearOperations(database),
    ...ledger(database),
    ...notifications(database),
    ...tickets(database),
    ...refusals(database),
    ...trace(database),
  };
}
