import type { Environment } from '@financing-checkout/contract';
import { environments } from '@financing-checkout/contract';
import { type CompanionEnvironment, isBaseUrl } from './variables.ts';

/** Words in base URLs that reveal the environment. */
const words: Record<Environment, readonly string[]> = {
  uat: ['uat'],
  sandbox: ['sandbox', 'sbx'],
  production: ['production', 'prod', 'live'],
};
/** Words in base URLs that rule out production. */
const trialWords = ['test', 'testing', 'staging', 'stage', 'demo', 'dev', 'qa', 'preprod'];

/** The merchant's list of the service's base URL in each environment. */
export type KnownBaseUrls = Partial<Record<Environment, string>>;

/**
 * Reads FINANCING_BASE_URL and rejects the base URL of another environment. Keys look the same in
 * all environments and only the base URL differs (specification 5.5), so a mix-up would silently
 * send real orders to a sandbox, or a test to a real lender.
 */
export function readBaseUrl(
  env: CompanionEnvironment,
  environment: Environment | undefined,
): { baseUrl: string | undefined; knownBaseUrls: KnownBaseUrls } {
  const baseUrl = env.read('FINANCING_BASE_URL');
  const knownBaseUrls = readKnown(env);
  if (baseUrl !== undefined && environment !== undefined) {
    const message = mixUp(baseUrl, environment, knownBaseUrls);
    if (message !== undefined) env.problem('FINANCING_BASE_URL', message);
  }
  return { baseUrl, knownBaseUrls };
}

/** Returns the reason why a base URL cannot belong to an environment; undefined if it can. */
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

function readKnown(env: CompanionEnvironment): KnownBaseUrls {
  const known: KnownBaseUrls = {};
  const text = env.read('FINANCING_KNOWN_BASE_URLS');
  const isList = text?.split(',').every((entry) => {
    const [name, address] = split(entry);
    return environments.some((environment) => environment === name) && isBaseUrl(address);
  });
  if (text === undefined || !isList) {
    if (text !== undefined) {
      env.problem(
        'FINANCING_KNOWN_BASE_URLS',
        'must be <environment>=<https address>, separated by commas',
      );
    }
    return known;
  }
  for (const entry of text.split(',')) {
    const [name, address] = split(entry);
    const environment = environments.find((candidate) => candidate === name);
    if (environment === undefined) continue;
    if (known[environment] !== undefined) {
      env.problem('FINANCING_KNOWN_BASE_URLS', `names "${environment}" twice: keep one of them`);
    }
    known[environment] = address;
  }
  return known;
}

function split(entry: string): [name: string, address: string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, Math.max(0, at)).trim(), entry.slice(at + 1).trim()];
}

function comparable(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.replace(/\/+$/, '')}`.toLowerCase();
}
