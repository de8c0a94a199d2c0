import type { Environment } from '../outcome.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { addressOf, parse } from './address.ts';
import { routeOf } from '../presentations/return.ts';
import { isEnvironment } from './answer.ts';

/** What a checkout needs, checked. */
export interface Configuration {
  readonly publicKey: string;
  readonly environment: Environment;
  /** Address of the companion, absolute, without a slash at its end. */
  readonly companion: string;
  readonly order: string;
  readonly returnUrl: string | undefined;
  /** Why a redirect cannot be used, where another presentation can. */
  readonly complaint: ConfigurationError | undefined;
  readonly locale: string | undefined;
  /** Ways to show the hosted checkout, the first one that works is taken. */
  readonly presentations: readonly PresentationName[];
}

/** How the hosted checkout can be shown. */
export type PresentationName = 'embedded' | 'popup' | 'redirect' | 'sdk';
/** What the companion takes. */
const LONGEST_URL = 2048;
/** Every way, in the order of `auto`: the service publishes its SDK, and no hosted address. */
const known: readonly PresentationName[] = ['sdk', 'embedded', 'popup', 'redirect'];

/** The element's properties; an attribute that is taken away sets one to null. */
export interface Attributes {
  readonly publicKey?: string | null | undefined;
  readonly environment?: string | null | undefined;
  readonly companion?: string | null | undefined;
  order?: string | null | undefined;
  readonly returnUrl?: string | null | undefined;
  readonly presentation?: string | null | undefined;
  readonly scenario?: string | Scenario | null | undefined;
}

/** The attributes as the page gave them. */
export interface Settings {
  readonly publicKey: string;
  readonly environment: string;
  readonly companion: string;
  readonly order: string;
  readonly returnUrl: string;
  readonly locale: string;
  /** Names, the preferred one first; nothing is the same as `auto`. */
  readonly presentation: string;
}

/** What the attributes say now. A template may put blanks around a key; the companion takes them off a ticket. */
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

/** The page is set up in a way no checkout can start from. */
export class ConfigurationError extends Error {
  declare readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether an address is safe to speak to: https, or this very machine. */
export function isTrustworthy(url: URL): boolean {
  const local = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && local);
}

/**
 * Checks the attributes. Names what is wrong, never its value: a wrong key might be the private one.
 * @throws {ConfigurationError}
 */
export function configure(settings: Settings): Configuration {
  const { publicKey, environment, companion, order, returnUrl, locale, presentation } = settings;
  if (!globalThis.isSecureContext) {
    throw new ConfigurationError('insecure-context', 'Serve this page over https.');
  }
  // What may stand in an Authorization header (RFC 6750 2.1); anything else would make fetch throw.
  if (!/^[\w.~+/-]+=*$/.test(publicKey)) {
    throw new ConfigurationError('public-key-missing', 'Set public-key.');
  }
  if (!isEnvironment(environment)) {
    throw new ConfigurationError(
      'environment-missing',
      'Set environment to exactly uat, sandbox or production.',
    );
  }
  const base = parse(companion);
  if (!companion || !base || !isTrustworthy(base)) {
    throw new ConfigurationError('companion-missing', 'Set companion to an https address.');
  }
  if (!order) {
    throw new ConfigurationError('order-missing', 'Set order to a signed order ticket.');
  }
  let presentations = ladder(presentation);
  // A page that names a redirect comes back to where it is. By itself its address goes nowhere:
  // there may be more in it than is for others to know.
  const here = /\bredirect\b/.test(presentation) ? location.href : '';
  const back = returnUrl || here ? parse(returnUrl || here) : undefined;
  if (back) {
    back.hash = routeOf(back.hash);
    // A fragment that is no route may be a secret of the page: it is given away where that says so.
    if (!returnUrl && /^#[^!/].*=/.test(back.hash)) back.hash = '';
  }
  let complaint: ConfigurationError | undefined;
  if ((returnUrl && back?.origin !== location.origin) || (back?.href.length ?? 0) > LONGEST_URL) {
    complaint = new ConfigurationError(
      'return-url-invalid',
      `Set return-url to a page of this origin, of ${LONGEST_URL} characters at most.`,
    );
    // Only a redirect needs it: the others go on without.
    presentations = presentations.filter((name) => name !== 'redirect');
    if (!presentations[0]) throw complaint;
  }
  const tag = locale.replaceAll('_', '-');
  return {
    publicKey,
    environment,
    companion: addressOf(base),
    order,
    returnUrl: complaint ? undefined : back?.href,
    complaint,
    presentations,
    locale: /^(?=.{2,35}$)[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(tag) ? tag : undefined,
  };
}

/** @throws {ConfigurationError} */
function ladder(presentation: string): readonly PresentationName[] {
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
