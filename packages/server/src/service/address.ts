import type { Call } from './caller.ts';

/**
 * The base address of the financing service, ending in a slash.
 * @throws {TypeError} for one that is not https: the key would travel in the clear, and the service
 * fails such a request anyway (specification 5.1).
 */
export function serviceBase(text: string): URL {
  const base = URL.canParse(text) ? new URL(text) : undefined;
  if (base?.protocol !== 'https:') {
    throw new TypeError('The base address of the financing service must be an https address.');
  }
  if (base.username || base.password || base.search || base.hash) {
    throw new TypeError('The base address must have no user, query or fragment.');
  }
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return base;
}

type Addressed = Pick<Call<never>, 'route' | 'path' | 'query'>;

/** Addresses of calls under a base. Those without a value in them are made once. */
export function addressesUnder(base: URL): (call: Addressed) => string {
  const fixed = new Map<string, string>();

  function make({ path, query = {} }: Addressed): string {
    const url = new URL(path.replace(/^\//, ''), base);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }

  return function addressOf(call) {
    if (call.path !== call.route || call.query !== undefined) return make(call);
    const known = fixed.get(call.route);
    if (known !== undefined) return known;
    const made = make(call);
    fixed.set(call.route, made);
    return made;
  };
}
