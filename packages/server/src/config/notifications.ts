import { Secret } from '../keys/secret.ts';
import type { EnvironmentReader } from './reader.ts';

const MIN_LENGTH = 16;

/**
 * The Authorization values that the service may send with its notifications: the current one, and
 * the previous one while it is changed there. None: notifications are not taken.
 */
export function readNotificationAuthorizations(env: EnvironmentReader): Secret[] {
  const names = ['NOTIFICATION_AUTHORIZATION', 'NOTIFICATION_AUTHORIZATION_PREVIOUS'] as const;
  const values = names.map((name) => {
    const value = env.secret(name);
    if (value !== undefined && !isHeaderValue(value)) {
      env.problem(
        name,
        `must be ${MIN_LENGTH} or more visible ASCII characters, as a header value`,
      );
    }
    return value;
  });
  if (!env.isNamed(names[0]) && env.isNamed(names[1])) {
    env.problem(names[0], `is required with ${names[1]}`);
  }
  return values.flatMap((value) => (value === undefined ? [] : new Secret(value)));
}

/** "Bearer x" has a space in it; a header value has none at its ends. */
function isHeaderValue(text: string): boolean {
  return text.length >= MIN_LENGTH && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}
