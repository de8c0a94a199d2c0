import { existsSync, readFileSync } from 'node:fs';
import type { Environment } from '@financing-checkout/contract/storefront';
import { call, CommandFailure, type Connection, exitCodes } from '@financing-checkout/kit/cli';
import { environmentOf } from '../config/variables.ts';
import { fullName, type StoreLocation } from '../config/store.ts';
import { readStoreId } from '../facts/open.ts';
import { statusSchema } from '../http/schemas.ts';
import type { Shell } from './shell.ts';

/** The data that a command's environment variables select. */
interface OwnData {
  environment: Environment | undefined;
  store: StoreLocation | undefined;
}

const identity = statusSchema.pick({ store: true });

/**
 * Compares the store of the program at a URL with the command's own before reading or writing
 * anything else: a program for another store may listen on the same port. Skips this if the
 * variables name no store, because a URL and a token are all that a command needs. Each request
 * compares the environment anyway.
 * @throws {CommandFailure} with the names of both stores
 */
export async function requireOwnProgram(own: OwnData, api: Connection): Promise<void> {
  if (own.store === undefined) return;
  const { store } = await call(api, { method: 'GET', path: '/status', schema: identity });
  const name = fullName(own.store);
  // If the store is another user's file, or a database that only the program can reach, the command
  // cannot read its ID and compares names instead.
  const id = await readStoreId(own.store.url.reveal());
  if (id === undefined ? name === store.name : id === store.id) return;
  const unread = id === undefined ? ', which cannot be read here' : '';
  throw new CommandFailure(
    `The program at ${api.url} uses the record store ${store.name}, and the command's RECONCILIATION_STORE is ${name}${unread}. Nothing was read or written. Set RECONCILIATION_URL, or RECONCILIATION_PORT, to the address of the program that you mean, or run the command with the variables of the program at ${api.url}.`,
    exitCodes.configuration,
  );
}

/**
 * Returns the data that a command's variables select. Includes the default store if it exists,
 * because the command would open it if no program were listening.
 */
export function ownDataOf(env: Shell['env']): OwnData {
  const reader = environmentOf(env, (path) => readFileSync(path, 'utf8'));
  const hasEnvironment = reader.isNamed('RECONCILIATION_ENVIRONMENT');
  const environment = hasEnvironment ? reader.read('RECONCILIATION_ENVIRONMENT') : undefined;
  const store = reader.read('RECONCILIATION_STORE');
  reader.refuseProblems();
  const isOwn =
    reader.isNamed('RECONCILIATION_STORE') || (hasEnvironment && existsSync(fullName(store)));
  return { environment, store: isOwn ? store : undefined };
}
