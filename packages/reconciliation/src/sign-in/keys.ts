import type { Clock } from '@financing-checkout/kit';
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { SignInError } from './error.ts';
import { Kept } from './kept.ts';

/** How long a key is still trusted after the provider has removed it, in milliseconds. */
const LASTING_MS = 10 * 60_000;

const jwksSchema = z.looseObject({
  keys: z.array(z.looseObject({ kty: z.string() })).min(1),
});

/**
 * Returns the function that finds the provider's key for a token. For a token with an unknown key,
 * reads the keys again, because the provider may have rotated them.
 * @param read reads the JSON of the provider's keys
 */
export function providerKeys(read: () => Promise<unknown>, clock: Clock): JWTVerifyGetKey {
  const readKeys = async () => {
    const parsed = jwksSchema.safeParse(await read());
    if (!parsed.success) throw new SignInError('provider-unavailable', 'keys-invalid');
    return createLocalJWKSet(parsed.data);
  };
  const keys = new Kept(readKeys, clock, LASTING_MS);

  return async (header, token) => {
    const find = await keys.get();
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const renewed = await keys.renewed();
      return renewed(header, token);
    }
  };
}
