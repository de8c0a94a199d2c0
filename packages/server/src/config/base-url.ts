import { type Environment, environments } from '@financing-checkout/contract/storefront';
import type { VariableType } from '@financing-checkout/kit/env';

/** Words in base URLs that reveal the environment. */
const words: Record<Environment, readonly string[]> = {
  uat: ['uat'],
  sandbox: ['sandbox', 'sbx'],
  production: ['production', 'prod', 'live'],
};
/** Words in base URLs that rule out production. */
const trialWords = ['test', 'testing', 'staging', 'stage', 'demo', 'dev', 'qa', 'preprod'];

/** The service's base URL in each environment, as the merchant has configured it. */
export type KnownBaseUrls = Partial<Record<Environment, string>>;

/** Returns whether a URL is https: over http the key would be readable (specification 5.1). */
export function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === 'https:' && `${username}${password}${search}${hash}` === '';
}

/**
 * Returns the reason why a base URL cannot belong to an environment; undefined if it can. Keys look the
 * same in all environments and only the base URL differs (specification 5.5), so a mix-up would silently
 * send real orders to a sandbox, or a test to a real lender.
 */
export function mixUp(
  baseUrl: string,
  environment: Environment,
  known: KnownBaseUrls,
): string | undefined {
  const address = comparable(baseUrl);
  const listed = environments.filter(
    (name) => known[name] !== undefined && comparable(known[name]) === address,
  );
  if (listed.includes(environment)) return undefined;
  const [other] = listed;
  if (other !== undefined) {
    return `is the address of "${other}" in FINANCING_KNOWN_BASE_URLS, but FINANCING_ENVIRONMENT is "${environment}"`;
  }
  if (known[environment] !== undefined) {
    return `is not the address of "${environment}" in FINANCING_KNOWN_BASE_URLS`;
  }
  const { hostname, pathname } = new URL(baseUrl);
  const found = new Set(`${hostname}${pathname}`.toLowerCase().split(/[^a-z]+/));
  const has = (name: Environment) => words[name].some((word) => found.has(word));
  if (has(environment)) return undefined;
  const suspect =
    environments.find(has) ??
    (environment === 'production' && trialWords.some((word) => found.has(word))
      ? 'test'
      : undefined);
  return suspect === undefined
    ? undefined
    : `looks like an address of "${suspect}", but FINANCING_ENVIRONMENT is "${environment}"; if it is correct, list it in FINANCING_KNOWN_BASE_URLS (${environment}=<address>)`;
}

export const knownBaseUrls: VariableType<KnownBaseUrls> = {
  read(text, { refuse }) {
    const known: KnownBaseUrls = {};
    for (const entry of text.split(',')) {
      const [name, address] = split(entry);
      const environment = environments.find((candidate) => candidate === name);
      if (environment === undefined || !isBaseUrl(address)) return undefined;
      if (known[environment] !== undefined)
        refuse(`names "${environment}" twice: keep one of them`);
      known[environment] = address;
    }
    return known;
  },
  rule: 'must be <environment>=<https address>, separated by commas',
};

function split(entry: string): [name: string, address: string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, Math.max(0, at)).trim(), entry.slice(at + 1).trim()];
}

function comparable(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.replace(/\/+$/, '')}`.toLowerCase();
}

/**
 * Returns a web origin as browsers send it (RFC 6454 6.2): lowercase, with an internationalized
 * host name in ASCII, without the default port. Returns undefined for a URL with a path, a user or
 * a query.
 */
export function canonicalOrigin(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Returns the reason why no page can have this origin; undefined for a valid origin. */
export function originProblem(text: string): string | undefined {
  if (text.includes('*')) {
    return 'holds a wildcard, which no browser sends: name each origin';
  }
  if (canonicalOrigin(text) !== undefined) return undefined;
  return 'is no origin such as https://shop.example (no path, no final slash)';
}
