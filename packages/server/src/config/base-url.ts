import type { Environment } from '@financing-checkout/contract';
import { environments } from '@financing-checkout/contract';
import type { EnvironmentReader } from './reader.ts';

/** Words of addresses that give an environment away. */
const words: Record<Environment, readonly string[]> = {
  uat: ['uat'],
  sandbox: ['sandbox', 'sbx'],
  production: ['production', 'prod', 'live'],
};
/** Words of addresses that are nobody's production. */
const trialWords = ['test', 'testing', 'staging', 'stage', 'demo', 'dev', 'qa', 'preprod'];

/** The base address of the service in each environment, as far as the merchant lists them. */
export type KnownBaseUrls = Partial<Record<Environment, string>>;

/**
 * Reads FINANCING_BASE_URL and refuses one that belongs to another environment. Keys look the same
 * in all of them and only the base address tells them apart (specification 5.5), so a mix-up would
 * send real orders to a sandbox, or a test to a real lender, and nobody would be told.
 */
export function readBaseUrl(
  env: EnvironmentReader,
  environment: Environment | undefined,
): { baseUrl: string | undefined; knownBaseUrls: KnownBaseUrls } {
  const baseUrl = env.required('FINANCING_BASE_URL', isBaseUrl, 'must be an https address');
  const knownBaseUrls = readKnown(env);
  if (baseUrl !== undefined && environment !== undefined) {
    const message = mixUp(baseUrl, environment, knownBaseUrls);
    if (message !== undefined) env.problem('FINANCING_BASE_URL', message);
  }
  return { baseUrl, knownBaseUrls };
}

/** Why an address cannot be that of an environment; undefined when nothing speaks against it. */
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
    return `is that of "${other}" in FINANCING_KNOWN_BASE_URLS, but FINANCING_ENVIRONMENT is "${environment}"`;
  }
  if (known[environment] !== undefined) {
    return `is not that of "${environment}" in FINANCING_KNOWN_BASE_URLS`;
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
    : `looks like one of "${suspect}", but FINANCING_ENVIRONMENT is "${environment}"; if it is right, say so in FINANCING_KNOWN_BASE_URLS (${environment}=<address>)`;
}

function readKnown(env: EnvironmentReader): KnownBaseUrls {
  const known: KnownBaseUrls = {};
  const text = env.text(
    'FINANCING_KNOWN_BASE_URLS',
    (value) =>
      value.split(',').every((entry) => {
        const [name, address] = split(entry);
        return environments.some((environment) => environment === name) && isBaseUrl(address);
      }),
    'must be <environment>=<https address>, separated by commas',
  );
  for (const entry of text?.split(',') ?? []) {
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

/** https alone: the key would travel in the clear (specification 5.1). */
function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === 'https:' && `${username}${password}${search}${hash}` === '';
}
