import type { Memory } from './memory.ts';

/**
 * Matches the separator between the shop's own route and the parameters that a lender's page adds
 * to a fragment, after the route or in its place. A router may have inserted a slash before them.
 */
const MARK = /#?[#?&/](?=financing-(?:session|confirmation|ended)=)/;

/** Parameters of a redirect back to the shop. Only the session has been verified. */
export interface Returned {
  /** Name of the memory that stores the session. */
  readonly name: Memory['name'];
  readonly token: string | null;
  readonly reason: string | null;
}

declare global {
  /**
   * A return's parameters until their element has an outcome: either the raw string from the URL,
   * or those of an element that was removed. Global, because elements in several files share them.
   */
  var financingReturn: string | Returned | undefined;
}

/** Removes the lender's parameters from a fragment or a URL, leaving the shop's own route. */
export const routeOf = (address: string): string => address.split(MARK)[0] ?? '';

/**
 * Removes the lender's parameters from the URL, because a shop's router and analytics must not read
 * them, and they must not stay in the history.
 * @returns the return that no element has claimed yet
 */
export function keepReturn(): string | Returned | undefined {
  const [page, ...parameters] = location.href.split(MARK);
  if (parameters[0]) {
    globalThis.financingReturn = parameters.join('&');
    history.replaceState(history.state, '', page);
  }
  return globalThis.financingReturn;
}

// Runs when the script is evaluated, before any router that starts later.
if ((globalThis as { location?: Location }).location) keepReturn();
