import { BlockList, isIP } from 'node:net';
import type { ClientAddress } from '../platform/http/rate-limit.ts';
import type { Logger } from '../platform/logger.ts';

export interface ClientAddressOptions {
  /** Addresses and CIDR ranges of proxies whose word is taken. */
  trustedProxies: readonly string[];
  /** The one header that they write. */
  forwardedHeader: 'x-forwarded-for' | 'forwarded';
  logger: Logger;
}

/**
 * The address of the client of a request that Node received: that of the connection, or, when a
 * trusted proxy opened it, what that proxy says. Forwarding headers are read from the right, one
 * trusted hop after the other: everything to the left of the first address that is not a trusted
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
      // Either somebody tries, or the operator forgot the proxy: then all shoppers share a limit.
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

function rangeMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** An address without port, brackets, zone and the IPv6 form of IPv4; undefined for all else. */
function plainAddress(text: string): string | undefined {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  const address = (bracketed ?? withPort ?? text)
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

/**
 * The `for` of each hop (RFC 7239 4), the last hop first; empty text where it is missing. Elements are
 * taken apart from the right, too: a quotation mark that a client left open would swallow what the
 * proxy wrote behind it.
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

/** Whether an odd number of backslashes is before a character of a quoted text (RFC 9110 5.6.4). */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

/** Pair by pair: a quoted value, such as the Host a client sent, may read like another pair. */
function forOf(element: string): string {
  const pairs = element.matchAll(/(?:^|;)\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))/g);
  for (const [, name, quoted, token] of pairs) {
    if (name?.toLowerCase() === 'for') return quoted ?? token ?? '';
  }
  return '';
}
