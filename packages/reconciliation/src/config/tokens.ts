import type { StatedToken, VariableType } from '@financing-checkout/kit/env';

/**
 * Permissions of an access token. Each includes `read`.
 *
 * - `read`: read everything.
 * - `cases`: work on cases, resend alerts.
 * - `sync`: read fundings from the companion.
 * - `imports`: import, check and withdraw ledger lines, which changes what lenders owe.
 * - `rebuild`: rebuild the analytics database, during which the process answers no query.
 * - `periods`: prepare, approve and reopen a period's close. With an OpenID provider, no token has
 *   `periods` or `money`.
 * - `money`: settle, refund and void charges through the companion, resolve such an operation, and
 *   resend the companion's messages to the shop.
 */
export const scopes = ['read', 'cases', 'sync', 'imports', 'rebuild', 'periods', 'money'] as const;
export type Scope = (typeof scopes)[number];

/**
 * Scopes of programs and of the console on this machine when no token is configured. They allow no
 * change outside this program. `money` is excluded, because every process and user of the machine
 * has these scopes.
 */
export const localScopes = [
  'cases',
  'sync',
  'imports',
  'rebuild',
  'periods',
] as const satisfies readonly Scope[];

/** A bearer token for the API, with its owner's name in the audit trail. */
export type AccessToken = StatedToken<Scope>;

/** Names that no token may have, because automatic changes are recorded under them. */
export const reservedNames = ['reconciliation'] as const;

/**
 * Scopes that no token may have when there is an OpenID provider. A token does not identify its
 * holder, so a person with both a token and an account would count as two.
 */
export const scopesOfPeople = ['periods', 'money'] as const satisfies readonly Scope[];

/**
 * Roles: one per line, or separated by ";". The last word lists the scopes, so that a value may
 * contain spaces.
 */
export const roleLines: VariableType<ReadonlyMap<string, readonly Scope[]>> = {
  read(text, { refuse }) {
    const isScope = (word: string): word is Scope => scopes.some((scope) => scope === word);
    const roles = new Map<string, readonly Scope[]>();
    const lines = text
      .split(/[\n;]/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
    for (const [index, line] of lines.entries()) {
      const [, value = '', listed = ''] = /^(.*\S)\s+(\S+)$/.exec(line) ?? [];
      const given = listed.split(',');
      const wrong =
        value === ''
          ? 'is not a value of the claim and its scopes, separated by a space'
          : !given.every(isScope)
            ? `has another scope than ${scopes.join(', ')}`
            : roles.has(value)
              ? 'has the value of an earlier one'
              : undefined;
      if (wrong === undefined) roles.set(value, given.filter(isScope));
      else refuse(`role ${index + 1} ${wrong}`);
    }
    return roles;
  },
  rule: 'must list values of the claim with their scopes',
};
