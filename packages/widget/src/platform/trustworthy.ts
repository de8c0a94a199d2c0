/** Returns whether a URL is safe to connect to: https, or localhost. */
export function isTrustworthy(url: URL): boolean {
  const local = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && local);
}
