/** Parses a URL; a relative URL is resolved against the page. */
export function parse(url: string): URL | undefined {
  return URL.canParse(url, document.baseURI) ? new URL(url, document.baseURI) : undefined;
}

/** Returns the origin and path without a trailing slash, so that path segments can be appended. */
export function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}
