import type { Environment } from '@financing-checkout/contract';
import { environments, isCurrency } from '@financing-checkout/contract';
import { PrivateKey } from '../keys/private-key.ts';
import { isInQuotationMarks, QUOTED } from '../keys/quotation.ts';
import { Secret } from '../keys/secret.ts';
import type { BrowserSdk } from '../checkout/context.ts';
import { type CheckoutOperation, checkoutOperations } from '../service/prime.ts';
import type { WebhookTarget } from '../webhook/delivery.ts';
import {
  DEFAULT_MAX_LIFETIME_SECONDS,
  DEFAULT_TICKET_AUDIENCE,
  MIN_TICKET_SECRET_BYTES,
} from '../ticket/secret.ts';
import { type BackOfficeConfiguration, readBackOffice } from './back-office.ts';
import { type KnownBaseUrls, readBaseUrl } from './base-url.ts';
import { type Limits, readLimits } from './limits.ts';
import { readNotificationAuthorizations } from './notifications.ts';
import { EnvironmentReader } from './reader.ts';
import { readSdk } from './sdk.ts';
import { type ProxyConfiguration, readProxy } from './proxy.ts';
import { refuseKeysAsSecrets, refuseKeysAsTokens } from './separation.ts';
import { readStoreLocation, type StoreLocation } from './store.ts';
import { canonicalOrigin, isBearerValue, originProblem } from '../platform/http/origin.ts';
import { isHostedTemplate, isWebhookAddress, isWebhookSecret } from './values.ts';

export interface Listener {
  host: string;
  port: number;
}

/** The companion's configuration, checked. Secrets in it print as "[redacted]". */
export interface CompanionConfiguration extends BackOfficeConfiguration {
  environment: Environment;
  baseUrl: string;
  caFile: string | undefined;
  /** The proxy that calls of the service go through. */
  proxy: ProxyConfiguration | undefined;
  /** Total time of one call of the service. Leases and waits are multiples of it. */
  deadlineMs: number;
  /** Total time of the call that creates a charge, in milliseconds. */
  chargeDeadlineMs: number;
  publicKey: string;
  privateKeys: [PrivateKey, ...PrivateKey[]];
  /** Files that a private key is read from, to be watched: 0 is the current key, 1 the next. */
  privateKeyFiles: { slot: 0 | 1; path: string }[];
  /** The merchant's list of base addresses, to tell a mix-up of environments. */
  knownBaseUrls: KnownBaseUrls;
  limits: Limits;
  hostedUrl: string | undefined;
  sdk: BrowserSdk | undefined;
  /** The operation of the service that opens a session. */
  checkoutOperation: CheckoutOperation;
  settle: 'on-approval' | 'later';
  defaultCurrency: string;
  ticketSecrets: [Secret, ...Secret[]];
  ticketAudience: string;
  oneTimeTickets: boolean;
  /** The longest life of an order ticket, in seconds. */
  ticketMaxLifetimeSeconds: number;
  /** Empty: notifications of the service are not taken. */
  notificationAuthorizations: Secret[];
  allowedOrigins: string[];
  storefront: Listener;
  store: StoreLocation;
  /** Who brings the store up to date: each start, or `financing-companion migrate`. */
  migrate: 'on-start' | 'never';
  webhook: WebhookTarget | undefined;
  logLevel: 'debug' | 'info' | 'warn' | 'error';
  logFormat: 'json' | 'text';
  /** Names that look like variables of the companion and are none: likely typing errors. */
  unknownVariables: string[];
}

