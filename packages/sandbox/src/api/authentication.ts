import type { EnvironmentName } from '../environments/environment.ts';
import type { KeyRing } from '../environments/keys.ts';
import type { Call } from './calls.ts';

/** Describes the Authorization header of a call without repeating it. */
export function describeAuthorization(
  header: string | undefined,
  keys: KeyRing,
): Call['authorization'] {
  if (header === undefined) return { scheme: null, key: null };
  const { scheme, credentials } = split(header);
  const key = credentials === '' ? undefined : keys.identify(credentials);
  const other = credentials === '' ? null : 'unknown';
  return {
    // If the header is a bare key, the key is where the scheme should be.
    scheme: /^[a-z][a-z0-9-]{0,19}$/i.test(scheme) && !keys.identify(scheme) ? scheme : 'malformed',
    key: key ?? other,
  };
}

/**
 * Whether the header carries this environment's private key (specification 5.2, 5.3, 5.5). The
 * scheme is case-insensitive (RFC 9110 11.1).
 */
export function isAuthorized(
  header: string | undefined,
  environment: EnvironmentName,
  keys: KeyRing,
): boolean {
  if (header === undefined) return false;
  const { scheme, credentials } = split(header);
  const key = keys.identify(credentials);
  return (
    scheme.toLowerCase() === 'bearer' &&
    key?.kind === 'private' &&
    key.slot !== 'outdated' &&
    key.environment === environment
  );
}

function split(header: string): { scheme: string; credentials: string } {
  const space = header.indexOf(' ');
  if (space === -1) return { scheme: header, credentials: '' };
  return { scheme: header.slice(0, space), credentials: header.slice(space + 1).trim() };
}
