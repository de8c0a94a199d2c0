import type { Presentation } from '../companion/answer.ts';
import { parse } from '../platform/address.ts';
import { isTrustworthy } from '../platform/trustworthy.ts';
import { isObject } from '../platform/object.ts';
import { pause } from '../platform/pause.ts';
import { BlockedError } from './presentation.ts';
import { forgetScript, isLoadedByPage, isRequested, loadScript } from './script.ts';

/** Timeout for `init` and then for `payments`, and the polling interval, in milliseconds. */
const TIMEOUT = 10_000;
const INTERVAL = 50;

/** The members of the service's SDK that the widget uses (published contract, browser SDK). */
interface ServiceSdk {
  /** Resolves when the SDK is initialized; some clients rely on `onLoaded` instead. */
  init(config: { apiKey: string; onLoaded: () => void }): unknown;
  /** Appears some time after the script has loaded; the delay is not documented. */
  readonly payments?: unknown;
  dispose?(): unknown;
}

/** A presentation's options that the widget uses. */
export interface PresentOptions {
  readonly callback: (...values: unknown[]) => void;
}

/** An initialized SDK. */
export interface ReadySdk {
  readonly present: (kind: 'checkout' | 'apply', options: PresentOptions) => unknown;
  /** Closes the SDK's dialog; absent if the page itself initialized the SDK. */
  readonly dispose?: (() => void) | undefined;
}

/** An SDK's key and initialization promise. A page can use only one key. */
const started = new WeakMap<ServiceSdk, { key: string; ready: Promise<unknown> }>();

/**
 * Loads and initializes the SDK, and waits for its `payments`. A page that loads the script itself
 * also initializes the SDK; a second `init` would discard its store and callbacks.
 * @throws {BlockedError} if the SDK cannot be used
 */
export async function readySdk(
  { src, integrity, global }: NonNullable<Presentation['sdk']>,
  publicKey: string,
  signal: AbortSignal,
): Promise<ReadySdk> {
  // No earlier code has validated these members of the companion's response.
  const url =
    [src, integrity ?? '', global].every((text) => typeof text === 'string') && parse(src);
  if (!url || !isTrustworthy(url)) {
    throw new BlockedError('sdk-unusable', 'The service’s script must have an address on https.');
  }
  let sdk = find(global);
  if (!sdk && isLoadedByPage(url)) sdk = await waitFor(() => find(global), signal);
  if (!sdk) {
    await loadScript(url, integrity);
    sdk = find(global);
    if (!sdk) {
      throw new BlockedError(
        'sdk-unusable',
        `The service’s script does not set the global ${global}: correct FINANCING_SDK_GLOBAL.`,
      );
    }
  }
  signal.throwIfAborted();
  // Also true if the script arrived after timing out.
  const isOurs = isRequested(url);
  const pageKey = isOurs ? publicKey : keyOfPage(sdk);
  if (pageKey !== undefined && pageKey !== publicKey) throw conflict();
  if (isOurs) await initialize(sdk, publicKey);
  const used = sdk;
  const payments = await waitFor(() => paymentsOf(find(global) ?? used), signal);
  if (!payments) {
    throw new BlockedError(
      'sdk-timeout',
      `The service’s script offered no payments within ${TIMEOUT} ms: is it initialized?`,
    );
  }
  signal.throwIfAborted();
  return {
    present: (kind, options) => payments.present(kind, options),
    ...(isOurs &&
      typeof used.dispose === 'function' && {
        dispose: () => {
          // The SDK's state is unknown afterwards, so the next checkout loads and initializes it
          // again.
          started.delete(used);
          forgetScript(url);
          try {
            used.dispose?.();
          } catch {
            // The SDK is discarded either way.
          }
        },
      }),
  };
}

/** @returns undefined after the timeout. @throws when the signal is aborted */
async function waitFor<T>(look: () => T | undefined, signal: AbortSignal): Promise<T | undefined> {
  for (let tries = 0; tries < TIMEOUT / INTERVAL; tries++) {
    const found = look();
    if (found) return found;
    await pause(INTERVAL, signal);
  }
  return look();
}

function find(name: string): ServiceSdk | undefined {
  const found: unknown = Object.hasOwn(globalThis, name) && Reflect.get(globalThis, name);
  return isObject(found) && typeof found.init === 'function'
    ? (found as unknown as ServiceSdk)
    : undefined;
}

function paymentsOf({ payments }: ServiceSdk): Pick<ReadySdk, 'present'> | undefined {
  return isObject(payments) && typeof payments.present === 'function'
    ? (payments as unknown as ReadySdk)
    : undefined;
}

/**
 * Returns the page's own key for the script, if it is readable: from `ChargeAfter.cfg`, or from
 * `caConfig`, which is set before the script loads. A key passed to `init` cannot be read.
 */
function keyOfPage(sdk: ServiceSdk): unknown {
  const configs = [Reflect.get(sdk, 'cfg'), Reflect.get(globalThis, 'caConfig')];
  return configs.filter(isObject).find(({ apiKey }) => apiKey)?.apiKey;
}

function conflict(): BlockedError {
  return new BlockedError(
    'sdk-key-conflict',
    'This page already uses the service’s script with another public key. Only one is possible.',
  );
}

async function initialize(sdk: ServiceSdk, key: string): Promise<unknown> {
  const known = started.get(sdk);
  if (known) {
    if (known.key !== key) throw conflict();
    return known.ready;
  }
  const refused = () =>
    new BlockedError(
      'sdk-unusable',
      'The service’s script failed to initialize: is public-key the key of its environment?',
    );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ready = new Promise<unknown>((resolve, reject) => {
    timer = setTimeout(() => {
      const message = `The service’s script did not initialize within ${TIMEOUT} ms.`;
      reject(new BlockedError('sdk-timeout', message));
    }, TIMEOUT);
    try {
      const coming = sdk.init({ apiKey: key, onLoaded: () => resolve(undefined) });
      Promise.resolve(coming).then(resolve, () => reject(refused()));
    } catch {
      reject(refused());
    }
  }).finally(() => clearTimeout(timer));
  started.set(sdk, { key, ready });
  // A retry initializes the SDK again.
  ready.catch(() => started.delete(sdk));
  return ready;
}
