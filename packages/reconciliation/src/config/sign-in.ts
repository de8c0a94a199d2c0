import { isPlainOverNetwork } from '@financing-checkout/kit/env';
import type { Scope } from './tokens.ts';
import type { ReconciliationEnvironment, StatedSettings } from './variables.ts';

/** The OpenID provider through which people sign in to the console. */
export interface SignInSettings extends NonNullable<StatedSettings['signIn']> {
  clientId: string;
  /** Provider name for the sign-in button. */
  label: string;
  /** The console's public URL, with which the redirect URIs begin. */
  url: string;
  roles: ReadonlyMap<string, readonly Scope[]>;
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

/** Validates and completes the sign-in settings. Returns undefined if none are configured. */
export function readSignIn(
  env: ReconciliationEnvironment,
  { listener: { url = '' }, signIn, tokenSignIn }: StatedSettings,
): SignInSettings | undefined {
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
    return undefined;
  }
  for (const name of needed)
    if (!env.isNamed(name)) env.problem(name, `is required with ${ISSUER}`);
  if (url !== '' && isPlainOverNetwork(url)) {
    env.problem(
      'RECONCILIATION_URL',
      'is plain http to another machine: a sign-in could be read and changed on the way. Use https',
    );
  }
  if (signIn === undefined) return undefined;
  const { clientId = '', label = new URL(signIn.issuer).host, roles = new Map() } = signIn;
  return { ...signIn, clientId, label, roles, url };
}
