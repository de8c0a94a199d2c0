import type { Dialect } from 'kysely';
import { Kysely } from 'kysely';
import { attempts } from './attempts.ts';
import { chargeOperations } from './charge-operations.ts';
import { checkoutChanges } from './checkout-changes.ts';
import { checkouts } from './checkouts.ts';
import { type Database, transactions } from './database.ts';
import { deliveries } from './deliveries.ts';
import { ledger } from './ledger.ts';
import { links } from './links.ts';
import { losses } from './losses.ts';
import { notifications } from './notifications.ts';
import { orderClaims } from './order-claims.ts';
import { orderCurrencies } from './order-currencies.ts';
import { prequalifications } from './prequalifications.ts';
import { primes } from './primes.ts';
import { pruning } from './retention.ts';
import { type Schema, storeRows } from './schema.ts';
import { sentRequests } from './sent-requests.ts';
import { tickets } from './tickets.ts';
import { trace } from './trace.ts';
import { unclearOperations } from './unclear-operations.ts';
import { isUnavailable, type StoreVersion } from '@financing-checkout/kit/sql';
import { StoreUnavailableError } from '../platform/store-errors.ts';
import { applyPending, readVersion } from './version.ts';

export interface KyselyStoreOptions {
  dialect: Dialect;
  /** The same database without time limits, for migrations. @default dialect */
  migrationDialect?: Dialect;
  /** Whether changes are written to the outbox, for the webhook. @default true */
  outbox?: boolean;
  /** The server behind the newest connection, to detect losses. @default unknown */
  server?: Database['server'];
}

/**
 * Creates the store over any Kysely dialect. A write that depends on an earlier read contains its
 * own condition, so the store is correct with SQLite's one writer and under PostgreSQL's READ
 * COMMITTED.
 */
export function createKyselyStore(options: KyselyStoreOptions) {
  const db = new Kysely<Schema>({ dialect: options.dialect, plugins: [storeRows] });
  const database: Database = {
    db,
    transact: transactions(db),
    outbox: options.outbox ?? true,
    sent: sentRequests(),
    server: options.server ?? { history: undefined },
  };

  return {
    /**
     * Migrates the schema to the current version. Safe to call from several processes concurrently.
     * @returns the names of the migrations that were applied
     * @throws {StoreVersionError} for a store of a newer or an unsupported version of the program
     */
    async migrate(): Promise<string[]> {
      if (options.migrationDialect === undefined) return applyPending(db.withoutPlugins());
      const patient = new Kysely<Schema>({ dialect: options.migrationDialect });
      try {
        return await applyPending(patient);
      } finally {
        await patient.destroy();
      }
    },
    /** Reads the version of the schema. Changes nothing. */
    version: (): Promise<StoreVersion> => readVersion(db.withoutPlugins()),
    /** Writes a row. Rejects when the store cannot be reached or written. */
    async ping(): Promise<void> {
      // A database with a full disk, or a standby, still serves reads but refuses writes.
      await db
        .insertInto('pings')
        .values({ id: 1 })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ id: 1 }))
        .execute();
    },
    close: (): Promise<void> => db.destroy(),
    ...tellingUnavailable(operationsOf(database)),
  };
}

/**
 * Everything that the companion stores. Every method is one transaction: when the promise resolves,
 * the whole transaction is on disk; when it rejects because of the transaction, nothing is.
 */
export type Store = ReturnType<typeof createKyselyStore>;

function operationsOf(database: Database) {
  return {
    ...primes(database),
    ...checkouts(database),
    ...checkoutChanges(database),
    ...orderClaims(database),
    ...orderCurrencies(database),
    ...attempts(database),
    ...deliveries(database),
    ...pruning(database),
    ...chargeOperations(database),
    ...unclearOperations(database),
    ...ledger(database),
    ...links(database),
    ...losses(database),
    ...notifications(database),
    ...tickets(database),
    ...prequalifications(database),
    ...trace(database),
  };
}

/**
 * Wraps methods so that an error from an unusable database becomes a {@link StoreUnavailableError}.
 * Callers need no knowledge of databases, and do not mistake a failure in merchant code for a
 * database error.
 */
function tellingUnavailable<Methods extends object>(methods: Methods): Methods {
  const told = Object.entries(methods).map(([name, value]: [string, unknown]) => {
    if (typeof value === 'function') return [name, telling(value as Method)];
    return [name, typeof value === 'object' && value !== null ? tellingUnavailable(value) : value];
  });
  return Object.fromEntries(told) as Methods;
}

type Method = (...parameters: unknown[]) => unknown;

function telling(method: Method): Method {
  return function tell(...parameters) {
    try {
      const result = method(...parameters);
      return result instanceof Promise ? result.catch(translated) : result;
    } catch (error) {
      return translated(error);
    }
  };
}

function translated(error: unknown): never {
  if (!isUnavailable(error)) throw error;
  throw new StoreUnavailableError('The store cannot be used.', { cause: error });
}
