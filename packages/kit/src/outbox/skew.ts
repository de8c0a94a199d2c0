import type { Clock } from '../clock/clock.ts';
import type { Transport, TransportResponse } from './transport.ts';

/** Smallest clock difference to report, in milliseconds. Synchronized clocks differ by less. */
const REPORTED_MS = 30_000;
/** Minimum interval between two reports about one server, in milliseconds. */
const REPORT_EVERY_MS = 3_600_000;

/**
 * Returns a lower bound in milliseconds of how far a server's clock is ahead of this machine's,
 * negative if it is behind: its Date header was written between the request and the end of its
 * response, in whole seconds (RFC 9110 6.6.1).
 * @returns undefined when the response has no valid date
 */
export function clockSkewMs(
  { headers }: Pick<TransportResponse, 'headers'>,
  sentAt: number,
  receivedAt: number,
): number | undefined {
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return undefined;
  if (theirs > receivedAt) return theirs - receivedAt;
  return Math.min(0, theirs + 1_000 - sentAt);
}

/** Describes a clock difference for the operator. @returns undefined for a small one */
export function describeSkew(skewMs: number | undefined): string | undefined {
  if (skewMs === undefined || Math.abs(skewMs) <= REPORTED_MS) return undefined;
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  return `its clock is ${seconds} s ${direction} this machine's: synchronize both (NTP)`;
}

/**
 * Wraps a transport so that it reports servers whose clock differs from this machine's, each at most once
 * an hour.
 */
export function watchClocks(
  transport: Transport,
  clock: Clock,
  report: (skew: { address: string; detail: string }) => void,
): Transport {
  const reported = new Map<string, number>();
  return async (url, request) => {
    const sentAt = clock.now();
    const response = await transport(url, request);
    const now = clock.now();
    const detail = describeSkew(clockSkewMs(response, sentAt, now));
    const address = new URL(url).host;
    if (detail !== undefined && now >= (reported.get(address) ?? 0)) {
      reported.set(address, now + REPORT_EVERY_MS);
      report({ address, detail });
    }
    return response;
  };
}
