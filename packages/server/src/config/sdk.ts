import type { Environment } from '@financing-checkout/contract';
import type { BrowserSdk } from '../checkout/context.ts';
import type { EnvironmentReader } from './reader.ts';

/** The global that the service's script sets (published contract, browser SDK). */
const PUBLISHED_GLOBAL = 'ChargeAfter';

/** Reads `FINANCING_SDK_URL`, `FINANCING_SDK_GLOBAL` and `FINANCING_SDK_INTEGRITY`. */
export function readSdk(env: EnvironmentReader): BrowserSdk | undefined {
  const src = env.text(
    'FINANCING_SDK_URL',
    isScriptAddress,
    'must be an https address, or http on this machine',
  );
  const global =
    env.text(
      'FINANCING_SDK_GLOBAL',
      (text) => /^[A-Za-z_$][\w$]*$/.test(text),
      'must be the name of the global that the script sets',
    ) ?? PUBLISHED_GLOBAL;
  const integrity = env.text(
    'FINANCING_SDK_INTEGRITY',
    (text) => /^sha(256|384|512)-[A-Za-z0-9+/]+=*$/.test(text),
    'must be a hash such as sha384-…',
  );
  if (src === undefined) return undefined;
  return { src, global, integrity };
}

/**
 * Returns whether pages in production run a script without a known hash: then the script's host decides
 * which code runs in the shop's page. The published script changes at its address, so the service
 * publishes no hash.
 */
export function isScriptUnpinned({
  environment,
  sdk,
}: {
  environment: Environment;
  sdk: BrowserSdk | undefined;
}): boolean {
  return environment === 'production' && sdk !== undefined && sdk.integrity === undefined;
}

function isScriptAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  );
}
