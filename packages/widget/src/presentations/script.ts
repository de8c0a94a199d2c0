import { BlockedError } from './presentation.ts';

/** How long a script may take, in milliseconds. */
const PATIENCE = 15_000;

/** Scripts on their way or there, by address. One that failed is not in it: it may be tried again. */
const loading = new Map<string, Promise<void>>();

interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}
interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy;
}
let policy: ScriptPolicy | undefined;

/**
 * Where Trusted Types are required, an address of a script has to be vouched for. Named
 * `financing-checkout`, and made when the first script is needed: a page without one need not
 * allow it.
 */
function vouch(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  if (!trustedTypes) return url;
  policy ??= trustedTypes.createPolicy('financing-checkout', {
    // `load` is the only one to ask, with an address that the companion named.
    createScriptURL: (address) => address,
  });
  // The types of the DOM know nothing of it; what is assigned stays what it is.
  return policy.createScriptURL(url) as string;
}

/**
 * Loads a script once per address, however often it is asked for.
 * @throws {BlockedError} when it is kept out, does not come, or is not what its digest says
 */
export function loadScript(url: URL, integrity: string | undefined): Promise<void> {
  const address = url.href;
  const known = loading.get(address);
  if (known) return known;
  const coming = load(address, integrity);
  loading.set(address, coming);
  coming.catch(() => loading.delete(address));
  return coming;
}

function load(address: string, integrity = ''): Promise<void> {
  const script = document.createElement('script');
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
        'The service’s script did not load: does script-src allow it, is its integrity right, does it answer with CORS headers?',
      );
    };
    script.crossOrigin = 'anonymous';
    script.integrity = integrity;
    script.referrerPolicy = 'strict-origin';
    try {
      script.src = vouch(address);
      document.head.append(script);
    } catch {
      fail(
        'sdk-unreachable',
        'The page’s policy does not let a script be added: add financing-checkout to trusted-types.',
      );
    }
  });
}
