import type { Environment } from '@financing-checkout/contract';
import type { BrowserSdk } from '../checkout/context.ts';
import type { CompanionEnvironment } from './variables.ts';

/** Reads `FINANCING_SDK_URL`, `FINANCING_SDK_GLOBAL` and `FINANCING_SDK_INTEGRITY`. */
export function readSdk(env: CompanionEnvironment): BrowserSdk | undefined {
  const src = env.read('FINANCING_SDK_URL');
  const global = env.read('FINANCING_SDK_GLOBAL');
  const integrity = env.read('FINANCING_SDK_INTEGRITY');
  if (src === undefined) return undefined;
  return { src, global, integrity };
}

/**
 * Returns whether production pages run a script without an integrity hash, in which case the
 * script's host controls which code runs in the shop's page. The published script changes at its
 * URL, so the service publishes no hash.
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
