import { readFileSync } from 'node:fs';
import { readAddress, readConfiguration } from '../config/config.ts';
import { ConfigurationError, EnvironmentReader } from '../config/reader.ts';
import { isApiAddress, isPlainOverNetwork, isToken, TOKEN_RULE } from '../config/values.ts';
import { CommandFailure, exitCodes, reasonOf } from './exit.ts';
import { requireOwnProgram } from './own-program.ts';
import type { Shell } from './shell.ts';
import { failureCode } from './failure-code.ts';

/**
 * The connection of a command to the HTTP API: over the network, or to a program in its own
 * process.
 */
export interface Api {
  /** Name for messages. */
  url: string;
  token: string | undefined;
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  close: () => Promise<void>;
}

const apis = new WeakMap<Shell, Promise<Api>>();

/**
 * Connects to the API of a running `serve`, at RECONCILIATION_URL or where it listens on this
 * machine (RECONCILIATION_HOST and RECONCILIATION_PORT), if it has the command's own data. If none
 * runs and no address is set, takes the lease and opens the data in this process, which answers
 * through the same routes.
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
  const base = url.replace(/\/$/, '');
  const remote: Api = {
    url: base,
    token,
    fetch: (path, init) => shell.fetch(base + path, init),
    close: () => Promise.resolve(),
  };
  if (!isSet && !(await isListening(shell, base))) return openHere(shell, base);
  await requireOwnProgram(shell, remote);
  return remote;
}

/** Returns false if nothing listens. An unclear answer counts as a program, and is reported later. */
async function isListening(shell: Shell, base: string): Promise<boolean> {
  // Any free port: only `serve` knows which one it got.
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
      `No program listens at ${base}, and without a configuration the command cannot open the data itself. Start "financing-reconcile serve", set RECONCILIATION_URL, or complete the configuration:\n${error.problems.map(({ variable, message }) => `  ${variable} ${message}`).join('\n')}`,
      exitCodes.configuration,
    );
  }
  const { createProgram } = await import('../program.ts');
  const { createPinoLogger, logDestination } = await import('../platform/pino-log.ts');
  const destination = logDestination(2);
  const logger = createPinoLogger({ level: 'error', format: 'text', destination });
  // Tokens add no protection here: this user can read the files.
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
    url: 'this process',
    token: undefined,
    fetch: async (path, init) => program.app.request(`http://localhost${path}`, init),
    close: () => program.stop(),
  };
}

function addressOf(env: Shell['env']) {
  const reader = new EnvironmentReader(env, (path) => readFileSync(path, 'utf8'));
  const named = reader.text(
    'RECONCILIATION_URL',
    isApiAddress,
    'must be an http(s) address without user, query or fragment',
  );
  const url = named ?? listenerUrl(readAddress(reader));
  const token = reader.secret('RECONCILIATION_TOKEN');
  if (token !== undefined && !isToken(token)) {
    reader.problem('RECONCILIATION_TOKEN', `must be ${TOKEN_RULE}`);
  }
  const isInsecure =
    reader.choice('RECONCILIATION_INSECURE', ['true', 'false'], 'false') === 'true';
  if (token !== undefined && isPlainOverNetwork(url) && !isInsecure) {
    reader.problem(
      named === undefined ? 'RECONCILIATION_HOST' : 'RECONCILIATION_URL',
      'is plain http to another machine, which exposes the token: use https, or set RECONCILIATION_INSECURE=true if the network is encrypted in another way',
    );
  }
  if (reader.problems.length > 0) {
    const lines = reader.problems.map(({ variable, message }) => `${variable} ${message}`);
    throw new CommandFailure(lines.join('\n'), exitCodes.configuration);
  }
  return { url, token, isSet: named !== undefined };
}

/** Returns the address of a listener; one on all interfaces is reached on this machine. */
function listenerUrl({ host, port }: { host: string; port: number }): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
