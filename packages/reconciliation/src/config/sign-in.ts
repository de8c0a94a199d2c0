import type { Secret } from '@financing-checkout/kit';
import { isPlainOverNetwork } from '@financing-checkout/kit/env';
import { type Scope, scopes } from './tokens.ts';
import type { ReconciliationEnvironment } from './variables.ts';

/** The OpenID provider through which people sign in to the console. */
export interface SignInSettings {
  /** Issuer identifier, exactly as the provider states it. */
  issuer: string;
  clientId: string;
  /** Undefined: a public client, which PKCE alone protects. */
  clientSecret: Secret | undefined;
  /** Name of the provider on the button. */
  label: string;
  /** The console's public URL, which the redirect URIs begin with. */
  url: string;
  /** OAuth scopes of the request. */
  scope: string;
  /** Path of the claim with roles or groups. */
  rolesClaim: string;
  /** Scopes of this program by value of that claim. */
  roles: ReadonlyMap<string, readonly Scope[]>;
  /** Path of the claim with the name for the trail. */
  nameClaim: string;
  /** Interval at which the provider has to confirm a session, in milliseconds. */
  recheckMs: number;
}

const ISSUER = 'RECONCILIATION_OIDC_ISSUER';
const ROLES = 'RECONCILIATION_OIDC_ROLES';
const needed = ['RECONCILIATION_OIDC_CLIENT_ID', ROLES, 'RECONCILIATION_URL'] as const;
const alone = [
  'RECONCILIATION_OIDC_CLIENT_ID',
  'RECONCILIATION_OIDC_CLIENT_SECRET',
  'RECONCILIATION_OIDC_LABEL',
  ROLES,
] as const;

/** Reads the variables of the sign-in. Undefined: none is configured. */
export function readSignIn(env: ReconciliationEnvironment): {
  signIn: SignInSettings | undefined;
  /** Whether people may also sign in to the console with a token. */
  tokenSignIn: boolean;
} {
  const tokenSignIn = env.read('RECONCILIATION_TOKEN_SIGN_IN');
  if (!env.isNamed(ISSUER)) {
    for (const name of alone) {
      if (env.isNamed(name)) env.problem(name, `needs ${ISSUER}`);
    }
    if (!tokenSignIn) {
      env.problem(
        'RECONCILIATION_TOKEN_SIGN_IN',
        `is false without ${ISSUER}, so no one could sign in`,
      );
    }
    return { signIn: undefined, tokenSignIn };
  }
  for (const name of needed)
    if (!env.isNamed(name)) env.problem(name, `is required with ${ISSUER}`);
  const issuer = env.read(ISSUER) ?? '';
  const url = env.read('RECONCILIATION_URL') ?? '';
  if (url !== '' && isPlainOverNetwork(url)) {
    env.problem(
      'RECONCILIATION_URL',
      'is plain http to another machine: a sign-in could be read and changed on the way. Use https',
    );
  }
  const scope = env.read('RECONCILIATION_OIDC_SCOPE');
  const settings: SignInSettings = {
    issuer,
    clientId: env.read('RECONCILIATION_OIDC_CLIENT_ID') ?? '',
    clientSecret: env.read('RECONCILIATION_OIDC_CLIENT_SECRET'),
    label: env.read('RECONCILIATION_OIDC_LABEL') ?? (issuer === '' ? '' : new URL(issuer).host),
    url,
    scope,
    rolesClaim: env.read('RECONCILIATION_OIDC_ROLES_CLAIM'),
    roles: readRoles(env),
    nameClaim: env.read('RECONCILIATION_OIDC_NAME_CLAIM'),
    recheckMs: env.read('RECONCILIATION_OIDC_RECHECK_MINUTES') * 60_000,
  };
  return { signIn: settings, tokenSignIn };
}

/**
 * Reads the roles: one per line, or separated by ";". The last word is the scopes, so that a value
 * may contain spaces.
 */
function readRoles(env: ReconciliationEnvironment): Map<string, readonly Scope[]> {
  const isScope = (word: string): word is Scope => scopes.some((scope) => scope === word);
  const roles = new Map<string, readonly Scope[]>();
  const lines = (env.read(ROLES) ?? '')
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
    else env.problem(ROLES, `role ${index + 1} ${wrong}`);
  }
  return roles;
}
