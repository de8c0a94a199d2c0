import { decodeJwt, decodeProtectedHeader } from 'jose';
import { nodeCrypto } from '../runtime/node-crypto.ts';

/**
 * Accepts the tickets that are plainly good, without waiting for another thread: HS256 and nothing else in the header,
 * one audience, times that leave no question. Of everything else it says nothing, and `jwtVerify`
 * of jose decides: this can only accept less than that does.
 * @returns the claims, or undefined when jose has to look
 */
export function createPlainCheck(
  secrets: readonly Uint8Array[],
  audience: string,
): (ticket: string, now: number) => unknown {
  if (nodeCrypto === undefined) return () => undefined;
  const { createHmac, createSecretKey, timingSafeEqual } = nodeCrypto;
  const keys = secrets.map((secret) => createSecretKey(secret));

  function isSigned(ticket: string): boolean {
    const end = ticket.lastIndexOf('.');
    const signature = Buffer.from(ticket.slice(end + 1), 'base64url');
    // Node skips what is not base64url: only the one way to write a signature is plain.
    if (signature.toString('base64url') !== ticket.slice(end + 1)) return false;
    return keys.some((key) => {
      const expected = createHmac('sha256', key).update(ticket.slice(0, end)).digest();
      return signature.length === expected.length && timingSafeEqual(signature, expected);
    });
  }

  return function plainClaims(ticket, now) {
    if (ticket.split('.').length !== 3 || !isSigned(ticket)) return undefined;
    try {
      const { alg, typ, ...others } = decodeProtectedHeader(ticket);
      if (alg !== 'HS256' || (typ ?? 'JWT') !== 'JWT') return undefined;
      if (Object.keys(others).length > 0) return undefined;
      const claims = decodeJwt(ticket);
      const { aud, exp, iat, nbf } = claims;
      if (aud !== audience || nbf !== undefined) return undefined;
      if (typeof iat !== 'number' || typeof exp !== 'number') return undefined;
      return exp * 1000 > now ? claims : undefined;
    } catch {
      return undefined;
    }
  };
}
