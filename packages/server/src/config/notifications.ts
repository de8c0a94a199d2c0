import { Secret } from '@financing-checkout/kit';
import type { EnvironmentReader } from './reader.ts';

const MIN_LENGTH = 16;

/**
 * Reads the Authorization values that the service may send with its notifications: the current one,
 * and the previous one during a rotation. Without any, notifications are refused.
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

/** Returns whether a text is a header value: spaces may stand inside ("Bearer x"), not at its ends. */
function isHeaderValue(text: string): boolean {
  return text.length >= MIN_LENGTH && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}
