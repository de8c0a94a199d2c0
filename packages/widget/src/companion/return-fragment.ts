/**
 * The parameters that a lender's page adds to a fragment: after the route or in place of it. A
 * router may have put a slash before them.
 */
export const RETURN_PARAMETERS = /(^#?|[?&#/])(financing-(session|confirmation|ended)=.*)/;

/** Removes the lender's parameters from a fragment, which leaves the shop's own route. */
export const routeOf = (hash: string): string => hash.replace(RETURN_PARAMETERS, '');
