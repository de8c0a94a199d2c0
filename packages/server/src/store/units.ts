import type { CompiledQuery, Kysely } from 'kysely';
import type { Database } from './database.ts';
import { primeUnits } from './idempotency.ts';
import type { Schema } from './schema.ts';

/**
 * A transaction, as the statements it consists of: each is yielded and answered with its rows, and
 * what is returned is the transaction's result. It waits for nothing else, so a database in this
 * process runs it in one go, together with others; one on the network is asked step by step. It
 * may be begun again after a conflict.
 */
export type Unit<Result> = () => Generator<CompiledQuery, Result, readonly unknown[]>;

/** The units there are, each made of what it is given and nothing else: any thread can make it. */
export type StoreUnits = ReturnType<typeof storeUnits>;
export type UnitName = keyof StoreUnits;
export type UnitInput<Name extends UnitName> = Parameters<StoreUnits[Name]>[0];
export type UnitResult<Name extends UnitName> =
  ReturnType<StoreUnits[Name]> extends Unit<infer Result> ? Result : never;

/** The units of the store. `db` builds their statements, and runs none. */
export function storeUnits(db: Kysely<Schema>) {
  return primeUnits(db);
}

/** How units are run. */
export interface Units {
  /** Runs one as a transaction: on disk when the promise resolves, or nothing of it is. */
  write<Name extends UnitName>(name: Name, input: UnitInput<Name>): Promise<UnitResult<Name>>;
  /** One statement that only reads what is committed. */
  read<Row>(query: CompiledQuery<Row>): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** One unit of {@link storeUnits}, by its name. */
export function makeUnit<Name extends UnitName>(
  units: StoreUnits,
  name: Name,
  input: UnitInput<Name>,
): Unit<UnitResult<Name>> {
  // What a name stands for takes its input: the compiler follows that for one name, not for any.
  const make = units[name] as (input: UnitInput<Name>) => Unit<UnitResult<Name>>;
  return make(input);
}

/** One statement of a unit, with its rows. */
export function* rowsOf<Row>(
  query: CompiledQuery<Row>,
): Generator<CompiledQuery, readonly Row[], readonly unknown[]> {
  return (yield query) as readonly Row[];
}

/** Runs a unit with a database that answers at once. */
export function runUnit<Result>(
  unit: Unit<Result>,
  execute: (query: CompiledQuery) => readonly unknown[],
): Result {
  const steps = unit();
  for (let step = steps.next(); ;) {
    if (step.done) return step.value;
    step = steps.next(execute(step.value));
  }
}

/** Units over any Kysely dialect: one statement after the other, in a transaction. */
export function kyselyUnits(db: Kysely<Schema>, transact: Database['transact']): Units {
  const units = storeUnits(db);
  return {
    write: (name, input) =>
      transact(async (tx) => {
        const steps = makeUnit(units, name, input)();
        for (let step = steps.next(); ;) {
          if (step.done) return step.value;
          const { rows } = await tx.executeQuery(step.value);
          step = steps.next(rows);
        }
      }),
    async read(query) {
      return (await db.executeQuery(query)).rows;
    },
    close: () => Promise.resolve(),
  };
}
