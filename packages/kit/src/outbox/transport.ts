/** A complete request, which a transport adds no defaults to; `fetch` accepts it. */
export interface TransportRequest {
  method: 'GET' | 'HEAD' | 'POST';
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** Redirects are never followed: following one would send the body to another origin. */
  redirect: 'manual';
}

/** The part of `Response` that is used. */
export interface TransportResponse {
  status: number;
  headers: { get(name: string): string | null };
  /** The reader owns each chunk and may free the chunk's memory. */
  body: AsyncIterable<Uint8Array> | null;
}

/** Sends one request, as `fetch` does. Rejects when there is no response. */
export type Transport = (url: string, request: TransportRequest) => Promise<TransportResponse>;

/**
 * Returns the value of Retry-After in milliseconds: seconds or a date (RFC 9110 10.2.3). Undefined
 * if the header is missing or invalid.
 * @param now milliseconds since 1970
 */
export function retryAfterMs(value: string | null | undefined, now: number): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
