import type { Presentation } from '../checkout/answer.ts';
import { parse } from '../checkout/address.ts';
import { isTrustworthy } from '../checkout/configuration.ts';
import { isObject } from '../checkout/object.ts';
import type { EndReason } from './frame.ts';
import { aborted, BlockedError } from './presentation.ts';
import type { End, Shown, Stage } from './presentation.ts';
import { loadScript } from './script.ts';

/** The service's own SDK, as far as it is used here (reference: service SDK). */
interface ServiceSdk {
  init(options: { apiKey: string }): unknown;
  payments: { present(kind: 'checkout', options: CheckoutOptions): unknown };
}

interface CheckoutOptions {
  readonly sessionToken: string;
  readonly onModalOpen: () => void;
  readonly onDataUpdate: (data: unknown, done?: unknown) => void;
  readonly onConfirm: (data: unknown, done?: unknown) => void;
  /** `token` is null on decline, cancel or error; then `status` says which. */
  readonly callback: (token: unknown, data?: unknown, status?: unknown) => void;
}

/** The key that an SDK was initialised with. It is one for the whole page. */
const keys = new WeakMap<ServiceSdk, string>();

/**
 * Has the service's own SDK show the checkout.
 * @throws {BlockedError} when it cannot be used
 */
export async function presentSdk(
  { src, integrity, global }: NonNullable<Presentation['sdk']>,
  { sessionToken, signal }: Stage,
  publicKey: string,
): Promise<Shown> {
  const url = parse(src);
  if (!url || !isTrustworthy(url)) {
    throw new BlockedError('sdk-unusable', 'The service’s script must be on https.');
  }
  // A page that loads it by itself has it once already.
  if (!find(global)) await loadScript(url, integrity);
  const sdk = find(global);
  if (!sdk) {
    throw new BlockedError('sdk-unusable', 'The service’s script sets no such global as is told.');
  }
  signal.throwIfAborted();
  initialise(sdk, publicKey);
  const done = new Promise<End>((resolve, reject) => {
    const next = (_: unknown, done?: unknown) => {
      // Nothing of ours changes by it; it may wait to hear that.
      if (typeof done === 'function') (done as (answer: object) => void)({});
    };
    const options: CheckoutOptions = {
      sessionToken,
      onModalOpen: () => undefined,
      onDataUpdate: next,
      onConfirm: next,
      callback: (token, _, status) => resolve(endOf(token, status)),
    };
    // What it threw is not told on: nobody here knows what stands in it.
    const failed = () => {
      reject(new BlockedError('sdk-unusable', 'The service’s script failed to present.'));
    };
    try {
      // It may be asynchronous; what it returns else is its own business.
      Promise.resolve(sdk.payments.present('checkout', options)).catch(failed);
    } catch {
      failed();
    }
  });
  return {
    // It cannot be closed from outside: the shopper closes what it shows.
    end: Promise.race([done, aborted(signal)]),
  };
}

function find(name: string): ServiceSdk | undefined {
  const found: unknown = Object.hasOwn(globalThis, name) && Reflect.get(globalThis, name);
  return isSdk(found) ? found : undefined;
}

function isSdk(value: unknown): value is ServiceSdk {
  return (
    isObject(value) &&
    typeof value.init === 'function' &&
    isObject(value.payments) &&
    typeof value.payments.present === 'function'
  );
}

function initialise(sdk: ServiceSdk, publicKey: string): void {
  const used = keys.get(sdk);
  if (used === publicKey) return;
  if (used !== undefined) {
    throw new BlockedError(
      'sdk-key-conflict',
      'Another element on this page uses the service’s script with another public key: it can have one only.',
    );
  }
  try {
    sdk.init({ apiKey: publicKey });
  } catch {
    throw new BlockedError('sdk-unusable', 'The service’s script failed to initialise.');
  }
  keys.set(sdk, publicKey);
}

/**
 * Codes are an open vocabulary; the companion is asked anyway, and knows. One that says nothing of a
 * failure is none: the shopper may start again.
 */
const reasons: readonly (readonly [code: RegExp, reason: EndReason])[] = [
  [/^$|FAIL|ERROR/i, 'failed'],
  [/DECLIN/i, 'declined'],
  [/PENDING/i, 'pending'],
  [/EXPIR|TIMEOUT/i, 'expired'],
];

function endOf(token: unknown, status: unknown): End {
  if (typeof token === 'string' && token) return { type: 'confirmed', confirmationToken: token };
  const code = isObject(status) ? String(status.code) : '';
  return { type: 'ended', reason: reasons.find(([known]) => known.test(code))?.[1] ?? 'cancelled' };
}
