import type { Secret } from '@financing-checkout/kit';
import {
  ConfigurationError,
  guardListener,
  isPlainOverNetwork,
  readProxy,
  refuseDuplicates,
} from '@financing-checkout/kit/env';
import { mixUp } from './base-url.ts';
import { readProgrammes } from './programmes.ts';
import { type BackOfficeToken, type Scope, SINGLE_TOKEN_NAME } from './scopes.ts';
import { isInMemory, type StoreLocation } from './store.ts';
import {
  type CompanionEnvironment,
  environmentOf,
  filledTemplate,
  HOSTED_RULE,
  prefixes,
  type StatedSettings,
} from './variables.ts';

export { ConfigurationError };

/** The companion's validated configuration: its settings, and values derived from them. */
export type CompanionConfiguration = ReturnType<typeof readConfiguration>;

/**
 * Reads the configuration from environment variables, and each secret also from the file that
 * `<name>_FILE` names.
 * @param readFile reads a text file, or throws
 * @throws {ConfigurationError} that lists all problems
 */
export function readConfiguration(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
) {
  const env = environmentOf(given, readFile);
  const stated = env.settings();
  checkService(env, stated);
  checkCertificates(env);
  const proxy = readProxy(env, given);
  const programmeFile = readProgrammes(env);
  if (
    !env.isNamed('NOTIFICATION_AUTHORIZATION') &&
    env.isNamed('NOTIFICATION_AUTHORIZATION_PREVIOUS')
  ) {
    const message = 'is required with NOTIFICATION_AUTHORIZATION_PREVIOUS';
    env.problem('NOTIFICATION_AUTHORIZATION', message);
  }
  const backOfficeTokens = readTokens(env, stated);
  checkListeners(env, stated);
  if (stated.environment === 'production') {
    const reason = 'in production, attempts at the service must outlive the companion';
    refuseInMemory(env, stated.storeLocation, reason);
  }
  const secretFiles = env.secretFiles((reader, variable, secret) => {
    // The shop knows the ticket secrets, so none of them may be a service key.
    if (variable.startsWith('ORDER_TICKET_')) refuseKey(reader, variable, secret, stated);
  });
  const settings = env.complete();
  return {
    ...settings,
    proxy,
    programmeFile,
    backOfficeTokens,
    /** Private key files, watched for changes. */
    privateKeyFiles: (
      ['FINANCING_PRIVATE_API_KEY', 'FINANCING_PRIVATE_API_KEY_NEXT'] as const
    ).flatMap((name, slot) => {
      const path = env.fileOf(name);
      return path === undefined ? [] : [{ slot: slot === 0 ? (0 as const) : (1 as const), path }];
    }),
    /** Back-office token files, watched for changes. */
    backOfficeTokenFiles: env.filesOf([MANY, ONE], (again) =>
      readTokens(again, { ...settings, backOfficeTokens: again.read(MANY) ?? [] }),
    ),
    /** Files of other secrets, watched for changes. */
    secretFiles,
    /** Variable names that look like misspelled variables of the companion. */
    unknownVariables: env.unknownVariables(prefixes),
  };
}

/**
 * Returns whether production pages run a script without an integrity hash, in which case the
 * script's host controls which code runs in the shop's page. The published script changes at its
 * URL, so the service publishes no hash.
 */
export function isScriptUnpinned({
  environment,
  sdk,
}: Pick<CompanionConfiguration, 'environment' | 'sdk'>): boolean {
  return environment === 'production' && sdk !== undefined && sdk.integrity === undefined;
}

/**
 * Reads only the location of the store: a migration needs no service key.
 * @throws {ConfigurationError}
 */
export function readStoreConfiguration(
  variables: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): StoreLocation {
  const env = environmentOf(variables, readFile);
  const store = env.read('COMPANION_STORE');
  refuseInMemory(env, store, 'only the companion that holds it can read it');
  // If the file is unreadable, the default would be a different database from the intended one.
  env.refuseProblems();
  return store;
}

