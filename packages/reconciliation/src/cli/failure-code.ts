/** Codes of failures before the request was sent. */
const notSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Returns the code of a failed request, from the system, OpenSSL or undici. */
export function failureCode(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    // If several addresses of a host were tried, the request was sent only if one connected.
    if (current instanceof AggregateError) {
      const codes = current.errors.map(failureCode);
      return codes.find((code) => code === undefined || !notSentCodes.has(code)) ?? codes[0];
    }
    current = current.cause;
  }
  return undefined;
}

/** Returns whether the request was certainly not sent. */
export function isNotSent(error: unknown): boolean {
  const code = failureCode(error);
  return code !== undefined && notSentCodes.has(code);
}
