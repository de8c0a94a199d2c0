import { BlockedError } from './presentation.ts';

/** How long a script may take, in milliseconds. */
const PATIENCE = 15_000;

/** Scripts on their way or there, by address. One that failed is not in it: it may be tried again. */
const loading = new Map<string, Promise<void>>();

/** Addresses that were asked for here. */
const requested = new Set<string>();

interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}
interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy;
}
let policy: ScriptPolicy | undefined;

/** The elements that were added here. */
const added = new WeakSet<HTMLScriptElement>();

/** Returns the address of a script without its query, which the time is added to. */
const pathOf = (address: string) => address.split(/[?#]/)[0];

/**
 * Vouches for the address of a script, where the page requires Trusted Types. The policy is named
 * `financing-checkout`, and made when the first script is needed: a page without one need not allow
 * it. It lets only addresses pass that a companion has named: a script of another site that gets
 * hold of the policy cannot load its own with it.
 */
function vouch(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  if (!trustedTypes) return url;
  policy ??= trustedTypes.createPolicy('financing-checkout', {
    createScriptURL: (address) => {
      if ([...requested].some((named) => pathOf(named) === pathOf(address))) return address;
      throw new TypeError();
    },
  });
  // The types of the DOM know nothing of it; what is assigned stays what it is.
  return policy.createScriptURL(url) as string;
}

/** Whether the page has an element of its own for a script, whatever its query. */
export function isLoadedByPage({ origin, pathname }: URL): boolean {
  return [...document.scripts].some(
    (script) => !added.has(script) && pathOf(script.src) === origin + pathname,
  );
}

/** Whether the script was ever asked for here, whatever came of that. */
export const isRequested = ({ href }: URL): boolean => requested.has(href);

/** Has the next `loadScript` load it again. */
export function forgetScript({ href }: URL): void {
  loading.delete(href);
}

/**
 * Loads a script once per address, however often it is asked for.
 * @throws {BlockedError} when it is kept out, does not come, or is not what its digest says
 */
export function loadScript(url: URL, integrity: string | undefined): Promise<void> {
  const address = url.href;
  const known = loading.get(address);
  if (known) return known;
  requested.add(address);
  const coming = load(address, integrity);
  loading.set(address, coming);
  coming.catch(() => loading.delete(address));
  return coming;
}

function load(address: string, integrity: string | undefined): Promise<void> {
  const script = document.createElement('script');
  added.add(script);
  return new Promise<void>((resolve, reject) => {
    const fail = (code: string, message: string) => {
      clearTimeout(timer);
      script.remove();
      reject(new BlockedError(code, message));
    };
    const timer = setTimeout(() => {
      fail('sdk-timeout', `The service’s script did not come in ${PATIENCE} ms.`);
    }, PATIENCE);
    script.onload = () => {
      clearTimeout(timer);
      resolve();
    };
    script.onerror = () => {
      fail(
        'sdk-unreachable',
        'The service’s script did not load: does script-src allow it, and is its integrity, where one is set, that of what answers with CORS headers?',
      );
    };
    const url = new URL(address);
    if (integrity) {
      // An integrity is checked of what may be read only (Subresource Integrity 3.5).
      script.crossOrigin = 'anonymous';
      script.integrity = integrity;
    } else {
      // No answer with CORS headers is published, and every client of the service asks past caches.
      url.searchParams.set('t', String(Date.now()));
    }
    script.referrerPolicy = 'strict-origin';
    try {
      script.src = vouch(url.href);
      document.head.append(script);
    } catch {
      fail(
        'sdk-unreachable',
        'The page’s policy does not let a script be added: add financing-checkout to trusted-types.',
      );
    }
  });
}
