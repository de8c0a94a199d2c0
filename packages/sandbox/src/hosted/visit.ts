import type { Application } from '../checkout/application.ts';
import type { Service } from '../service.ts';

/** The parameters of the page URL, which each form passes on. */
export interface Visit {
  session: string;
  key: string;
  /** Origin of the storefront page, the only one that may frame this page and get its messages. */
  origin: string;
  /** Return URL of a redirect, on that origin; empty for a frame or popup. */
  returnUrl: string;
  locale: string;
}

/** The result of opening the page. */
export type Arrival =
  | { kind: 'application'; application: Application }
  | { kind: 'failed'; cause: 'key' | 'session' };

/** Maximum length of a parameter. */
const MAX = 4096;

/**
 * Reads the parameters. Returns undefined when the origin is not a plain HTTP(S) origin, or when
 * the return URL is on another origin, which would leak the confirmation token to the link's
 * author.
 */
export function readVisit(parameter: (name: string) => string | undefined): Visit | undefined {
  const read = (name: string) => (parameter(name) ?? '').slice(0, MAX);
  const returnUrl = read('return');
  const returnOrigin = returnUrl === '' ? undefined : webOrigin(returnUrl);
  const origin = read('origin') || returnOrigin;
  if (!origin || webOrigin(origin) !== origin) return undefined;
  if (returnUrl !== '' && returnOrigin !== origin) return undefined;
  return { session: read('session'), key: read('key'), origin, returnUrl, locale: read('locale') };
}

/** Finds the application, provided the public key belongs to its environment (specification 5.4). */
export function arrive(visit: Visit, { applications, keys }: Service): Arrival {
  const key = keys.identify(visit.key);
  if (key?.kind !== 'public' || key.slot === 'outdated') return { kind: 'failed', cause: 'key' };
  const application = applications.bySessionToken(visit.session);
  if (!application) return { kind: 'failed', cause: 'session' };
  if (application.environment !== key.environment) return { kind: 'failed', cause: 'key' };
  return { kind: 'application', application };
}

/** Returns the URL of this page for a visit. */
export function addressOf(visit: Visit): string {
  const parameters = new URLSearchParams({
    session: visit.session,
    key: visit.key,
    origin: visit.origin,
  });
  if (visit.returnUrl !== '') parameters.set('return', visit.returnUrl);
  if (visit.locale !== '') parameters.set('locale', visit.locale);
  return `/checkout?${parameters.toString()}`;
}

function webOrigin(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' ? url.origin : undefined;
}
