/** An address as the page means it: relative ones count from the page. */
export function parse(url: string): URL | undefined {
  return URL.canParse(url, document.baseURI) ? new URL(url, document.baseURI) : undefined;
}

/** An address that paths can be put after. */
export function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}
