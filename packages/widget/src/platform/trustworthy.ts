/** Returns whether an address is safe to connect to: https, or this machine. */
export function isTrustworthy(url: URL): boolean {
  const local = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && local);
}
