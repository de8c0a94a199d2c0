// All imports come from the module that loads on a click, so that shoppers still load a single
// file.
import {
  Companion,
  CompanionError,
  ConfigurationError,
  configure,
  formatMoney,
  readTicket,
  settingsOf,
} from '../checkout/attempt.ts';
import type { Attributes, Configuration } from '../companion/configuration.ts';
import { mistakeOf } from './warnings.ts';
import type { Priced } from './warnings.ts';
import type { ElementTexts } from '../texts/element-texts.ts';

/** The result of one check. */
export interface Finding {
  /** Subject of the check. */
  readonly about: string;
  readonly verdict: 'good' | 'look' | 'wrong';
  /** The finding and how to fix it. Contains no key, ticket or personal data. */
  readonly advice: string;
}

/**
 * Orders below this amount, in hundredths, are rarely financed: the ticket may use major units by
 * mistake.
 */
const SMALL = 5_000;
/** Allowed clock skew between this machine and the shop's backend, in seconds. */
const SKEW = 60;

/** An element whose setup is checked. */
export type Examined = HTMLElement & Attributes & { readonly locale: string };

/** Checks an element's setup and writes the findings to the console. */
export async function examine(element: Examined, texts: ElementTexts): Promise<readonly Finding[]> {
  const findings = await findingsOf(element);
  findings.push(await languageOf(element, texts), ...amountsOf(element));
  console.groupCollapsed('<financing-checkout debug>');
  for (const { about, verdict, advice } of findings) {
    const write =
      verdict === 'wrong' ? console.error : verdict === 'look' ? console.warn : console.info;
    write(`${about}: ${advice}`);
  }
  console.groupEnd();
  watchPolicy();
  return findings;
}

/** Returns the findings. Sends one request to the companion, which does not open a checkout. */
export async function findingsOf(element: Examined): Promise<Finding[]> {
  const { version = '?' } = element.constructor as { readonly version?: string };
  const findings: Finding[] = [{ about: 'widget', verdict: 'good', advice: `version ${version}` }];
  const { environment, scenario } = element;
  if (scenario) {
    const played =
      'A scenario is simulated: no request reaches the companion, and nobody is charged.';
    return environment === 'production'
      ? [
          ...findings,
          { about: 'scenario', verdict: 'wrong', advice: 'Scenarios are refused in production.' },
        ]
      : [...findings, { about: 'scenario', verdict: 'look', advice: played }];
  }
  let configuration: Configuration;
  try {
    configuration = configure(settingsOf(element, element.locale));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { code: about, message: advice } = error;
    // Also reports a possible cause: an attribute that seems missing may be misspelled.
    return [...findings, { about, verdict: 'wrong', advice }, ...pageOf(element)];
  }
  findings.push(environmentOf(configuration), ...orderOf(configuration.order), ...pageOf(element));
  findings.push(
    ...(await companionOf(configuration)),
    policyOf(configuration, Boolean(element.phone)),
  );
  return findings;
}

/** Reports the language of the texts, which is English if there are none in the page's language. */
async function languageOf(element: Examined, texts: ElementTexts): Promise<Finding> {
  const about = 'language';
  await texts.load();
  const { current, locale } = texts;
  const { lang } = current;
  if (!element.locale && !document.querySelector('[lang]')) {
    const advice = `The page has no lang: the texts are in ${lang}, as the browser’s. Set lang or locale.`;
    return { about, verdict: 'look', advice };
  }
  if (isEnglish(lang) && !isEnglish(locale)) {
    const advice = `There are no texts for ${locale}: the element is in English. Add them by registerTexts.`;
    return { about, verdict: 'look', advice };
  }
  return { about, verdict: 'good', advice: `The texts are in ${lang}.` };
}

const isEnglish = (tag: string) => /^en(?![a-z])/i.test(tag);

function environmentOf({ environment }: Configuration): Finding {
  const about = 'environment';
  return environment === 'production'
    ? { about, verdict: 'look', advice: 'production: shoppers are charged. Remove debug.' }
    : { about, verdict: 'good', advice: `${environment}; the companion refuses every other one` };
}

function orderOf(order: string): Finding[] {
  const claims = readTicket(order);
  if (!claims) {
    const advice =
      'This is not an order ticket. It works only if the companion resolves references.';
    return [{ about: 'order', verdict: 'look', advice }];
  }
  const { totalAmount: value, currency } = claims;
  const findings: Finding[] = [];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || typeof currency !== 'string') {
    const advice = 'totalAmount must be a whole number of minor units: 129900 for $1,299.00.';
    findings.push({ about: 'order', verdict: 'wrong', advice });
  } else if (!/^[A-Z]{3}$/.test(currency)) {
    const advice = 'currency must be an ISO 4217 code: USD.';
    findings.push({ about: 'order', verdict: 'wrong', advice });
  } else {
    const written = formatMoney({ value, currency }, 'en-US');
    findings.push(
      value < SMALL
        ? {
            about: 'order',
            verdict: 'look',
            advice: `The amount is ${written}. If that is a hundredth of the price, the ticket uses whole units instead of minor units.`,
          }
        : { about: 'order', verdict: 'good', advice: `The amount is ${written}.` },
    );
  }
  return [...findings, ...timesOf(claims.issuedAt, claims.expiresAt)];
}

