import type { Clock } from '@financing-checkout/kit';
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { SignInError } from './error.ts';

/** A key that the provider has removed is trusted no longer than this, in milliseconds. */
const LASTING_MS = 10 * 60_000;
/** Tokens with unknown keys must not cause a request each, in milliseconds. */
const REREAD_MS = 5_000;

const jwksSchema = z.looseObject({
  keys: z.array(z.looseObject({ kty: z.string() })).min(1),
});

/**
 * Returns the function that finds the provider's key for a token. A token with an unknown key causes
 * the keys to be read again, because the provider may have rotated them.
 * @param read reads the JSON of the provider's keys
 */
export function providerKeys(read: () => Promise<unknown>, clock: Clock): JWTVerifyGetKey {
  let known: { find: JWTVerifyGetKey; readAt: number } | undefined;

  async function renewed() {
    const parsed = jwksSchema.safeParse(await read());
    if (!parsed.success) throw new SignInError('provider-unavailable', 'keys-invalid');
    known = { find: createLocalJWKSet(parsed.data), readAt: clock.now() };
    return known;
  }

  const isWithin = (readAt: number, ms: number) => {
    const age = clock.now() - readAt;
    return age >= 0 && age < ms;
  };

  return async (header, token) => {
    const current =
      known !== undefined && isWithin(known.readAt, LASTING_MS) ? known : await renewed();
    try {
      return await current.find(header, token);
    } catch (error) {
      const isUnknown = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknown || isWithin(current.readAt, REREAD_MS)) throw error;
      return (await renewed()).find(header, token);
    }
  };
}
