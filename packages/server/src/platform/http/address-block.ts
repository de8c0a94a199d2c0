import { isIpv4, isIpv6, isLoopback } from './address.ts';

/**
 * The block of addresses one client is taken to have: an IPv4 address (also written as IPv6,
 * RFC 4291 2.5.5.2), or the /64 of an IPv6 address. Undefined for what is no address.
 */
export function addressBlock(text: string): string | undefined {
  if (isIpv4(text)) return text;
  if (!isIpv6(text)) return undefined;
  const groups = ipv6Groups(text);
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0)) {
    if (groups[5] === 0xffff) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
    if (groups[5] === 0 && high === 0 && low === 1) return '::1';
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

export function isLoopbackBlock(block: string): boolean {
  return isLoopback(block);
}

/** The eight numbers of an IPv6 address; the URL parser brings it into its one form (RFC 5952). */
function ipv6Groups(text: string): number[] {
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const numbers = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => parseInt(group, 16));
  const [head, tail] = [numbers(before), numbers(after ?? '')];
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...new Array<number>(zeros).fill(0), ...tail];
}
