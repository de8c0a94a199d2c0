interface Runtime {
  process?: { getBuiltinModule?: typeof process.getBuiltinModule };
}

const { process: node } = globalThis as Runtime;
/**
 * Node's cryptography, if the runtime has it. Web Crypto dispatches even a few bytes to another
 * thread.
 */
const nodeCrypto = node?.getBuiltinModule?.('node:crypto');

/**
 * Creates a fast path that accepts plainly valid tickets without waiting for another thread: an
 * HS256 header, one audience, unambiguous timestamps. For any other ticket it returns undefined,
 * and `jwtVerify` of jose decides. It accepts no ticket that jose rejects.
 * @returns a function that returns the claims, or undefined when jose must decide
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
    const signed = ticket.slice(0, end);
    // Compared as text: only the canonical encoding of a signature takes the fast path.
    const signature = Buffer.from(ticket.slice(end + 1));
    return keys.some((key) => {
      const expected = Buffer.from(createHmac('sha256', key).update(signed).digest('base64url'));
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    });
  }

  return function plainClaims(ticket, now) {
    const [header = '', payload = '', ...rest] = ticket.split('.', 4);
    if (rest.length !== 1 || !headers.has(header) || !/^[\w-]+$/.test(payload)) return undefined;
    if (!isSigned(ticket)) return undefined;
    const claims = claimsOf(payload);
    if (claims === undefined) return undefined;
    const { aud, exp, iat, nbf } = claims;
    if (aud !== audience || nbf !== undefined) return undefined;
    if (typeof iat !== 'number' || typeof exp !== 'number') return undefined;
    return exp * 1000 > now ? claims : undefined;
  };
}

/** The headers that common libraries write; other headers would need parsing, so jose handles them. */
const headers = new Set(
  ['{"alg":"HS256","typ":"JWT"}', '{"typ":"JWT","alg":"HS256"}', '{"alg":"HS256"}'].map((text) =>
    btoa(text).replaceAll('=', ''),
  ),
);

function claimsOf(payload: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
