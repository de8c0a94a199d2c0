import type { Presentation } from '../checkout/answer.ts';
import { parse } from '../checkout/address.ts';
import { isTrustworthy } from '../checkout/configuration.ts';
import { isObject } from '../checkout/object.ts';
import { pause } from '../checkout/pause.ts';
import { BlockedError } from './presentation.ts';
import { forgetScript, isLoadedByPage, isRequested, loadScript } from './script.ts';

/** How long `init`, and then `payments`, may take, in milliseconds, and how often is looked. */
const PATIENCE = 10_000;
const LOOK = 50;

/** The service's own SDK, as far as it is used here (published contract, browser SDK). */
interface ServiceSdk {
  /** Resolves once it is initialised; some clients go by `onLoaded`. */
  init(config: { apiKey: string; onLoaded: () => void }): unknown;
  /** Comes after the script has loaded, at a time that is not published. */
  readonly payments?: unknown;
  dispose?(): unknown;
}

/** An SDK that can present. */
export interface ReadySdk {
  readonly present: (kind: 'checkout', options: object) => unknown;
  /** Closes what it shows; absent where the page has initialised it for its own ends, too. */
  readonly dispose?: (() => void) | undefined;
}

/** The key that an SDK is, or is being, initialised with. It is one for the whole page. */
const started = new WeakMap<ServiceSdk, { key: string; ready: Promise<unknown> }>();

/**
 * Loads and initialises the SDK, and waits for its payments. A page that loads the script by itself
 * initialises it by itself: a second `init` would take its store and its callbacks away.
 * @throws {BlockedError} when it cannot be used
 */
export async function readySdk(
  { src, integrity, global }: NonNullable<Presentation['sdk']>,
  publicKey: string,
  signal: AbortSignal,
): Promise<ReadySdk> {
  // The companion's answer is not checked before this.
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
        'The service’s script sets no such global as is told: set FINANCING_SDK_GLOBAL.',
      );
    }
  }
  signal.throwIfAborted();
  // Also where a script that was given up for late has come after all.
  const isOurs = isRequested(url);
  const pageKey = isOurs ? publicKey : keyOfPage(sdk);
  if (pageKey !== undefined && pageKey !== publicKey) throw conflict();
  if (isOurs) await initialise(sdk, publicKey);
  const used = sdk;
  const payments = await waitFor(() => paymentsOf(find(global) ?? used), signal);
  if (!payments) {
    throw new BlockedError(
      'sdk-timeout',
      `The service’s script offers no payments in ${PATIENCE} ms: is it initialised?`,
    );
  }
  signal.throwIfAborted();
  return {
    present: (kind, options) => payments.present(kind, options),
    ...(isOurs &&
      typeof used.dispose === 'function' && {
        dispose: () => {
          // What is left of it is not known: the next checkout loads and initialises it anew.
          started.delete(used);
          forgetScript(url);
          try {
            used.dispose?.();
          } catch {
            // It is given up either way.
          }
        },
      }),
  };
}

/** @returns undefined where it does not come in time. @throws when the signal is aborted. */
async function waitFor<T>(look: () => T | undefined, signal: AbortSignal): Promise<T | undefined> {
  for (let tries = 0; tries < PATIENCE / LOOK; tries++) {
    const found = look();
    if (found) return found;
    await pause(LOOK, signal, new EventTarget());
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
 * The key that the page has set for the script, where it did so in a way that can be read: in
 * `ChargeAfter.cfg` or in `caConfig`, before the script loaded. One that was given to `init` is not.
 */
function keyOfPage(sdk: ServiceSdk): unknown {
  const configs = [Reflect.get(sdk, 'cfg'), Reflect.get(globalThis, 'caConfig')];
  return configs.filter(isObject).find(({ apiKey }) => apiKey)?.apiKey;
}

function conflict(): BlockedError {
  return new BlockedError(
    'sdk-key-conflict',
    'The service’s script is used with another public key on this page: it can have one only.',
  );
}

async function initialise(sdk: ServiceSdk, key: string): Promise<unknown> {
  const known = started.get(sdk);
  if (known) {
    if (known.key !== key) throw conflict();
    return known.ready;
  }
  const refused = () =>
    new BlockedError(
      'sdk-unusable',
      'The service’s script failed to initialise: is public-key the key of its environment?',
    );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ready = new Promise<unknown>((resolve, reject) => {
    timer = setTimeout(() => {
      const message = `The service’s script did not initialise in ${PATIENCE} ms.`;
      reject(new BlockedError('sdk-timeout', message));
    }, PATIENCE);
    try {
      const coming = sdk.init({ apiKey: key, onLoaded: () => resolve(undefined) });
      Promise.resolve(coming).then(resolve, () => reject(refused()));
    } catch {
      reject(refused());
    }
  }).finally(() => clearTimeout(timer));
  started.set(sdk, { key, ready });
  // The next try initialises it again.
  ready.catch(() => started.delete(sdk));
  return ready;
}