/** Lists what keeps the page's other elements from showing anything. */
function amountsOf({ ownerDocument }: Element): Finding[] {
  const priced = ownerDocument.querySelectorAll<HTMLElement & Priced>(
    'financing-message, financing-prequalify',
  );
  return [...priced].flatMap((one): Finding[] => {
    const mistake = mistakeOf(one);
    if (!mistake) return [];
    const verdict = /^(small|no-programmes)$/.test(mistake.kind) ? 'look' : 'wrong';
    return [{ about: one.localName, verdict, advice: mistake.advice }];
  });
}

/** Compares this machine's clock with the ticket's timestamps, which the shop's backend sets. */
function timesOf(issuedAt: unknown, expiresAt: unknown): Finding[] {
  const now = Date.now() / 1000;
  const about = 'clock';
  if (typeof issuedAt === 'number' && issuedAt - now > SKEW) {
    const ahead = Math.round(issuedAt - now);
    const advice = `The ticket was signed ${ahead} s in this machine’s future: one of the two clocks is wrong.`;
    return [{ about, verdict: 'wrong', advice }];
  }
  if (typeof expiresAt === 'number' && expiresAt < now) {
    const advice = 'The ticket has expired: the page is old or cached, or a clock is wrong.';
    return [{ about, verdict: 'wrong', advice }];
  }
  return [{ about, verdict: 'good', advice: 'The ticket is valid by this machine’s clock.' }];
}

function pageOf(element: Element): Finding[] {
  const findings: Finding[] = [];
  if (!element.querySelector('[slot=other-methods]')) {
    findings.push({
      about: 'other-methods',
      verdict: 'look',
      advice: 'The slot is empty: after a decline the shopper sees no other way to pay.',
    });
  }
  if (element.closest('dialog')) {
    findings.push({
      about: 'dialog',
      verdict: 'look',
      advice:
        'The element is in a <dialog>. If that is modal, it is not while the modal of the service’s script is open, which could not be used otherwise.',
    });
  }
  // HTML lowercases attribute names: publicKey in a tag becomes publickey.
  for (const { name } of element.attributes) {
    if (name === 'publickey' || name === 'returnurl') {
      const right = name === 'publickey' ? 'public-key' : 'return-url';
      findings.push({ about: name, verdict: 'wrong', advice: `The attribute is ${right}.` });
    }
  }
  return findings;
}

/** Looks up a checkout that cannot exist. The kind of refusal shows whether the setup is correct. */
async function companionOf(configuration: Configuration): Promise<Finding[]> {
  const about = 'companion';
  const started = performance.now();
  try {
    await new Companion(configuration).find('doctor', new AbortController().signal);
  } catch (error) {
    if (!(error instanceof CompanionError)) throw error;
    const { code, message } = error;
    if (code === 'checkout-not-found') {
      const took = Math.round(performance.now() - started);
      const advice = `It answered in ${took} ms, and accepts this key, this page and this version.`;
      return [{ about, verdict: 'good', advice }];
    }
    if (code === 'private-key-exposed') {
      const advice =
        'public-key contains the private key. Remove it and rotate it now: it is public.';
      return [{ about: code, verdict: 'wrong', advice }];
    }
    const advice =
      code === 'unreachable' && (await isReachable(configuration))
        ? `A server answers there and refuses this page: add ${location.origin} to its COMPANION_ALLOWED_ORIGINS, and check that this is the storefront listener.`
        : message;
    return [{ about: code, verdict: 'wrong', advice }];
  }
  const advice = 'It returned a checkout that cannot exist: it is not a companion.';
  return [{ about, verdict: 'wrong', advice }];
}

/**
 * Returns whether any server answers at the companion's address. Without CORS the response cannot
 * be read; without a server there is none.
 */
async function isReachable({ companion }: Configuration): Promise<boolean> {
  try {
    await fetch(`${companion}/livez`, { mode: 'no-cors', credentials: 'omit', cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}

function policyOf({ companion }: Configuration, hasPhone: boolean): Finding {
  const { origin } = new URL(companion);
  const images = hasPhone
    ? ' img-src data: for the code of phone (without it the address is shown alone);'
    : '';
  return {
    about: 'policy',
    verdict: 'good',
    advice: `If this page has a content security policy, it needs: connect-src ${origin}; trusted-types lit-html;${images} frame-src and the lender’s page. Violations are reported here as they happen.`,
  };
}

let watching = false;

/**
 * Reports each violation of the page's content security policy with the directive that would allow
 * it.
 */
function watchPolicy(): void {
  if (watching) return;
  watching = true;
  document.addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI } = event;
    const { origin } = URL.canParse(blockedURI) ? new URL(blockedURI) : { origin: blockedURI };
    console.warn(
      `<financing-checkout debug> blocked by the page’s policy: ${effectiveDirective} ${origin}`,
    );
  });
}
