/** The subset of a request that is sent, which `fetch` accepts. */
export interface TransportRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** Redirects are never followed, because they could send the body to another origin. */
  redirect: 'manual';
}

/** The subset of `Response` that is used. */
export interface TransportResponse {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array> | null;
}

/** Sends one request, like `fetch`. Rejects when there is no response. */
export type Transport = (url: string, request: TransportRequest) => Promise<TransportResponse>;

/**
 * Parses a Retry-After header, in seconds or as an HTTP date (RFC 9110 10.2.3), to milliseconds.
 * Undefined if the header is missing or invalid.
 */
export function retryAfterMs(response: TransportResponse, now: number): number | undefined {
  const value = response.headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
