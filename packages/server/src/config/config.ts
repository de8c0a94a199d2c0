import type { Environment } from '@financing-checkout/contract';
import { environments, isCurrency } from '@financing-checkout/contract';
import type { PrivateKey } from '../keys/private-key.ts';
import { isInQuotationMarks, QUOTED } from '../keys/quotation.ts';
import type { Secret } from '@financing-checkout/kit';
import type { BrowserSdk } from '../checkout/context.ts';
import { type CheckoutOperation, checkoutOperations } from '../service/prime.ts';
import type { WebhookTarget } from '../webhook/delivery.ts';
import {
  DEFAULT_TICKET_AUDIENCE,
  DEFAULT_TICKET_MAX_LIFETIME_SECONDS,
} from '@financing-checkout/ticket';
import { type BackOfficeConfiguration, readBackOffice } from './back-office.ts';
import { type KnownBaseUrls, readBaseUrl } from './base-url.ts';
import { type Limits, readLimits } from './limits.ts';
import { readNotificationAuthorizations } from './notifications.ts';
import { type ProgrammeSource, readProgrammes } from './programmes.ts';
import { EnvironmentReader } from './reader.ts';
import { readSdk } from './sdk.ts';
import { type ProxyConfiguration, readProxy } from './proxy.ts';
import { privateKeyFiles, privateKeyOf, ticketSecret } from './secrets.ts';
import { refuseKeysAsSecrets, refuseKeysAsTokens } from './separation.ts';
import { readStoreLocation, type StoreLocation } from './store.ts';
import { canonicalOrigin, isBearerValue, originProblem } from '../platform/http/origin.ts';
import { isHostedTemplate } from './values.ts';
import { readWebhook } from './webhook.ts';

export interface Listener {
  host: string;
  port: number;
}

/** The validated configuration of the companion. Secrets in it print as "[redacted]". */
export interface CompanionConfiguration extends BackOfficeConfiguration {
  environment: Environment;
  baseUrl: string;
  caFile: string | undefined;
  /** The proxy for calls of the service. */
  proxy: ProxyConfiguration | undefined;
  /** Timeout of one call of the service in milliseconds. Leases and waits are multiples of it. */
  deadlineMs: number;
  /** Timeout of the call that creates a charge, in milliseconds. */
  chargeDeadlineMs: number;
  publicKey: string;
  privateKeys: [PrivateKey, ...PrivateKey[]];
  /** Files of private keys, to be watched: 0 is the current key, 1 the next. */
  privateKeyFiles: { slot: 0 | 1; path: string }[];
  /** The merchant's list of base addresses, to detect a mix-up of environments. */
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
  /** The longest life of an order ticket, in seconds. */
  ticketMaxLifetimeSeconds: number;
  /** If empty, notifications of the service are refused. */
  notificationAuthorizations: Secret[];
  allowedOrigins: string[];
  storefront: Listener;
  store: StoreLocation;
  /** Whether each start migrates the store, or only `financing-companion migrate`. */
  migrate: 'on-start' | 'never';
  webhook: WebhookTarget | undefined;
  logLevel: 'debug' | 'info' | 'warn' | 'error';
  logFormat: 'json' | 'text';
  /** Names that look like misspelled variables of the companion. */
  unknownVariables: string[];
}

/** The problems of a configuration, by variable, without values. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly { variable: string; message: string }[];

  constructor(problems: readonly { variable: string; message: string }[]) {
    super(
      [
        'The configuration is not complete:',
        ...problems.map(({ variable, message }) => `  ${variable} ${message}`),
      ].join('\n'),
    );
    this.problems = problems;
  }
}

/**
 * Reads the configuration from environment variables, and each secret also from the file that
 * `<name>_FILE` names.
 * @param readFile reads a text file, or throws
 * @throws {ConfigurationError} with every problem at once
 */
