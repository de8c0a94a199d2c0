/** A request as a transport gets it: everything is decided, nothing is defaulted. */
export interface TransportRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /**
   * Redirects are never followed: one would carry the body, with what is known of the consumer,
   * to another origin.
   */
  redirect: 'manual';
}

/** The part of `Response` that is used. */
export interface TransportResponse {
  status: number;
  headers: { get(name: string): string | null };
  /** Its pieces are handed over: who reads them may give their memory back. */
  body: AsyncIterable<Uint8Array> | null;
}

/** Sends one request; `fetch` is one. Rejects when there is no answer. */
export type Transport = (url: string, request: TransportRequest) => Promise<TransportResponse>;

export const fetchTransport: Transport = (url, request) => fetch(url, request);

/** Code of an error for a proxy that opens no tunnel to the service. */
export const PROXY_REFUSED = 'PROXY_REFUSED_TUNNEL';

/**
 * Codes of errors that happen before a byte of the request left: no address, no connection, no
 * trusted TLS. Everything else may have reached the service. (Node errno, OpenSSL and undici
 * codes; another runtime's errors carry none of them and count as "may have been sent".)
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

/** The code of the failure that matters, however deep a library wrapped it. */
export function failureCode(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    // Several addresses of one host were tried: sent only if one of them got that far.
    if (current instanceof AggregateError) {
      const codes = current.errors.map(failureCode);
      return codes.find((code) => code === undefined || !notSentCodes.has(code)) ?? codes[0];
    }
    current = current.cause;
  }
  return undefined;
}

/** Whether it is certain that nothing was sent. */
export function isNotSent(error: unknown): boolean {
  const code = failureCode(error);
  return code !== undefined && notSentCodes.has(code);
}
