import ipaddr from 'ipaddr.js';
import { isAddress, isAddressRange } from './address.ts';

/** Returns the IP address that sent a request, if the runtime knows it. */
export type ClientAddress = (request: Request, env: unknown) => string | undefined;

/** Names of the header in which proxies state the client's address. */
export const forwardedHeaders = ['x-forwarded-for', 'forwarded'] as const;

export interface ClientAddressOptions {
  /** Addresses and CIDR ranges of trusted proxies. */
  trustedProxies: readonly string[];
  /** The one header that they set. */
  forwardedHeader: (typeof forwardedHeaders)[number];
  logger: { log(level: 'warn', event: string, fields: { reason: string }): void };
}

/**
 * Returns a function that finds the client's address of a request: the peer of the connection or, where a
 * trusted proxy opened it, the address that the proxy states. Forwarding headers are read from the right,
 * one trusted hop after the other: everything to the left of the first address that is not a trusted
 * proxy was written by that address itself, and may be anything.
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
      // Either a client forges the header, or the operator forgot the proxy: then all clients share a limit.
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
 * @returns undefined: the text is none
 */
export function readProxies(text: string): string[] | undefined {
  if (text === 'none') return [];
  const ranges = text
    .split(',')
    .map((entry) => entry.trim())
    .flatMap((entry) => (entry === 'loopback' ? LOOPBACK_RANGES : [entry]));
  return ranges.every(isAddressRange) ? ranges : undefined;
}

/** What a list of trusted proxies has to be, to follow the name of the setting in a message. */
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

/** Returns an address without port, brackets, zone and the IPv6 form of IPv4; undefined for other text. */
function plainAddress(text: string): string | undefined {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  const address = (bracketed ?? withPort ?? text)
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isAddress(address) ? address : undefined;
}

/**
 * Returns the `for` of each hop (RFC 7239 4), the last hop first, with empty text where it is missing.
 * Elements are split from the right, too: a quotation mark that a client left open would swallow the
 * elements that the proxy wrote after it.
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

/** Returns whether an odd number of backslashes precedes a character of a quoted text (RFC 9110 5.6.4). */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

/** Reads pair by pair: a quoted value, such as the Host of a client, may contain the text of another pair. */
function forOf(element: string): string {
  const pairs = element.matchAll(/(?:^|;)\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))/g);
  for (const [, name, quoted, token] of pairs) {
    if (name?.toLowerCase() === 'for') return quoted ?? token ?? '';
  }
  return '';
}
