import ipaddr from 'ipaddr.js';
import { isAddress, isAddressRange } from './address.ts';

/** Returns the IP address that sent a request, if the runtime knows it. */
export type ClientAddress = (request: Request, env: unknown) => string | undefined;

/** Names of the header in which proxies state the client's address. */
export const forwardedHeaders = ['x-forwarded-for', 'forwarded'] as const;

export interface ClientAddressOptions {
  /** Addresses and CIDR ranges of trusted proxies. */
  trustedProxies: readonly string[];
  /** The one header that the trusted proxies set. */
  forwardedHeader: (typeof forwardedHeaders)[number];
  logger: { log(level: 'warn', event: string, fields: { reason: string }): void };
}

/**
 * Returns a function that finds the client address of a request: the peer of the connection or, if
 * the peer is a trusted proxy, the address that the proxy reports. Forwarding headers are read from
 * the right, one trusted hop at a time: everything to the left of the first untrusted address was
 * written by that client and may be forged.
 */
export function createClientAddress(options: ClientAddressOptions): ClientAddress {
  const { forwardedHeader, logger } = options;
  const isTrusted = rangeMatcher(options.trustedProxies);
  let warned = false;

  return function clientAddress(request, env) {
    const peer = plainAddress(peerOf(env) ?? '');
    if (peer === undefined) return undefined;
    const header = request.headers.get(forwardedHeader);
    if (header === null) return peer;
    if (!isTrusted(peer)) {
      // Either a client forges the header, or the operator forgot to list the proxy, in which case
      // all clients share one limit.
      if (!warned) logger.log('warn', 'forwarded-header-ignored', { reason: 'untrusted-proxy' });
      warned = true;
      return peer;
    }
    const hops =
      forwardedHeader === 'forwarded'
        ? forwardedHops(header)
        : header
            .split(',')
            .map((hop) => hop.trim())
            .reverse();
    let client = peer;
    for (const hop of hops) {
      const address = isTrusted(client) ? plainAddress(hop) : undefined;
      if (address === undefined) break;
      client = address;
    }
    return client;
  };
}

function peerOf(env: unknown): string | undefined {
  if (typeof env !== 'object' || env === null || !('incoming' in env)) return undefined;
  const { incoming } = env as { incoming: { socket?: { remoteAddress?: string } } };
  return incoming.socket?.remoteAddress;
}

const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128'];

/**
 * Reads a list of trusted proxies: addresses and ranges separated by commas, `loopback`, or `none`.
 * @returns undefined if the text is not a valid list
 */
export function readProxies(text: string): string[] | undefined {
  if (text === 'none') return [];
  const ranges = text
    .split(',')
    .map((entry) => entry.trim())
    .flatMap((entry) => (entry === 'loopback' ? LOOPBACK_RANGES : [entry]));
  return ranges.every(isAddressRange) ? ranges : undefined;
}

/** The rule for a list of trusted proxies, worded to follow the setting's name in a message. */
export const PROXIES_RULE =
  'must be "none", or addresses and ranges separated by commas, such as loopback, 10.0.0.0/8, 2001:db8::1';

function rangeMatcher(ranges: readonly string[]): (address: string) => boolean {
  const matchers = ranges.map((range) => {
    const [address = '', bits] = range.split('/');
    const network = ipaddr.parse(address);
    const length = bits === undefined ? network.toByteArray().length * 8 : Number(bits);
    return (client: ipaddr.IPv4 | ipaddr.IPv6) =>
      client.kind() === network.kind() && client.match(network, length);
  });
  return function isTrusted(address) {
    const client = ipaddr.process(address);
    return matchers.some((matches) => matches(client));
  };
}

/**
 * Returns an address without its port, brackets, zone or IPv4-mapped prefix; undefined if the text
 * is not an address.
 */
function plainAddress(text: string): string | undefined {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  const address = (bracketed ?? withPort ?? text)
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isAddress(address) ? address : undefined;
}

/**
 * Returns the `for` of each hop (RFC 7239 4), the last hop first, with an empty string where `for`
 * is missing. Elements are split from the right as well: an unclosed quotation mark from a client
 * would swallow the elements that the proxy appended.
 */
function forwardedHops(header: string): string[] {
  const hops: string[] = [];
  let end = header.length;
  let isQuoted = false;
  for (let at = end - 1; at >= 0; at--) {
    if (header[at] === '"') {
      if (!isQuoted || !isEscaped(header, at)) isQuoted = !isQuoted;
    } else if (header[at] === ',' && !isQuoted) {
      hops.push(forOf(header.slice(at + 1, end)));
      end = at;
    }
  }
  return [...hops, forOf(header.slice(0, end))];
}

/**
 * Returns whether an odd number of backslashes precedes a character of a quoted string (RFC 9110
 * 5.6.4).
 */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

/**
 * Parses one pair at a time: a quoted value, such as the client's Host, may contain what looks like
 * another pair.
 */
function forOf(element: string): string {
  const pairs = element.matchAll(/(?:^|;)\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))/g);
  for (const [, name, quoted, token] of pairs) {
    if (name?.toLowerCase() === 'for') return quoted ?? token ?? '';
  }
  return '';
}
