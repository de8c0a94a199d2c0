import type { CompiledQuery, Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

/** What a statement brought, or how many rows it wrote where it brings none. */
export interface Done {
  rows: readonly unknown[];
  written: number;
}

/**
 * A transaction, as the statements it consists of: each is yielded and answered, and what is
 * returned is the transaction's result. It waits for nothing else, so a database in this process
 * runs it in one go, together with others; one on the network is asked step by step. It may be begun
 * again after a conflict.
 */
export type Unit<Result> = () => Generator<CompiledQuery, Result, Done>;

/** A unit, and how another thread makes it: by its name, of a copy of what it is made of. */
export interface NamedUnit<Result> {
  name: string;
  /** As JSON can say it. */
  input: unknown;
  unit: Unit<Result>;
}

/** How units are run. */
export interface Units {
  /** Runs one as a transaction: on disk when the promise resolves, or nothing of it is. */
  write<Result>(named: NamedUnit<Result>): Promise<Result>;
  /** One statement that only reads what is committed. */
  read<Row>(query: CompiledQuery<Row>): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** One statement of a unit, with its rows. */
export function* rowsOf<Row>(
  query: CompiledQuery<Row>,
): Generator<CompiledQuery, readonly Row[], Done> {
  return (yield query).rows as readonly Row[];
}

/** Runs a unit with a database that answers at once. */
export function runUnit<Result>(
  unit: Unit<Result>,
  execute: (query: CompiledQuery) => Done,
): Result {
  const steps = unit();
  for (let step = steps.next(); ;) {
    if (step.done) return step.value;
    step = steps.next(execute(step.value));
  }
}

/** Units over any Kysely dialect: one statement after the other, in a transaction. */
export function kyselyUnits(db: Kysely<Schema>, transact: Database['transact']): Units {
  return {
    write: ({ unit }) =>
      transact(async (tx) => {
        const steps = unit();
        for (let step = steps.next(); ;) {
          if (step.done) return step.value;
          const { rows, numAffectedRows = 0 } = await tx.executeQuery(step.value);
          step = steps.next({ rows, written: Number(numAffectedRows) });
        }
      }),
    async read(query) {
      return (await db.executeQuery(query)).rows;
    },
    close: () => Promise.resolve(),
  };
}