export function readConfiguration(
  variables: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): CompanionConfiguration {
  const env = new EnvironmentReader(variables, readFile);

  const environment = env.choice('FINANCING_ENVIRONMENT', environments);
  const { baseUrl, knownBaseUrls } = readBaseUrl(env, environment);
  const caFile = env.certificates('FINANCING_CA_FILE');
  const proxy = readProxy(env, variables);
  const deadlineMs = env.milliseconds('FINANCING_DEADLINE_MS', 10_000, 500, 60_000);
  const chargeDeadlineMs = env.milliseconds('FINANCING_CHARGE_DEADLINE_MS', 60_000, 500, 180_000);
  const publicKey = env.requiredSecret('FINANCING_PUBLIC_API_KEY');
  if (publicKey !== undefined && !isBearerValue(publicKey)) {
    env.problem('FINANCING_PUBLIC_API_KEY', 'must be visible ASCII characters without spaces');
  }
  const privateKey = env.requiredSecret('FINANCING_PRIVATE_API_KEY');
  // The file may exist before the key does: it is watched.
  const privateKeyNext = env.secret('FINANCING_PRIVATE_API_KEY_NEXT', { emptyFile: 'not-set' });
  const keys = [
    privateKeyOf(env, 'FINANCING_PRIVATE_API_KEY', privateKey),
    privateKeyOf(env, 'FINANCING_PRIVATE_API_KEY_NEXT', privateKeyNext),
  ].filter((key) => key !== undefined);
  if (publicKey !== undefined && keys.some((key) => key.equals(publicKey))) {
    env.problem(
      'FINANCING_PUBLIC_API_KEY',
      'is the same as the private key, which pages would receive',
    );
  }
  const hostedUrl = env.text(
    'FINANCING_HOSTED_URL',
    (text) => isHostedTemplate(text, environment !== 'production'),
    'must be an https address (http too, but in production only on this machine) with {sessionToken} and no other placeholders than {publicKey}, {origin}, {returnUrl}, {locale}',
  );
  const sdk = readSdk(env);
  const checkoutOperation =
    env.choice('FINANCING_CHECKOUT_OPERATION', checkoutOperations, 'prime') ?? 'prime';
  const programmes = readProgrammes(env);
  const settle = env.choice('FINANCING_SETTLE', ['on-approval', 'later'] as const, 'on-approval');
  const defaultCurrency =
    env.text('FINANCING_DEFAULT_CURRENCY', isCurrency, 'must be an ISO 4217 code in use') ?? 'USD';

  const currentSecret = env.requiredSecret('ORDER_TICKET_SECRET');
  const previousSecret = env.secret('ORDER_TICKET_SECRET_PREVIOUS');
  const ticketSecrets = [
    ticketSecret(env, 'ORDER_TICKET_SECRET', currentSecret),
    ticketSecret(env, 'ORDER_TICKET_SECRET_PREVIOUS', previousSecret),
  ].filter((secret) => secret !== undefined);
  const ticketAudience =
    env.text('ORDER_TICKET_AUDIENCE', (text) => !isInQuotationMarks(text), `is ${QUOTED}`) ??
    DEFAULT_TICKET_AUDIENCE;
  const oneTimeTickets =
    env.choice('ORDER_TICKET_ONE_TIME', ['true', 'false'] as const, 'false') === 'true';
  const ticketMaxLifetimeSeconds = env.count(
    'ORDER_TICKET_MAX_LIFETIME_SECONDS',
    DEFAULT_TICKET_MAX_LIFETIME_SECONDS,
    60,
    31_536_000,
  );
  const notificationAuthorizations = readNotificationAuthorizations(env);

  const allowedOrigins = readAllowedOrigins(env);
  const storefront = env.listener('COMPANION', { host: '127.0.0.1', port: 4000 });
  const { backOffice, backOfficeTokens, backOfficeInsecure } = readBackOffice(env);
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
      ORDER_TICKET_SECRET: currentSecret,
      ORDER_TICKET_SECRET_PREVIOUS: previousSecret,
    },
    { publicKey, privateKeys: keys },
  );
  refuseKeysAsTokens(env, backOfficeTokens, { publicKey, privateKeys: keys });
  const store = readStoreLocation(
    env,
    environment === 'production'
      ? 'in production, attempts at the service must outlive the companion'
      : undefined,
  );
  const migrate = env.choice('COMPANION_MIGRATE', ['on-start', 'never'] as const, 'on-start');
  const limits = readLimits(env);
  const webhook = readWebhook(env);
  const logLevel = env.choice('LOG_LEVEL', ['debug', 'info', 'warn', 'error'] as const, 'info');
  const logFormat = env.choice('LOG_FORMAT', ['json', 'text'] as const, 'json');

  const [firstKey, ...otherKeys] = keys;
  const [firstSecret, ...otherSecrets] = ticketSecrets;
  if (
    env.problems.length > 0 ||
    environment === undefined ||
    baseUrl === undefined ||
    publicKey === undefined ||
    firstKey === undefined ||
    firstSecret === undefined ||
    settle === undefined ||
    store === undefined ||
    migrate === undefined ||
    logLevel === undefined ||
    logFormat === undefined
  ) {
    throw new ConfigurationError(env.problems);
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
    ticketSecrets: [firstSecret, ...otherSecrets],
    ticketAudience,
    oneTimeTickets,
    ticketMaxLifetimeSeconds,
    notificationAuthorizations,
    allowedOrigins,
    storefront,
    backOffice,
    backOfficeTokens,
    backOfficeInsecure,
    store,
    migrate,
    webhook,
    logLevel,
    logFormat,
    unknownVariables: env.unknownVariables(),
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
  const env = new EnvironmentReader(variables, readFile);
  const store = readStoreLocation(env, 'only the companion that holds it can read it');
  // With an unreadable file the default would be another database than intended.
  if (store === undefined || env.problems.length > 0) throw new ConfigurationError(env.problems);
  return store;
}

/** Reads the allowed origins, in the form that browsers send. */
function readAllowedOrigins(env: EnvironmentReader): string[] {
  const name = 'COMPANION_ALLOWED_ORIGINS';
  const entries = env.list(name);
  for (const [index, entry] of entries.entries()) {
    const problem = originProblem(entry);
    if (problem !== undefined) env.problem(name, `entry ${index + 1} ${problem}`);
  }
  return entries.map((entry) => canonicalOrigin(entry) ?? entry);
}
