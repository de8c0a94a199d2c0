import { existsSync, readFileSync } from 'node:fs';
import type { Environment } from '@financing-checkout/contract';
import { call, CommandFailure, type Connection, exitCodes } from '@financing-checkout/kit/cli';
import { environmentOf } from '../config/variables.ts';
import { fullName, readStore, type StoreLocation } from '../config/store.ts';
import { readStoreId } from '../facts/open.ts';
import { statusSchema } from '../http/schemas.ts';
import type { Shell } from './shell.ts';

/** The data that a command's environment variables select. */
interface OwnData {
  environment: Environment | undefined;
  store: StoreLocation | undefined;
}

const identity = statusSchema.pick({ environment: true, store: true });

/**
 * Compares the program at a URL with the command's variables before anything else is read or
 * written: a program for another store may listen on the same port. Skips what the variables do not
 * set, because a URL and a token are all that a command needs.
 * @throws {CommandFailure} with the names of both stores or environments
 */
export async function requireOwnProgram(
  { env }: Pick<Shell, 'env'>,
  api: Connection,
): Promise<void> {
  const own = ownDataOf(env);
  if (own.environment === undefined && own.store === undefined) return;
  const { environment, store } = await call(api, {
    method: 'GET',
    path: '/status',
    schema: identity,
  });
  if (own.environment !== undefined && own.environment !== environment) {
    throw other(
      api,
      `uses the environment "${environment}"`,
      `RECONCILIATION_ENVIRONMENT is "${own.environment}"`,
    );
  }
  if (own.store === undefined) return;
  const name = fullName(own.store);
  // The command cannot read the ID of a store in another user's file, or in a database that only
  // the program can reach. It compares the names in that case.
  const id = await readStoreId(own.store.url.reveal());
  if (id === undefined ? name === store.name : id === store.id) return;
  throw other(
    api,
    `uses the record store ${store.name}`,
    `RECONCILIATION_STORE is ${name}${id === undefined ? ', which cannot be read here' : ''}`,
  );
}

function other({ url }: Connection, theirs: string, ours: string): CommandFailure {
  return new CommandFailure(
    `The program at ${url} ${theirs}, and the command's ${ours}. Nothing was read or written. Set RECONCILIATION_URL, or RECONCILIATION_PORT, to the address of the program that you mean, or run the command with the variables of the program at ${url}.`,
    exitCodes.configuration,
  );
}

/**
 * Includes the default store if it exists, because the command would open it if no program
 * listened.
 */
function ownDataOf(env: Shell['env']): OwnData {
  const reader = environmentOf(env, (path) => readFileSync(path, 'utf8'));
  const hasEnvironment = reader.isNamed('RECONCILIATION_ENVIRONMENT');
  const environment = hasEnvironment ? reader.read('RECONCILIATION_ENVIRONMENT') : undefined;
  const store = readStore(reader);
  reader.refuseProblems();
  const isOwn =
    reader.isNamed('RECONCILIATION_STORE') ||
    (hasEnvironment && store !== undefined && existsSync(fullName(store)));
  return { environment, store: isOwn ? store : undefined };
}
