// All of it by way of what a click loads, which then stays one file for everybody else.
import {
  Companion,
  CompanionError,
  ConfigurationError,
  configure,
  formatMoney,
  readTicket,
  settingsOf,
} from '../checkout/attempt.ts';
import type { Attributes, Configuration } from '../checkout/configuration.ts';

/** One thing that was looked at. */
export interface Finding {
  /** What was looked at. */
  readonly about: string;
  readonly verdict: 'good' | 'look' | 'wrong';
  /** What was found and what to do. Holds no key, no ticket and nothing personal. */
  readonly advice: string;
}

/** An order below this, in hundredths, is hardly financed: it may have been signed in whole units. */
const SMALL = 5_000;
/** How far this machine's clock and that of the shop's backend may be apart, in seconds. */
const SKEW = 60;

type Examined = HTMLElement & Attributes & { readonly locale: string };

/** Examines how an element is set up, and writes what it finds to the console. */
export async function examine(element: Examined): Promise<readonly Finding[]> {
  const findings = await findingsOf(element);
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

/** What there is to say of it. Asks the companion one question, and opens no checkout. */
export async function findingsOf(element: Examined): Promise<readonly Finding[]> {
  const { version = '?' } = element.constructor as { readonly version?: string };
  const findings: Finding[] = [{ about: 'widget', verdict: 'good', advice: `version ${version}` }];
  const { environment, scenario } = element;
  if (scenario) {
    const played = 'A scenario is played: the companion is not asked, and nobody pays.';
    return environment === 'production'
      ? [
          ...findings,
          { about: 'scenario', verdict: 'wrong', advice: 'It is refused in production.' },
        ]
      : [...findings, { about: 'scenario', verdict: 'look', advice: played }];
  }
  let configuration: Configuration;
  try {
    configuration = configure(settingsOf(element, element.locale));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { code: about, message: advice } = error;
    // With what may be the cause: an attribute that is missing may be one that is misspelt.
    return [...findings, { about, verdict: 'wrong', advice }, ...pageOf(element)];
  }
  findings.push(environmentOf(configuration), ...orderOf(configuration.order), ...pageOf(element));
  findings.push(...(await companionOf(configuration)), policyOf(configuration));
  return findings;
}

function environmentOf({ environment }: Configuration): Finding {
  const about = 'environment';
  return environment === 'production'
    ? { about, verdict: 'look', advice: 'production: shoppers are charged. Take debug off.' }
    : { about, verdict: 'good', advice: `${environment}; the companion refuses any but its own` };
}

function orderOf(order: string): Finding[] {
  const claims = readTicket(order);
  if (!claims) {
    const advice =
      'It is no order ticket. That is right only if the companion resolves references.';
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
            advice: `It comes to ${written}. If that is a hundredth of the price, it was signed in whole units instead of minor ones.`,
          }
        : { about: 'order', verdict: 'good', advice: `It comes to ${written}.` },
    );
  }
  return [...findings, ...timesOf(claims.issuedAt, claims.expiresAt)];
}

/** Two clocks: the ticket's times are the shop's backend's. */
function timesOf(issuedAt: unknown, expiresAt: unknown): Finding[] {
  const now = Date.now() / 1000;
  const about = 'clock';
  if (typeof issuedAt === 'number' && issuedAt - now > SKEW) {
    const ahead = Math.round(issuedAt - now);
    const advice = `The ticket was signed ${ahead} s in this machine’s future: one of the two clocks is wrong.`;
    return [{ about, verdict: 'wrong', advice }];
  }
  if (typeof expiresAt === 'number' && expiresAt < now) {
    const advice =
      'The ticket has expired: the page is old, or a cache keeps it, or a clock is wrong.';
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
      advice: 'The slot is empty: after a decline the shopper is shown no other way to pay.',
    });
  }
  // A tag that an attribute would misspell: HTML knows no publicKey.
  for (const { name } of element.attributes) {
    if (name === 'publickey' || name === 'returnurl') {
      const right = name === 'publickey' ? 'public-key' : 'return-url';
      findings.push({ about: name, verdict: 'wrong', advice: `The attribute is ${right}.` });
    }
  }
  return findings;
}

/** A checkout that cannot be: how it is refused says whether everything before it is right. */
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
      const advice = `It answered in ${took} ms, knows this key, lets this page in and speaks this version.`;
      return [{ about, verdict: 'good', advice }];
    }
    if (code === 'private-key-exposed') {
      const advice = 'public-key is the private key. Take it out, and rotate it now: it is public.';
      return [{ about: code, verdict: 'wrong', advice }];
    }
    return [{ about: code, verdict: 'wrong', advice: message }];
  }
  const advice = 'It knows a checkout that cannot be: it is something else than a companion.';
  return [{ about, verdict: 'wrong', advice }];
}

function policyOf({ companion }: Configuration): Finding {
  const { origin } = new URL(companion);
  return {
    about: 'policy',
    verdict: 'good',
    advice: `If this page has a content security policy, it needs: connect-src ${origin}; trusted-types lit-html; frame-src and the lender’s page. What it keeps out is told here as it happens.`,
  };
}

let watching = false;

/** From here on, what the page's policy keeps out is told as the line that would let it in. */
function watchPolicy(): void {
  if (watching) return;
  watching = true;
  document.addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI } = event;
    const { origin } = URL.canParse(blockedURI) ? new URL(blockedURI) : { origin: blockedURI };
    console.warn(
      `<financing-checkout debug> kept out by the page’s policy: ${effectiveDirective} ${origin}`,
    );
  });
}
