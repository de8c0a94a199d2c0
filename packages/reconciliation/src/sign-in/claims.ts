import { asPersonName } from '@financing-checkout/contract/back-office';
import type { SignInSettings } from '../config/sign-in.ts';
import type { Scope } from '../config/tokens.ts';
import { SignInError } from './error.ts';

/** Claims about a person, from the ID token or the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

export const isClaims = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a claim's value. A name with dots may be a path (`realm_access.roles`), a single name
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

/** Some providers send a flag as text. */
const isTrue = (value: unknown) => value === true || value === 'true';

/**
 * Whether claims state the roles. An address counts only if the claims also say that it was
 * verified.
 */
export const statesRoles = (claims: Claims, { rolesClaim }: SignInSettings): boolean =>
  claimAt(claims, rolesClaim) !== undefined &&
  (rolesClaim !== 'email' || claims.email_verified !== undefined);

/**
 * Returns the effective claims, each from the first source that contains it. Objects are not merged
 * across sources.
 */
export function statedClaims(sources: readonly Claims[], settings: SignInSettings): Claims {
  const { nameClaim, rolesClaim } = settings;
  const first = (claim: string) =>
    sources.map((source) => claimAt(source, claim)).find((value) => value !== undefined);
  const ofRoles = sources.find((source) => statesRoles(source, settings));
  return {
    [nameClaim]: first(nameClaim),
    _claim_names: first('_claim_names'),
    [rolesClaim]: ofRoles === undefined ? first(rolesClaim) : claimAt(ofRoles, rolesClaim),
    email_verified: ofRoles?.email_verified,
  };
}

/**
 * Returns the values in a roles claim. A text is one value; a list has its texts; a map has the
 * names whose value is true, "true", or a nonempty map or list (Zitadel states a role's
 * organizations that way). A text that is the JSON of a list or map counts as its content.
 */
function valuesOf(claim: unknown): string[] {
  const value = typeof claim === 'string' ? (listOrMapIn(claim) ?? claim) : claim;
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string');
  if (!isClaims(value)) return [];
  return Object.entries(value).flatMap(([name, given]) =>
    isTrue(given) || (typeof given === 'object' && Object.keys(given ?? {}).length > 0) ? name : [],
  );
}

function listOrMapIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the claim values that are mapped to scopes.
 * @throws {SignInError} `no-role`, `too-many-groups`, if there are none
 */
export function rolesOf(claims: Claims, { roles, rolesClaim }: SignInSettings): string[] {
  // Some providers let people enter any address.
  if (rolesClaim === 'email' && !isTrue(claims.email_verified)) {
    throw new SignInError('no-role', 'email-not-verified');
  }
  const claim = claimAt(claims, rolesClaim);
  const mapped = valuesOf(claim).filter((value) => roles.has(value));
  if (mapped.length > 0) return [...new Set(mapped)];
  // The provider omits a claim that is too large, and says where else to read it.
  if (claim === undefined && claimAt(claims._claim_names, rolesClaim) !== undefined) {
    throw new SignInError('too-many-groups', 'claim-left-out');
  }
  throw new SignInError('no-role', claim === undefined ? 'claim-missing' : 'value-not-mapped');
}

/** Returns the scopes of roles; undefined if none of the roles is mapped any longer. */
export function scopesOf(
  values: readonly string[],
  { roles }: SignInSettings,
): Scope[] | undefined {
  const mapped = values.flatMap((value) => roles.get(value) ?? []);
  return mapped.length === 0 ? undefined : [...new Set(mapped)];
}

const MAX_NAME = 80;

/**
 * Returns a person's name for the trail, which no token or other notation in the trail can have:
 * `Ada Lovelace`, or `ada (login.example)` for a name that a token may have. In the trail, a comma
 * separates a token's owner from the person that a request names, so `Lovelace, Ada` becomes
 * `Lovelace Ada`.
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
