import { BlockedError } from './presentation.ts';

/** Timeout for loading a script, in milliseconds. */
const TIMEOUT = 15_000;

/** Loading and loaded scripts by URL. A failed script is removed so that it can be retried. */
const loading = new Map<string, Promise<void>>();

/** Every URL that this module has requested. */
const requested = new Set<string>();

interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}
interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy;
}
let policy: ScriptPolicy | undefined;

/** The script elements that this module has added. */
const added = new WeakSet<HTMLScriptElement>();

/** Returns the URL of a script without its query string, which contains a timestamp. */
const pathOf = (address: string) => address.split(/[?#]/)[0];

/**
 * Returns a trusted script URL if the page requires Trusted Types. The policy is named
 * `financing-checkout` and is created with the first script, so a page that loads no script need
 * not allow it. The policy accepts only URLs that a companion has provided, so that a third-party
 * script that obtains it cannot use it to load its own code.
 */
function trustedUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  if (!trustedTypes) return url;
  policy ??= trustedTypes.createPolicy('financing-checkout', {
    createScriptURL: (address) => {
      if ([...requested].some((named) => pathOf(named) === pathOf(address))) return address;
      throw new TypeError();
    },
  });
  // TypeScript's DOM types do not include trusted URLs; the value is assigned unchanged.
  return policy.createScriptURL(url) as string;
}

/** Returns whether the page itself loads the script, with any query string. */
export function isLoadedByPage({ origin, pathname }: URL): boolean {
  return [...document.scripts].some(
    (script) => !added.has(script) && pathOf(script.src) === origin + pathname,
  );
}

/** Returns whether this module has ever requested the script, even unsuccessfully. */
export const isRequested = ({ href }: URL): boolean => requested.has(href);

/** Makes the next `loadScript` load the script again. */
export function forgetScript({ href }: URL): void {
  loading.delete(href);
}

/**
 * Loads a script once per URL.
 * @throws {BlockedError} if it is blocked, does not load, or does not match its integrity
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
      fail('sdk-timeout', `The service’s script did not load within ${TIMEOUT} ms.`);
    }, TIMEOUT);
    script.onload = () => {
      clearTimeout(timer);
      resolve();
    };
    script.onerror = () => {
      fail(
        'sdk-unreachable',
        'The service’s script did not load. Check that script-src allows it; with an integrity, also its digest and the CORS headers of the answer.',
      );
    };
    const url = new URL(address);
    if (integrity) {
      // Browsers check the integrity only of CORS responses (Subresource Integrity 3.5).
      script.crossOrigin = 'anonymous';
      script.integrity = integrity;
    } else {
      // The service sends no CORS headers for the script, and this is how all its clients bypass
      // caches.
      url.searchParams.set('t', String(Date.now()));
    }
    script.referrerPolicy = 'strict-origin';
    try {
      script.src = trustedUrl(url.href);
      document.head.append(script);
    } catch {
      fail(
        'sdk-unreachable',
        'The page’s policy blocks adding a script: add financing-checkout to trusted-types.',
      );
    }
  });
}
