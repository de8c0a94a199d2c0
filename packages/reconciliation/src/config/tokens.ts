import { type AccessToken as KitToken, isTokenName, Secret } from '@financing-checkout/kit';
import type { EnvironmentReader } from './reader.ts';
import { isToken, TOKEN_RULE } from './values.ts';

/**
 * Permissions of an access token. Each includes `read`.
 *
 * - `read`: read everything.
 * - `cases`: work on cases, resend alerts.
 * - `sync`: read fundings from the companion.
 * - `imports`: import, check and withdraw ledger lines, which changes what lenders owe.
 * - `rebuild`: rebuild the analytics database, during which the process answers no query.
 * - `money`: settle, refund and void charges through the companion, resolve such an operation, and
 *   send the companion's messages to the shop again.
 */
export const scopes = ['read', 'cases', 'sync', 'imports', 'rebuild', 'money'] as const;
export type Scope = (typeof scopes)[number];

/**
 * Scopes of programs and the console on this machine when no token is configured. They change nothing
 * outside this program. `money` is none of them: every process and every user of the machine has them.
 */
export const localScopes = [
  'cases',
  'sync',
  'imports',
  'rebuild',
] as const satisfies readonly Scope[];

/** A bearer token of the API, and its owner's name in the audit trail. */
export interface AccessToken extends KitToken<Scope> {
  secret: Secret;
}

/** Names that no token may have: the actor of automatic changes. */
export const reservedNames = ['reconciliation'] as const;

const NAME = 'RECONCILIATION_TOKENS';
const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text);

/**
 * Reads one token per line: name, comma-separated scopes, token. Lines that begin with # are
 * comments.
 */
export function readTokens(env: EnvironmentReader): AccessToken[] {
  const text = env.secret(NAME);
  const lines = (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (text !== undefined && lines.length === 0) env.problem(NAME, 'contains no token');
  const tokens = lines.flatMap((line, index) => {
    const [name = '', listed = '', token = '', ...rest] = line.split(/\s+/);
    const named = listed.split(',');
    const wrong =
      rest.length > 0 || token === ''
        ? 'is not a name, scopes and a token, separated by spaces'
        : !isTokenName(name, reservedNames)
          ? 'has an invalid name: use letters, digits, "-", "_" and "."'
          : !named.every(isScope)
            ? `has another scope than ${scopes.join(', ')}`
            : isToken(token)
              ? undefined
              : `has a token that is not ${TOKEN_RULE}`;
    if (wrong === undefined) {
      return [{ name, scopes: named.filter(isScope), secret: new Secret(token) }];
    }
    env.problem(NAME, `token ${index + 1} ${wrong}`);
    return [];
  });
  const hasTwice = (values: readonly string[]) => new Set(values).size < values.length;
  if (hasTwice(tokens.map(({ name }) => name))) env.problem(NAME, 'contains a name twice');
  if (hasTwice(tokens.map(({ secret }) => secret.reveal()))) {
    env.problem(NAME, 'contains a token twice');
  }
  return tokens;
}
