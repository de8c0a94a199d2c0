import type { Environment } from '../model/outcome.ts';
import type { Scenario } from '../model/scenario.ts';
import { addressOf, parse } from '../platform/address.ts';
import { isTrustworthy } from '../platform/trustworthy.ts';
import { isEnvironment } from './answer.ts';
import { routeOf } from './return-fragment.ts';

/** A checkout's validated settings. */
export interface Configuration extends PageConfiguration {
  readonly order: string;
}

/** The validated settings that do not depend on an order. */
export interface PageConfiguration {
  readonly publicKey: string;
  readonly environment: Environment;
  /** Absolute URL of the companion, without a trailing slash. */
  readonly companion: string;
  readonly returnUrl: string | undefined;
  /** Why a redirect cannot be used, if another presentation still can. */
  readonly complaint: ConfigurationError | undefined;
  readonly locale: string | undefined;
  /** Presentations in order of preference; the first one that works is used. */
  readonly presentations: readonly PresentationName[];
}

/** The ways to show the hosted checkout. */
export type PresentationName = 'embedded' | 'popup' | 'redirect' | 'sdk';
/** The companion's limit for URL lengths. */
const LONGEST_URL = 2048;
/**
 * All presentations, in the order of `auto`: the service publicly documents its SDK, but no hosted
 * page URL.
 */
const known: readonly PresentationName[] = ['sdk', 'embedded', 'popup', 'redirect'];

/** The element's properties. Removing an attribute sets its property to null. */
export interface Attributes {
  readonly publicKey?: string | null | undefined;
  readonly environment?: string | null | undefined;
  readonly companion?: string | null | undefined;
  order?: string | null | undefined;
  readonly returnUrl?: string | null | undefined;
  readonly presentation?: string | null | undefined;
  readonly scenario?: string | Scenario | null | undefined;
  /** Whether the shopper may continue on another device. */
  readonly phone?: boolean | null | undefined;
}

/** The attributes as the page set them. */
export interface Settings {
  readonly publicKey: string;
  readonly environment: string;
  readonly companion: string;
  readonly order: string;
  readonly returnUrl: string;
  readonly locale: string;
  /** Names in order of preference; an empty string means `auto`. */
  readonly presentation: string;
}

/**
 * Reads the attributes. Removes the whitespace that a template may put around a key; the companion
 * does so for a ticket.
 */
export function settingsOf(attributes: Attributes, locale: string): Settings {
  const { publicKey, environment, companion, order, returnUrl, presentation } = attributes;
  return {
    publicKey: publicKey?.trim() ?? '',
    environment: environment ?? '',
    companion: companion ?? '',
    order: order ?? '',
    returnUrl: returnUrl ?? '',
    presentation: presentation ?? '',
    locale,
  };
}

/** The page's configuration does not allow a checkout to start. */
export class ConfigurationError extends Error {
  declare readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Validates the attributes. An error names the attribute, but never its value: a wrong key might be
 * the private key.
 * @throws {ConfigurationError}
 */
export function configure(settings: Settings): Configuration {
  const { order } = settings;
  const page = configurePage(settings);
  if (!order) {
    throw new ConfigurationError('order-missing', 'Set order to a signed order ticket.');
  }
  return { ...page, order };
}

/**
 * Validates the attributes that do not depend on an order.
 * @throws {ConfigurationError}
 */
export function configurePage(settings: Settings): PageConfiguration {
  const { publicKey, environment, companion, returnUrl, locale, presentation } = settings;
  if (!globalThis.isSecureContext) {
    throw new ConfigurationError('insecure-context', 'Serve this page over https.');
  }
  // The characters of an Authorization header (RFC 6750 2.1); fetch throws on any other.
  if (!/^[\w.~+/-]+=*$/.test(publicKey)) {
    throw new ConfigurationError('public-key-missing', 'Set public-key.');
  }
  if (!isEnvironment(environment)) {
    throw new ConfigurationError(
      'environment-missing',
      'Set environment to uat, sandbox or production.',
    );
  }
  const base = parse(companion);
  if (!companion || !base || !isTrustworthy(base)) {
    throw new ConfigurationError('companion-missing', 'Set companion to an https URL.');
  }
  let presentations = presentationsOf(presentation);
  // A page that lists `redirect` returns to its own URL by default. Otherwise the page's URL is not
  // sent, because it may contain private data.
  const here = /\bredirect\b/.test(presentation) ? location.href : '';
  const back = returnUrl || here ? parse(returnUrl || here) : undefined;
  if (back) {
    back.hash = routeOf(back.hash);
    // A fragment that is not a route may be one of the page's secrets, so only an explicit
    // return-url can include it.
    if (!returnUrl && /^#[^!/].*=/.test(back.hash)) back.hash = '';
  }
  let complaint: ConfigurationError | undefined;
  if ((returnUrl && back?.origin !== location.origin) || (back?.href.length ?? 0) > LONGEST_URL) {
    complaint = new ConfigurationError(
      'return-url-invalid',
      'Set return-url to a short URL of this origin.',
    );
    // Only a redirect needs return-url, so the other presentations remain available.
    presentations = presentations.filter((name) => name !== 'redirect');
    if (!presentations[0]) throw complaint;
  }
  const tag = locale.replaceAll('_', '-');
  return {
    publicKey,
    environment,
    companion: addressOf(base),
    returnUrl: complaint ? undefined : back?.href,
    complaint,
    presentations,
    locale: /^(?=.{2,35}$)[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(tag) ? tag : undefined,
  };
}

/** @throws {ConfigurationError} */
function presentationsOf(presentation: string): readonly PresentationName[] {
  const names = presentation.split(/\s+/).filter(Boolean);
  if (names.length === 0) return known;
  return names.flatMap((name) => {
    if (name === 'auto') return known;
    const found = known.find((one) => one === name);
    if (found) return found;
    throw new ConfigurationError(
      'presentation-invalid',
      `Set presentation to auto, or to ${known.join()}.`,
    );
  });
}
