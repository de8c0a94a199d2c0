import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Schema } from '../store/schema.ts';
import {
  makeUnit,
  runUnit,
  storeUnits,
  type UnitInput,
  type UnitName,
  type UnitResult,
} from '../store/units.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Statements } from './sqlite-file.ts';

/** Builds the statements of units, and runs none. */
const builder = new Kysely<Schema>({
  dialect: {
    createDriver: () => new DummyDriver(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  },
});

/** Runs units over a connection of this thread, those of one moment in one transaction. */
export class UnitRunner {
  readonly #units = storeUnits(builder);
  readonly #statements: Statements;
  readonly #writes: GroupCommit;

  constructor(statements: Statements, writes: GroupCommit) {
    this.#statements = statements;
    this.#writes = writes;
  }

  /** Resolves when the unit is on disk. What it throws undoes it alone. */
  write<Name extends UnitName>(name: Name, input: UnitInput<Name>): Promise<UnitResult<Name>> {
    const unit = makeUnit(this.#units, name, input);
    return this.#writes.run(() => runUnit(unit, (query) => this.#statements.rows(query)));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
