import ipaddr from 'ipaddr.js';

/** Returns whether a host is a loopback host, reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}

/**
 * Returns whether a string is an IP address or a range in CIDR notation (RFC 4632 3.1, RFC 4291
 * 2.3).
 */
export function isAddressRange(text: string): boolean {
  const [address = ''] = text.split('/');
  return isAddress(address) && (text === address || ipaddr.isValidCIDR(text));
}

/** Returns whether a string is an IPv6 address without a zone. */
export function isIpv6(text: string): boolean {
  return !text.includes('%') && ipaddr.IPv6.isValid(text);
}

/**
 * Returns the address block that counts as one client: an IPv4 address (including IPv4-mapped IPv6,
 * RFC 4291 2.5.5.2), or the /64 of an IPv6 address, which a provider assigns to one customer.
 * Returns undefined for a string that is not an address.
 */
export function addressBlock(text: string): string | undefined {
  if (!isAddress(text)) return undefined;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4 || address.range() === 'loopback') return address.toString();
  const prefix = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}

/**
 * Returns whether a string is an IP address. Rejects leading zeros in IPv4: some programs read them
 * as octal, and Node does not accept them.
 */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || isIpv6(text);
}