function refuseInMemory(env: CompanionEnvironment, location: StoreLocation, reason: string): void {
  if (isInMemory(location)) env.problem('COMPANION_STORE', `is in memory: ${reason}`);
}

/** Checks that base URL, keys and hosted page fit the environment and each other. */
function checkService(env: CompanionEnvironment, stated: StatedSettings): void {
  const { baseUrl, environment, hostedUrl, knownBaseUrls = {}, publicKey } = stated;
  if (baseUrl !== undefined && environment !== undefined) {
    const message = mixUp(baseUrl, environment, knownBaseUrls);
    if (message !== undefined) env.problem('FINANCING_BASE_URL', message);
  }
  if (publicKey !== undefined && keysOf(stated).some((key) => key.equals(publicKey))) {
    const message = 'is the same as the private key, which pages would receive';
    env.problem('FINANCING_PUBLIC_API_KEY', message);
  }
  // Plain http would let anyone on the network path read the session.
  if (environment === 'production' && hostedUrl && isPlainOverNetwork(filledTemplate(hostedUrl))) {
    env.problem('FINANCING_HOSTED_URL', HOSTED_RULE);
  }
}

const keysOf = ({
  nextPrivateKey,
  privateKey,
}: Pick<StatedSettings, 'nextPrivateKey' | 'privateKey'>) =>
  [privateKey, nextPrivateKey].filter((key) => key !== undefined);

/** Checks the certificate file here, because later errors would be less specific. */
function checkCertificates(env: CompanionEnvironment): void {
  const name = 'FINANCING_CA_FILE';
  const file = env.file(name);
  if (file === undefined) return;
  if (!/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(file.text)) {
    env.problem(name, 'points to a file without a certificate in PEM');
  }
}

const ONE = 'COMPANION_BACK_OFFICE_TOKEN';
const MANY = 'COMPANION_BACK_OFFICE_TOKENS';
const ALL: readonly Scope[] = ['fundings', 'webhooks', 'links', 'money'];

/** Adds the single token to the others and checks them all. */
function readTokens(env: CompanionEnvironment, stated: StatedSettings): BackOfficeToken[] {
  const secret = env.read(ONE);
  const single = secret && [{ name: SINGLE_TOKEN_NAME, scopes: ALL, secret }];
  const tokens = [...(single ?? []), ...stated.backOfficeTokens];
  refuseDuplicates(env, MANY, tokens);
  for (const { name, secret } of tokens) {
    refuseKey(env, name === SINGLE_TOKEN_NAME ? ONE : MANY, secret, stated);
  }
  return tokens;
}

/**
 * Refuses a secret that equals a service key. Every page contains the public key, so any visitor
 * could sign orders or read the ledger; and the shop, which knows the shared secrets, would have
 * the private key.
 */
function refuseKey(
  env: CompanionEnvironment,
  variable: string,
  secret: Secret,
  stated: StatedSettings,
): void {
  const text = secret.reveal();
  if (text === stated.publicKey) {
    env.problem(variable, 'is the same as the public key, which every page has');
  }
  if (keysOf(stated).some((key) => key.equals(text))) {
    env.problem(variable, 'is the same as a private key, which is for the service alone');
  }
}

function checkListeners(
  env: CompanionEnvironment,
  { backOffice, backOfficeInsecure, storefront }: StatedSettings,
): void {
  guardListener(
    env,
    { address: backOffice.host, isInsecure: backOfficeInsecure },
    {
      host: 'COMPANION_BACK_OFFICE_HOST',
      tokens: [MANY, ONE],
      insecure: 'COMPANION_BACK_OFFICE_INSECURE',
    },
  );
  const { host, port } = storefront;
  if (host === backOffice.host && port === backOffice.port && port !== 0) {
    env.problem('COMPANION_BACK_OFFICE_PORT', 'is the port of the storefront listener');
  }
}
