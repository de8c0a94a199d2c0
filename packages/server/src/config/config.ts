import type { Environment } from '@financing-checkout/contract';
import {
  ConfigurationError,
  isPlainOverNetwork,
  type ProxyConfiguration,
  readProxy,
  SecretFiles,
} from '@financing-checkout/kit/env';
import type { PrivateKey } from '../keys/private-key.ts';
import type { Secret } from '@financing-checkout/kit';
import type { BrowserSdk } from '../checkout/context.ts';
import type { CheckoutOperation } from '../service/prime.ts';
import type { WebhookTarget } from '@financing-checkout/kit/outbox';
import type { BackOfficeToken } from '../back-office/access.ts';
import { type BackOfficeConfiguration, readBackOffice } from './back-office.ts';
import { type KnownBaseUrls, readBaseUrl } from './base-url.ts';
import { type Limits, readLimits } from './limits.ts';
import type { Listener } from './listener.ts';
import { type ProgrammeSource, readProgrammes } from './programmes.ts';
import { readSdk } from './sdk.ts';
import { privateKeyFiles, readCertificates } from './secrets.ts';
import { refuseKeysAsSecrets, refuseKeysAsTokens } from './separation.ts';
import { readStoreLocation, type StoreLocation } from './store.ts';
import { canonicalOrigin, originProblem } from '../platform/http/origin.ts';
import { type CompanionEnvironment, environmentOf, prefixes } from './variables.ts';
import { readNotificationAuthorizations, readWebhook } from './webhook.ts';

export { ConfigurationError };

/** The validated configuration of the companion. Secrets in it print as "[redacted]". */
export interface CompanionConfiguration extends BackOfficeConfiguration {
  environment: Environment;
  baseUrl: string;
  caFile: string | undefined;
  /** The proxy for calls to the service and messages to the shop. */
  proxy: ProxyConfiguration | undefined;
  /**
   * Timeout of one call to the service, in milliseconds. Leases and waits are multiples of this
   * timeout.
   */
  deadlineMs: number;
  /** Timeout of the call that creates a charge, in milliseconds. */
  chargeDeadlineMs: number;
  publicKey: string;
  privateKeys: [PrivateKey, ...PrivateKey[]];
  /** Private key files to watch: slot 0 is the current key, slot 1 the next key. */
  privateKeyFiles: { slot: 0 | 1; path: string }[];
  /** The merchant's list of base URLs, to detect a mix-up of environments. */
  knownBaseUrls: KnownBaseUrls;
  limits: Limits;
  hostedUrl: string | undefined;
  sdk: BrowserSdk | undefined;
  /** The operation of the service that opens a session. */
  checkoutOperation: CheckoutOperation;
  programmes: ProgrammeSource | undefined;
  settle: 'on-approval' | 'later';
  defaultCurrency: string;
  ticketSecrets: [Secret, ...Secret[]];
  ticketAudience: string;
  oneTimeTickets: boolean;
  /** Whether an order ticket may state no environment. */
  ticketEnvironmentOptional: boolean;
  docsUrl: string | undefined;
  /** Maximum lifetime of an order ticket, in seconds. */
  ticketMaxLifetimeSeconds: number;
  /** If empty, notifications from the service are refused. */
  notificationAuthorizations: Secret[];
  allowedOrigins: string[];
  /** The files of the back-office tokens, which are watched. */
  backOfficeTokenFiles: SecretFiles<BackOfficeToken[]>;
  storefront: Listener;
  store: StoreLocation;
  /** Whether the store is migrated at each start or only by `financing-companion migrate`. */
  migrate: 'on-start' | 'never';
  webhook: WebhookTarget | undefined;
  logLevel: 'debug' | 'info' | 'warn' | 'error';
  logFormat: 'json' | 'text';
  /** Variable names that look like misspelled variables of the companion. */
  unknownVariables: string[];
}

/**
 * Reads the configuration from environment variables, and each secret also from the file that
 * `<name>_FILE` names.
 * @param readFile reads a text file, or throws
 * @throws {ConfigurationError} that lists all problems
 */
