import type { EnvironmentReader } from '../env/reader.ts';
import { Secret } from '../secret/secret.ts';
import { isPlainOverNetwork } from '../env/values.ts';
import type { VariableTable } from '../env/variable.ts';
import { CommandFailure } from './exit.ts';
import type { Shell } from './shell.ts';

/**
 * Reads the URL of a command's peer and the token for it.
 * @param fallback the URL if the variable is not set
 * @throws {ConfigurationError} including for a token that would cross a network over plain HTTP
 */
export function readPeerAddress<Table extends VariableTable>(
  env: EnvironmentReader<Table>,
  names: Record<'url' | 'token' | 'insecure', keyof Table & string>,
  fallback: () => string,
): { url: string; token: string | undefined; isSet: boolean } {
  const [stated, token] = [env.read(names.url), env.read(names.token)] as unknown[];
  const isSet = env.isNamed(names.url);
  const url = (isSet && typeof stated === 'string' ? stated : fallback()).replace(/\/$/, '');
  if (token instanceof Secret && isPlainOverNetwork(url) && env.read(names.insecure) !== true) {
    env.problem(
      names.url,
      `is plain http to another machine, so the token could be read on the way: use https, or set ${names.insecure}=true if something else encrypts that network`,
    );
  }
  env.refuseProblems();
  return { url, token: token instanceof Secret ? token.reveal() : undefined, isSet };
}

/** Returns a listener's URL. A listener on all interfaces is reached through loopback. */
export function listenerUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Returns the person for whom a command acts, if one is named. A token already names its owner, so
 * the logged-in user is used only without a token: on a server, that user is a service account.
 * @param by the person given on the command line
 * @throws {CommandFailure} if there is neither a person nor a token
 */
export function personOf(
  { env }: Pick<Shell, 'env'>,
  by: string | undefined,
  { variable, hasToken }: { variable: string; hasToken: boolean },
): string | undefined {
  const names = [by, env[variable], ...(hasToken ? [] : [env.USER, env.LOGNAME])];
  const person = names.find((name) => name !== undefined && name.trim() !== '');
  if (person !== undefined || hasToken) return person;
  throw new CommandFailure(`Name the person with --by or ${variable}.`);
}
