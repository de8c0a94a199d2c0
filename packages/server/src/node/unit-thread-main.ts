import { parentPort, workerData } from 'node:worker_threads';
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { primeUnits } from '../store/prime-units.ts';
import type { Schema } from '../store/schema.ts';
import { runUnit, type Unit } from '../store/units.ts';
import { GroupCommit, inodeOf, movedError } from './group-commit.ts';
import { openWriter, Statements } from './sqlite-file.ts';
import type { Answer, Order, SentError, UnitThreadData } from './unit-thread.ts';

/** Builds the statements of units, and runs none. */
const builder = new Kysely<Schema>({
  dialect: {
    createDriver: () => new DummyDriver(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  },
});

/** By name. The input of each comes from the one who makes the same unit beside it. */
const units = new Map<string, (input: never) => Unit<unknown>>(Object.entries(primeUnits(builder)));

/** Commits what a message brings at once, and answers all of it in one. */
function work({ file, inode }: UnitThreadData): void {
  const port = parentPort;
  if (!port) throw new Error('This file is the main file of a thread.');
  // Before it is opened: where there is none SQLite would make one, and go on with it for good.
  if (inode !== undefined && inodeOf(file) !== inode) throw movedError();
  const database = openWriter(file);
  const statements = new Statements(database);
  const writes = new GroupCommit(database);

  function resultOf({ name, input }: Order): unknown {
    const unit = units.get(name)?.(input as never);
    if (!unit) throw new Error('There is no unit of this name.');
    return runUnit(unit, (query) => statements.do(query));
  }

  port.on('message', (message: string) => {
    if (message === 'stop') {
      database.close();
      port.close();
      return;
    }
    const orders = JSON.parse(message) as Order[];
    const answers: Answer[] = [];
    const answer = (answered: Answer) => {
      if (answers.push(answered) < orders.length) return;
      // One that fails hears so in the middle of the transaction, which still holds the file.
      queueMicrotask(() => port.postMessage(JSON.stringify(answers)));
    };
    for (const order of orders) {
      const { id } = order;
      let result: unknown;
      writes.add(
        () => {
          result = resultOf(order);
        },
        {
          resolve: () => answer({ id, result }),
          reject: (error) => answer({ id, error: sentError(error) }),
        },
      );
    }
  });
}

function sentError(error: Partial<SentError>): SentError {
  const { message = 'The write failed.', code, errcode } = error;
  return { message, code, errcode };
}

work(workerData as UnitThreadData);