/** Everything that is wrong with a configuration, by variable. No value is in it. */
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
 * Reads the configuration from environment variables, each secret also from the file that
 * `<name>_FILE` points to.
 * @param readFile reads a text file; throws when it cannot
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
  // Its file may be there before the key is: it is watched.
  const privateKeyNext = env.secret('FINANCING_PRIVATE_API_KEY_NEXT', { emptyFile: 'not-set' });
  const keys = [
    privateKeyOf(env, 'FINANCING_PRIVATE_API_KEY', privateKey),
    privateKeyOf(env, 'FINANCING_PRIVATE_API_KEY_NEXT', privateKeyNext),
  ].filter((key) => key !== undefined);
  if (publicKey !== undefined && keys.some((key) => key.equals(publicKey))) {
    env.problem(
      'FINANCING_PUBLIC_API_KEY',
      'is the same as the private key: pages would be given the private key',
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
    DEFAULT_MAX_LIFETIME_SECONDS,
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
      ? 'in production what was sent to the service must outlive the companion'
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
 * Reads where the store is, and nothing else: who migrates it needs no key of the service.
 * @throws {ConfigurationError}
 */
export function readStoreConfiguration(
  variables: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): StoreLocation {
  const env = new EnvironmentReader(variables, readFile);
  const store = readStoreLocation(env, 'only the companion that has it can look into it');
  // A file that cannot be read leaves the default: another database than was meant.
  if (store === undefined || env.problems.length > 0) throw new ConfigurationError(env.problems);
  return store;
}

/** Reads the origins of pages, as browsers send them. */
function readAllowedOrigins(env: EnvironmentReader): string[] {
  const name = 'COMPANION_ALLOWED_ORIGINS';
  const entries = env.list(name);
  for (const [index, entry] of entries.entries()) {
    const problem = originProblem(entry);
    if (problem !== undefined) env.problem(name, `entry ${index + 1} ${problem}`);
  }
  return entries.map((entry) => canonicalOrigin(entry) ?? entry);
}

function privateKeyOf(
  env: EnvironmentReader,
  variable: string,
  value: string | undefined,
): PrivateKey | undefined {
  if (value === undefined) return undefined;
  try {
    return new PrivateKey(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    env.problem(variable, 'must be 16 to 512 visible ASCII characters without spaces');
    return undefined;
  }
}

function privateKeyFiles(env: EnvironmentReader): { slot: 0 | 1; path: string }[] {
  const current = env.fileOf('FINANCING_PRIVATE_API_KEY');
  const next = env.fileOf('FINANCING_PRIVATE_API_KEY_NEXT');
  return [
    ...(current === undefined ? [] : [{ slot: 0 as const, path: current }]),
    ...(next === undefined ? [] : [{ slot: 1 as const, path: next }]),
  ];
}

function ticketSecret(
  env: EnvironmentReader,
  variable: string,
  value: string | undefined,
): Secret | undefined {
  if (value === undefined) return undefined;
  if (new TextEncoder().encode(value).length < MIN_TICKET_SECRET_BYTES) {
    env.problem(variable, `must have ${MIN_TICKET_SECRET_BYTES} bytes or more`);
    return undefined;
  }
  return new Secret(value);
}

function readWebhook(env: EnvironmentReader): WebhookTarget | undefined {
  const url = env.text(
    'COMPANION_WEBHOOK_URL',
    isWebhookAddress,
    'must be an https address without a user (http only on loopback)',
  );
  const secret = env.secret('COMPANION_WEBHOOK_SECRET');
  if (secret !== undefined && !isWebhookSecret(secret)) {
    env.problem('COMPANION_WEBHOOK_SECRET', 'must be whsec_ and the base64 of 24 to 64 bytes');
  }
  const previousSecret = env.secret('COMPANION_WEBHOOK_SECRET_PREVIOUS');
  if (previousSecret !== undefined && !isWebhookSecret(previousSecret)) {
    env.problem(
      'COMPANION_WEBHOOK_SECRET_PREVIOUS',
      'must be whsec_ and the base64 of 24 to 64 bytes',
    );
  }
  const deadlineMs = env.milliseconds('COMPANION_WEBHOOK_DEADLINE_MS', 15_000, 500, 60_000);
  env.together('COMPANION_WEBHOOK_URL', 'COMPANION_WEBHOOK_SECRET');
  return url === undefined || secret === undefined
    ? undefined
    : {
        url,
        secret: new Secret(secret),
        previousSecret: previousSecret === undefined ? undefined : new Secret(previousSecret),
        deadlineMs,
      };
}
