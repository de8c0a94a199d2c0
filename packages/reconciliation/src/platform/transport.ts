/** The part of a request that is sent. `fetch` accepts it. */
export interface TransportRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** Redirects are never followed: one would carry the body to another origin. */
  redirect: 'manual';
}

/** The used part of `Response`. */
export interface TransportResponse {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array> | null;
}

/** Sends one request, like `fetch`. Rejects when there is no response. */
export type Transport = (url: string, request: TransportRequest) => Promise<TransportResponse>;

/**
 * Returns the milliseconds of a Retry-After header: seconds or an HTTP date (RFC 9110 10.2.3).
 * Undefined if it is missing or invalid.
 */
export function retryAfterMs(response: TransportResponse, now: number): number | undefined {
  const value = response.headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
