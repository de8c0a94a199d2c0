import type { Memory } from './memory.ts';

/**
 * What stands between the shop's own route and the parameters that a lender's page adds to a fragment:
 * after the route or in place of it. A router may have put a slash before them.
 */
const MARK = /#?[#?&/](?=financing-(?:session|confirmation|ended)=)/;

/** The parameters of a redirect back to the shop. Only their session has been verified. */
export interface Returned {
  /** Name of the memory that remembers the session. */
  readonly name: Memory['name'];
  readonly token: string | null;
  readonly reason: string | null;
}

declare global {
  /**
   * The parameters of a return until their element has an outcome: as the address had them, or of an
   * element that was removed. Elements of several files share them.
   */
  var financingReturn: string | Returned | undefined;
}

/** Removes the lender's parameters from a fragment or an address, which leaves the shop's own route. */
export const routeOf = (address: string): string => address.split(MARK)[0] ?? '';

/**
 * Takes the lender's parameters out of the address: a router and the analytics of a shop must not read
 * them, and they must not stay in the history.
 * @returns the return that no element has taken yet
 */
export function keepReturn(): string | Returned | undefined {
  const [page, ...parameters] = location.href.split(MARK);
  if (parameters[0]) {
    globalThis.financingReturn = parameters.join('&');
    history.replaceState(history.state, '', page);
  }
  return globalThis.financingReturn;
}

// When the script is evaluated: before any router that starts after it.
if ((globalThis as { location?: Location }).location) keepReturn();
