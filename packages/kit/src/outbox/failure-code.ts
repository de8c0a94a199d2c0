/** Error code of a proxy that refuses a tunnel to the server. */
export const PROXY_REFUSED = 'PROXY_REFUSED_TUNNEL';

/**
 * Codes of errors that occur before the first byte of a request leaves: failed name resolution,
 * connection or TLS verification. After any other error the other side may have received the
 * request. These are Node errno, OpenSSL and undici codes; errors of other runtimes have none of
 * these codes and count as "may have been sent".
 */
const notSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_TLS',
  'UND_ERR_PRX_CONN',
  PROXY_REFUSED,
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'CERT_REVOKED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/** Returns whether a request with this code was certainly not sent. */
function isNotSentCode(code: string | undefined): boolean {
  return code !== undefined && notSentCodes.has(code);
}

/** Returns the code of the decisive failure, even if libraries have wrapped the error. */
export function failureCode(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    // Several addresses of the host failed: a failure after sending takes precedence.
    if (current instanceof AggregateError) {
      const codes = current.errors.map(failureCode);
      return codes.find((code) => !isNotSentCode(code)) ?? codes[0];
    }
    current = current.cause;
  }
  return undefined;
}

/** Returns whether it is certain that nothing was sent. */
export function isNotSent(error: unknown): boolean {
  return isNotSentCode(failureCode(error));
}
