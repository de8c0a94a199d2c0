/** Parses an address; a relative one is resolved against the page. */
export function parse(url: string): URL | undefined {
  return URL.canParse(url, document.baseURI) ? new URL(url, document.baseURI) : undefined;
}

/** Returns origin and path without a trailing slash, so that further path segments can follow. */
export function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}
