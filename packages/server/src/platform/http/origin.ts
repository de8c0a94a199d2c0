/**
 * Returns a web origin as browsers send it (RFC 6454 6.2): lowercase, with an internationalized
 * host name in ASCII, without the default port. Returns undefined for a URL with a path, a user or
 * a query.
 */
export function canonicalOrigin(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Returns the reason why no page can have this origin; undefined for a valid origin. */
export function originProblem(text: string): string | undefined {
  if (text.includes('*')) {
    return 'holds a wildcard, which no browser sends: name each origin';
  }
  if (canonicalOrigin(text) !== undefined) return undefined;
  return 'is no origin such as https://shop.example (no path, no final slash)';
}
