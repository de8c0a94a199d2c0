import ipaddr from 'ipaddr.js';

/** Returns whether a host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}

/** Returns whether a text is an IP address, or a range in CIDR notation (RFC 4632 3.1, RFC 4291 2.3). */
export function isAddressRange(text: string): boolean {
  const [address = ''] = text.split('/');
  return isAddress(address) && (text === address || ipaddr.isValidCIDR(text));
}

/** Returns whether a text is an IPv6 address without a zone. */
export function isIpv6(text: string): boolean {
  return !text.includes('%') && ipaddr.IPv6.isValid(text);
}

/**
 * Returns the block of addresses that counts as one client: an IPv4 address (also written as IPv6,
 * RFC 4291 2.5.5.2), or the /64 of an IPv6 address, which a provider gives to one customer. Returns
 * undefined for a text that is not an address.
 */
export function addressBlock(text: string): string | undefined {
  if (!isAddress(text)) return undefined;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4 || address.range() === 'loopback') return address.toString();
  const prefix = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** Returns whether a text is an IP address. Without leading zeros in IPv4: some programs read those as octal, and Node as no address. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || isIpv6(text);
}