export function readConfiguration(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): CompanionConfiguration {
  const env = environmentOf(given, readFile);

  const environment = env.read('FINANCING_ENVIRONMENT');
  const { baseUrl, knownBaseUrls } = readBaseUrl(env, environment);
  const caFile = readCertificates(env);
  const proxy = readProxy(env, given);
  const deadlineMs = env.read('FINANCING_DEADLINE_MS');
  const chargeDeadlineMs = env.read('FINANCING_CHARGE_DEADLINE_MS');
  const publicKey = env.read('FINANCING_PUBLIC_API_KEY');
  const keys = [
    env.read('FINANCING_PRIVATE_API_KEY'),
    // The file may exist before the key does, because it is watched.
    env.read('FINANCING_PRIVATE_API_KEY_NEXT'),
  ].filter((key) => key !== undefined);
  if (publicKey !== undefined && keys.some((key) => key.equals(publicKey))) {
    env.problem(
      'FINANCING_PUBLIC_API_KEY',
      'is the same as the private key, which pages would receive',
    );
  }
  const hostedUrl = env.read('FINANCING_HOSTED_URL');
  if (hostedUrl !== undefined && !isHostedTemplate(hostedUrl, environment !== 'production')) {
    env.problem('FINANCING_HOSTED_URL', HOSTED_RULE);
  }
  const sdk = readSdk(env);
  const checkoutOperation = env.read('FINANCING_CHECKOUT_OPERATION');
  const programmes = readProgrammes(env);
  const settle = env.read('FINANCING_SETTLE');
  const defaultCurrency = env.read('FINANCING_DEFAULT_CURRENCY');

  const currentSecret = env.read('ORDER_TICKET_SECRET');
  const previousSecret = env.read('ORDER_TICKET_SECRET_PREVIOUS');
  const ticketAudience = env.read('ORDER_TICKET_AUDIENCE');
  const oneTimeTickets = env.read('ORDER_TICKET_ONE_TIME');
  const ticketEnvironmentOptional = env.read('ORDER_TICKET_ENV_OPTIONAL');
  const docsUrl = env.read('COMPANION_DOCS_URL');
  const ticketMaxLifetimeSeconds = env.read('ORDER_TICKET_MAX_LIFETIME_SECONDS');
  const notificationAuthorizations = readNotificationAuthorizations(env);

  const allowedOrigins = readAllowedOrigins(env);
  const storefront = { host: env.read('COMPANION_HOST'), port: env.read('COMPANION_PORT') };
  const office = readBackOffice(env);
  const { backOffice, backOfficeTokens } = office;
  if (
    storefront.host === backOffice.host &&
    storefront.port === backOffice.port &&
    storefront.port !== 0
  ) {
    env.problem('COMPANION_BACK_OFFICE_PORT', 'is the port of the storefront listener');
  }
  refuseKeysAsSecrets(
    env,
    {
      ORDER_TICKET_SECRET: currentSecret?.reveal(),
      ORDER_TICKET_SECRET_PREVIOUS: previousSecret?.reveal(),
    },
    { publicKey, privateKeys: keys },
  );
  const ownKeys = { publicKey, privateKeys: keys };
  refuseKeysAsTokens(env, backOfficeTokens, ownKeys);
  const store = readStoreLocation(
    env,
    environment === 'production'
      ? 'in production, attempts at the service must outlive the companion'
      : undefined,
  );
  const migrate = env.read('COMPANION_MIGRATE');
  const limits = readLimits(env);
  const webhook = readWebhook(env);
  const logLevel = env.read('LOG_LEVEL');
  const logFormat = env.read('LOG_FORMAT');

  env.refuseProblems();
  const [firstKey, ...otherKeys] = keys;
  if (
    environment === undefined ||
    baseUrl === undefined ||
    publicKey === undefined ||
    firstKey === undefined ||
    currentSecret === undefined ||
    store === undefined
  ) {
    throw new TypeError('A missing variable has no problem.');
  }
  return {
    environment,
    baseUrl,
    caFile,
    proxy,
    deadlineMs,
    chargeDeadlineMs,
    publicKey,
    privateKeys: [firstKey, ...otherKeys],
    privateKeyFiles: privateKeyFiles(env),
    knownBaseUrls,
    limits,
    hostedUrl,
    sdk,
    checkoutOperation,
    programmes,
    settle,
    defaultCurrency,
    ticketSecrets: previousSecret ? [currentSecret, previousSecret] : [currentSecret],
    ticketAudience,
    oneTimeTickets,
    ticketEnvironmentOptional,
    docsUrl,
    ticketMaxLifetimeSeconds,
    notificationAuthorizations,
    allowedOrigins,
    storefront,
    ...office,
    backOfficeTokenFiles: new SecretFiles(
      [env.fileOf('COMPANION_BACK_OFFICE_TOKENS'), env.fileOf('COMPANION_BACK_OFFICE_TOKEN')],
      () => {
        const again = environmentOf(given, readFile);
        const { backOfficeTokens: tokens } = readBackOffice(again);
        refuseKeysAsTokens(again, tokens, ownKeys);
        again.refuseProblems();
        return tokens;
      },
    ),
    store,
    migrate,
    webhook,
    logLevel,
    logFormat,
    unknownVariables: env.unknownVariables(prefixes),
  };
}

/**
 * Reads only the location of the store: a migration needs no key of the service.
 * @throws {ConfigurationError}
 */
export function readStoreConfiguration(
  variables: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): StoreLocation {
  const env = environmentOf(variables, readFile);
  const store = readStoreLocation(env, 'only the companion that holds it can read it');
  // If the file is unreadable, the default would be a different database from the intended one.
  if (store === undefined) throw new ConfigurationError(env.problems);
  env.refuseProblems();
  return store;
}

/** Reads the allowed origins, normalized to the form that browsers send. */
function readAllowedOrigins(env: CompanionEnvironment): string[] {
  const name = 'COMPANION_ALLOWED_ORIGINS';
  const entries = (env.read(name) ?? '').split(',').map((entry) => entry.trim());
  if (!env.isNamed(name)) return [];
  for (const [index, entry] of entries.entries()) {
    const problem = originProblem(entry);
    if (problem !== undefined) env.problem(name, `entry ${index + 1} ${problem}`);
  }
  return entries.map((entry) => canonicalOrigin(entry) ?? entry);
}

const placeholders = new Set(['sessionToken', 'publicKey', 'origin', 'returnUrl', 'locale']);
const HOSTED_RULE =
  'must be an https address (http too, but in production only on this machine) with {sessionToken} and no other placeholders than {publicKey}, {origin}, {returnUrl}, {locale}';

/**
 * Returns whether a string is a URL template of the hosted page, with the session placeholder and
 * without unknown placeholders.
 * @param plain whether http to other machines is permitted, which lets anyone on the network path
 * read the session
 */
function isHostedTemplate(text: string, plain: boolean): boolean {
  const names = Array.from(text.matchAll(/\{(\w*)\}/g), (match) => match[1] ?? '');
  const filled = text.replace(/\{\w*\}/g, 'x');
  return (
    names.includes('sessionToken') &&
    names.every((name) => placeholders.has(name)) &&
    !/[{}]/.test(filled) &&
    URL.canParse(filled) &&
    /^https?:\/\//.test(filled) &&
    (plain || !isPlainOverNetwork(filled))
  );
}
