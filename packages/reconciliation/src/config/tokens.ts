import { readTokens, refuseDuplicates, type StatedToken } from '@financing-checkout/kit/env';
import type { ReconciliationEnvironment } from './variables.ts';

/**
 * Permissions of an access token. Each includes `read`.
 *
 * - `read`: read everything.
 * - `cases`: work on cases, resend alerts.
 * - `sync`: read fundings from the companion.
 * - `imports`: import, check and withdraw ledger lines, which changes what lenders owe.
 * - `rebuild`: rebuild the analytics database, during which the process answers no query.
 * - `periods`: prepare, approve and reopen the close of a period. With an OpenID provider, no token has
 *   it, nor `money`.
 * - `money`: settle, refund and void charges through the companion, resolve such an operation, and
 *   send the companion's messages to the shop again.
 */
export const scopes = ['read', 'cases', 'sync', 'imports', 'rebuild', 'periods', 'money'] as const;
export type Scope = (typeof scopes)[number];

/**
 * Scopes of programs and of the console on this machine when no token is configured. They change
 * nothing outside this program. `money` is not included, because every process and user of the
 * machine has these scopes.
 */
export const localScopes = [
  'cases',
  'sync',
  'imports',
  'rebuild',
  'periods',
] as const satisfies readonly Scope[];

/** A bearer token of the API, and its owner's name in the audit trail. */
export type AccessToken = StatedToken<Scope>;

/** Names that no token may have, because automatic changes are recorded under them. */
export const reservedNames = ['reconciliation'] as const;

const NAME = 'RECONCILIATION_TOKENS';

/**
 * Scopes that no token may have beside an OpenID provider. A token does not identify its holder, so a
 * person with a token and an account would count as two.
 */
export const scopesOfPeople = ['periods', 'money'] as const satisfies readonly Scope[];

/** Reads RECONCILIATION_TOKENS. */
export function readAccessTokens(env: ReconciliationEnvironment): AccessToken[] {
  const tokens = readTokens(env, NAME, { scopes, reserved: reservedNames });
  refuseDuplicates(env, NAME, tokens);
  if (env.isNamed('RECONCILIATION_OIDC_ISSUER')) refuseScopesOfPeople(env, tokens);
  return tokens;
}

function refuseScopesOfPeople(
  env: ReconciliationEnvironment,
  tokens: readonly AccessToken[],
): void {
  for (const [index, { scopes: given }] of tokens.entries()) {
    const wrong = scopesOfPeople.filter((scope) => given.includes(scope));
    if (wrong.length === 0) continue;
    env.problem(
      NAME,
      `token ${index + 1} has the scope ${wrong.join(' and ')}, which only people have with RECONCILIATION_OIDC_ISSUER: remove it there, and map a role to it in RECONCILIATION_OIDC_ROLES`,
    );
  }
}
