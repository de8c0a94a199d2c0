import { PrivateKey } from '../keys/private-key.ts';
import { Secret } from '@financing-checkout/kit';
import { MIN_TICKET_SECRET_BYTES } from '@financing-checkout/ticket';
import type { EnvironmentReader } from './reader.ts';

/** Returns the private key of a variable, and reports an invalid one. */
export function privateKeyOf(
  env: EnvironmentReader,
  variable: string,
  value: string | undefined,
): PrivateKey | undefined {
  if (value === undefined) return undefined;
  try {
    return new PrivateKey(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    env.problem(variable, 'must be 16 to 512 visible ASCII characters without spaces');
    return undefined;
  }
}

/** Returns the files of private keys, which are watched. */
export function privateKeyFiles(env: EnvironmentReader): { slot: 0 | 1; path: string }[] {
  const current = env.fileOf('FINANCING_PRIVATE_API_KEY');
  const next = env.fileOf('FINANCING_PRIVATE_API_KEY_NEXT');
  return [
    ...(current === undefined ? [] : [{ slot: 0 as const, path: current }]),
    ...(next === undefined ? [] : [{ slot: 1 as const, path: next }]),
  ];
}

/** Returns the ticket secret of a variable, and reports one that is too short. */
export function ticketSecret(
  env: EnvironmentReader,
  variable: string,
  value: string | undefined,
): Secret | undefined {
  if (value === undefined) return undefined;
  if (new TextEncoder().encode(value).length < MIN_TICKET_SECRET_BYTES) {
    env.problem(variable, `must have ${MIN_TICKET_SECRET_BYTES} bytes or more`);
    return undefined;
  }
  return new Secret(value);
}
