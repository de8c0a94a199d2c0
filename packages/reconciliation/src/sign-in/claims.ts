import { asPersonName } from '@financing-checkout/contract';
import type { SignInSettings } from '../config/sign-in.ts';
import type { Scope } from '../config/tokens.ts';
import { SignInError } from './error.ts';

/** Claims about a person, of the ID token and the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

const isClaims = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the value of a claim. A name with dots may be a path (`realm_access.roles`), a single name
 * (`https://shop.example/roles`), or both.
 */
export function claimAt(claims: unknown, path: string): unknown {
  if (!isClaims(claims)) return undefined;
  if (Object.hasOwn(claims, path)) return claims[path];
  for (const { index } of path.matchAll(/\./g)) {
    const head = path.slice(0, index);
    const found = Object.hasOwn(claims, head)
      ? claimAt(claims[head], path.slice(index + 1))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the values of the claim that are mapped to scopes.
 * @throws {SignInError} `no-role`, if there are none
 */
export function rolesOf(claims: Claims, { roles, rolesClaim }: SignInSettings): string[] {
  // Some providers let people state any address.
  if (rolesClaim === 'email' && claims.email_verified !== true) {
    throw new SignInError('no-role', 'email-not-verified');
  }
  const claim = claimAt(claims, rolesClaim);
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  const mapped = values
    .filter((value) => typeof value === 'string')
    .filter((value) => roles.has(value));
  if (mapped.length > 0) return [...new Set(mapped)];
  throw new SignInError('no-role', claim === undefined ? 'claim-missing' : 'value-not-mapped');
}

/** Returns the scopes of roles; undefined if none of them is mapped any longer. */
export function scopesOf(
  values: readonly string[],
  { roles }: SignInSettings,
): Scope[] | undefined {
  const mapped = values.flatMap((value) => roles.get(value) ?? []);
  return mapped.length === 0 ? undefined : [...new Set(mapped)];
}

const MAX_NAME = 80;

/**
 * Returns a person's name for the trail, which no token and no other notation of the trail can have:
 * `Ada Lovelace`, or `ada (login.example)` for a name that a token may have. A comma separates the
 * owner of a token from the person that a request names, so `Lovelace, Ada` becomes `Lovelace Ada`.
 * @throws {SignInError} `no-name`
 */
export function nameOf(claims: Claims, { issuer, nameClaim }: SignInSettings): string {
  const claim = claimAt(claims, nameClaim);
  if (typeof claim !== 'string') throw new SignInError('no-name', 'claim-missing');
  const name = asPersonName(claim);
  if (!/\p{L}|\p{N}/u.test(name) || name.length > MAX_NAME) {
    throw new SignInError('no-name', 'name-unusable');
  }
  return /^[\w.-]+$/.test(name) ? `${name} (${new URL(issuer).host})` : name;
}
