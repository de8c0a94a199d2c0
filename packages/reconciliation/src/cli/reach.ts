import { readFileSync } from 'node:fs';
import {
  CommandFailure,
  type Connection,
  exitCodes,
  listenerUrl,
  readPeerAddress,
  reasonOf,
} from '@financing-checkout/kit/cli';
import { failureCode } from '@financing-checkout/kit';
import { ConfigurationError } from '@financing-checkout/kit/env';
import { readConfiguration } from '../config/config.ts';
import { environmentOf } from '../config/variables.ts';
import { ownDataOf, requireOwnProgram } from './own-program.ts';
import { peer } from './peer.ts';
import type { Shell } from './shell.ts';

/** A command's connection to the HTTP API: over the network, or to a program in the same process. */
interface Api extends Connection {
  close: () => Promise<void>;
}

const apis = new WeakMap<Shell, Promise<Api>>();

/**
 * Connects to the API of a running `serve`, at RECONCILIATION_URL or on this machine
 * (RECONCILIATION_HOST and RECONCILIATION_PORT), if that process has the command's own data. If
 * none is running and no URL is set, takes the lease and opens the data in this process, which
 * serves the same routes.
 * @throws {CommandFailure}
 */
export function reach(shell: Shell): Promise<Api> {
  const known = apis.get(shell);
  if (known) return known;
  const found = find(shell);
  apis.set(shell, found);
  return found;
}

/** Closes the connection of {@link reach}, if there is one. */
export async function release(shell: Shell): Promise<void> {
  const api = apis.get(shell);
  apis.delete(shell);
  await api?.then(
    ({ close }) => close(),
    () => undefined,
  );
}

async function find(shell: Shell): Promise<Api> {
  const { url, token, isSet } = addressOf(shell.env);
  if (!isSet && !(await isListening(shell, url))) return openHere(shell, url);
  const own = ownDataOf(shell.env);
  const remote: Api = {
    peer,
    url,
    token,
    environment: own.environment,
    fetch: (path, init) => shell.fetch(url + path, init),
    close: () => Promise.resolve(),
  };
  await requireOwnProgram(own, remote);
  return remote;
}

/**
 * Returns whether a program is listening. An unclear response counts as a program and is reported
 * later.
 */
async function isListening(shell: Shell, base: string): Promise<boolean> {
  // Port 0 means any free port, which only `serve` knows.
  if (base.endsWith(':0')) return false;
  try {
    const answer = await shell.fetch(`${base}/livez`, { signal: AbortSignal.timeout(5_000) });
    await answer.body?.cancel();
    return true;
  } catch (error) {
    return failureCode(error) !== 'ECONNREFUSED';
  }
}

/** Opens the program in this process. */
async function openHere(shell: Shell, base: string): Promise<Api> {
  let configuration;
  try {
    configuration = readConfiguration(shell.env, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new CommandFailure(
      `No program listens at ${base}, so the command opens the data itself. Start "financing-reconcile serve", set RECONCILIATION_URL, or complete the configuration. ${error.message}`,
      exitCodes.configuration,
    );
  }
  const { createProgram } = await import('../program.ts');
  const { createPinoLogger, logDestination } = await import('../platform/log.ts');
  const destination = logDestination(2);
  const logger = createPinoLogger({ level: 'error', format: 'text', destination });
  // Tokens would add no protection: this user can read the files anyway.
  const program = createProgram({ ...configuration, tokens: [] }, { logger });
  try {
    await program.start({ mode: 'command' });
  } catch (error) {
    await program.stop().catch(() => undefined);
    throw new CommandFailure(
      `No program listens at ${base}, and the data cannot be opened here: ${reasonOf(error)}`,
      exitCodes.unavailable,
    );
  }
  return {
    peer,
    url: 'this process',
    token: undefined,
    environment: configuration.environment,
    fetch: async (path, init) => program.app.request(`http://localhost${path}`, init),
    close: () => program.stop(),
  };
}

function addressOf(env: Shell['env']) {
  const reader = environmentOf(env, (path) => readFileSync(path, 'utf8'));
  const names = {
    url: 'RECONCILIATION_URL',
    token: 'RECONCILIATION_TOKEN',
    insecure: 'RECONCILIATION_INSECURE',
  } as const;
  return readPeerAddress(reader, names, () =>
    listenerUrl(reader.read('RECONCILIATION_HOST'), reader.read('RECONCILIATION_PORT')),
  );
}
