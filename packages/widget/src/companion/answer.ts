import type { Environment, Money, Outcome, Reversal } from '../model/outcome.ts';
import { isObject } from '../platform/object.ts';

/** A checkout as reported by the companion, reduced to the members that the widget uses. */
export interface Checkout {
  readonly id: string;
  readonly environment: Environment;
  readonly status: Outcome | 'open' | 'confirming';
  readonly amount: Money;
  readonly merchantOrderId: string;
  readonly retrySafe?: boolean | undefined;
  /** Set only for `approved`. */
  readonly reversal?: Reversal | undefined;
  /** Set only while the checkout is `open`. */
  readonly presentation?: Presentation | undefined;
}

/** Everything needed to show the hosted page. */
export interface Presentation {
  readonly sessionToken: string;
  readonly hosted?: { readonly url: string; readonly modes: readonly string[] } | undefined;
  /** The service's own browser SDK. */
  readonly sdk?:
    | {
        readonly src: string;
        readonly integrity?: string | undefined;
        /** Name of the single global variable that the script sets. */
        readonly global: string;
      }
    | undefined;
  /** The link for another device. */
  readonly link?: Link | undefined;
}

/** A link with which the shopper continues the checkout on another device. */
export interface Link {
  readonly url: string;
  /** PNG in Base64. */
  readonly qrCode?: string | undefined;
  /** `opened` once a device has opened the link. */
  readonly state: 'waiting' | 'opened' | 'expired';
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** The approved amount and the current price of the order. */
export interface Amounts {
  readonly approved: Money;
  readonly current: Money;
}

/** A problem document from the companion (RFC 9457), reduced to the members that the widget uses. */
export interface Refusal {
  readonly code: string;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retrySafe: boolean;
  /** Set only for `order-changed`. */
  readonly amounts?: Amounts | undefined;
}

type Guard<T> = (value: unknown) => value is T;

/** Returns a type guard for any one of several space-separated words. */
export function oneOf(words: string): Guard<string> {
  const known: readonly unknown[] = words.split(' ');
  return (value): value is string => known.includes(value);
}

const isStatus = oneOf(
  'open confirming approved pending declined cancelled expired unavailable failed',
) as Guard<Checkout['status']>;
/** Narrows to one of the service's environments. */
export const isEnvironment = oneOf('uat sandbox production') as Guard<Environment>;
const isReversalKind = oneOf('voided refunded reduced') as Guard<Reversal['kind']>;

export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '';
export const optionally = <T>(is: (value: unknown) => value is T) => {
  return (value: unknown): value is T | undefined => value === undefined || is(value);
};
const isFlag = optionally((value): value is boolean => typeof value === 'boolean');

/** Narrows to an amount in whole minor units. */
export function isMoney(value: unknown): value is Money {
  return (
    isObject(value) &&
    Number.isSafeInteger(value.value) &&
    typeof value.currency === 'string' &&
    /^[A-Z]{3}$/.test(value.currency)
  );
}

const isHosted = optionally(
  (value): value is { url: string; modes: string[] } =>
    isObject(value) && isText(value.url) && Array.isArray(value.modes),
);

/**
 * Only checks that these are objects. `sdk-ready.ts` and `phone.ts` check the members, so that only
 * pages that use those files load the code for it.
 */
const isSdkOrLink = optionally(isObject);

/** Narrows to a presentation's data or undefined. */
export const isPresentation = optionally(
  (value): value is Presentation =>
    isObject(value) &&
    isText(value.sessionToken) &&
    isHosted(value.hosted) &&
    isSdkOrLink(value.sdk) &&
    isSdkOrLink(value.link),
);

const isReversal = optionally(
  (value): value is Reversal =>
    isObject(value) && isReversalKind(value.kind) && optionally(isMoney)(value.amount),
);

const isAmounts = optionally(
  (value): value is Amounts => isObject(value) && isMoney(value.approved) && isMoney(value.current),
);

/**
 * Narrows to a checkout from the companion. Unknown members are accepted, but not an unknown
 * status, for which the widget could show nothing accurate.
 */
export function isCheckout(value: unknown): value is Checkout {
  return (
    isObject(value) &&
    isText(value.id) &&
    isEnvironment(value.environment) &&
    isStatus(value.status) &&
    isMoney(value.amount) &&
    isText(value.merchantOrderId) &&
    isFlag(value.retrySafe) &&
    isReversal(value.reversal) &&
    isPresentation(value.presentation) &&
    (value.status !== 'open' || value.presentation !== undefined)
  );
}

/** Narrows to a problem document. */
export function isRefusal(value: unknown): value is Refusal {
  return (
    isObject(value) &&
    isText(value.code) &&
    isText(value.title) &&
    optionally(isText)(value.detail) &&
    optionally(isText)(value.requestId) &&
    typeof value.retrySafe === 'boolean' &&
    isAmounts(value.amounts)
  );
}
