import { type Environment, environments, isCurrency } from '@financing-checkout/contract';
import { forwardedHeaders, PROXIES_RULE, readProxies, Secret } from '@financing-checkout/kit';
import type { AlertTarget } from '../cases/delivery.ts';
import type { LogLevel } from '../platform/log.ts';
import {
  defaultPolicy,
  parsePolicy,
  PolicyError,
  type ReconciliationPolicy,
} from '../statuses/policy.ts';
import { defaultSyncSettings } from '../sync/settings.ts';
import { ConfigurationError, EnvironmentReader, type Variables } from './reader.ts';
import { defaultAnalyticsFile, readStore, type StoreLocation } from './store.ts';
import { type AccessToken, readTokens } from './tokens.ts';
import {
  bytesOf,
  isApiAddress,
  isHost,
  isLoopback,
  isPlainOverNetwork,
  isPort,
  isSize,
  isToken,
  isWebhookAddress,
  isWebhookSecret,
  isZone,
  TOKEN_RULE,
} from './values.ts';

/** The validated configuration. Its secrets print as "[redacted]". */
export interface Configuration {
  environment: Environment;
  store: StoreLocation;
  analytics: { file: string; memoryLimit: string; threads: number; spillLimit: string };
  companion: {
    url: string;
    /** Undefined: the companion runs without tokens, on this machine. */
    token: Secret | undefined;
    /** With the scopes `money` and `webhooks`. Undefined: this program moves no money. */
    moneyToken: Secret | undefined;
  };
  listener: {
    host: string;
    port: number;
    /** Address for other processes. Undefined: the listening address. */
    url: string | undefined;
    /** Proxies that may state the client's address: addresses, or ranges such as 10.0.0.0/8. */
    trustedProxies: string[];
    /** The header that those proxies write. */
    forwardedHeader: (typeof forwardedHeaders)[number];
  };
  /** Empty: serves only programs and the console on this machine, and moves no money. */
  tokens: AccessToken[];
  sync: {
    zone: string;
    pageSize: number;
    parallel: number;
    /** Milliseconds between the starts of two syncs; 0: only on request. */
    everyMs: number;
  };
  /** `maxBytes`: maximum size of a ledger file. */
  imports: { maxBytes: number };
  policy: ReconciliationPolicy;
  /** Currency of fundings whose order has no known currency. */
  defaultCurrency: string;
  /** Whether the merchant declares it, so that it is not a guess. */
  isCurrencyStated: boolean;
  /** Receiver of alerts; undefined: none are sent. */
  alerts: AlertTarget | undefined;
  logLevel: LogLevel;
  logFormat: 'json' | 'text';
  /** Unknown names that resemble the program's variables: likely typing errors. */
  unknownVariables: string[];
}

/**
 * Reads the configuration from environment variables, and each secret also from the file named by
 * `<name>_FILE`.
 * @param readFile reads a text file; throws if it cannot
 * @throws {ConfigurationError} with all problems at once
 */
export function readConfiguration(
  variables: Variables,
  readFile: (path: string) => string,
): Configuration {
  const env = new EnvironmentReader(variables, readFile);
  const environment = env.choice('RECONCILIATION_ENVIRONMENT', environments);
  const store = readStore(env);
  const isInsecure =
    env.choice('RECONCILIATION_INSECURE', ['true', 'false'] as const, 'false') === 'true';
  const companion = readCompanion(env, isInsecure);
  const { listener, tokens } = readListener(env, isInsecure);
  if (companion.moneyToken !== undefined && !env.isNamed('RECONCILIATION_TOKENS')) {
    env.problem(
      'RECONCILIATION_COMPANION_MONEY_TOKEN',
      'lets this program move money, so nobody may call it without a token. Set RECONCILIATION_TOKENS with the scope money for each person who may, or remove this variable',
    );
  }
  const currency = env.text(
    'RECONCILIATION_DEFAULT_CURRENCY',
    isCurrency,
    'must be a current ISO 4217 code',
  );
  const sync = readSync(env);
  const policy = readPolicy(env, sync.zone);
  const stated = policy.defaultCurrency ?? currency;
  const imports = { maxBytes: bytesOf(readSize(env, 'RECONCILIATION_IMPORT_LIMIT') ?? '512MB') };
  const analytics = readAnalytics(env, defaultAnalyticsFile(store));
  const alerts = readAlerts(env);
  const levels = ['debug', 'info', 'warn', 'error'] as const;
  const logLevel = env.choice('LOG_LEVEL', levels, 'info');
  const logFormat = env.choice('LOG_FORMAT', ['json', 'text'] as const, 'json');
  if (
    env.problems.length > 0 ||
    environment === undefined ||
    store === undefined ||
    logLevel === undefined ||
    logFormat === undefined
  ) {
    throw new ConfigurationError(env.problems);
  }
  return {
    environment,
    store,
    analytics,
    companion,
    listener,
    tokens,
    sync,
    imports,
    policy,
    defaultCurrency: stated ?? 'USD',
    isCurrencyStated: stated !== undefined,
    alerts,
    logLevel,
    logFormat,
    unknownVariables: env.unknownVariables(),
  };
}

function readCompanion(env: EnvironmentReader, isInsecure: boolean): Configuration['companion'] {
  const url =
    env.text(
      'RECONCILIATION_COMPANION_URL',
      isApiAddress,
      'must be an http or https address without a user, a query or a fragment',
    ) ?? 'http://127.0.0.1:4001';
  const [token, moneyToken] = (
    ['RECONCILIATION_COMPANION_TOKEN', 'RECONCILIATION_COMPANION_MONEY_TOKEN'] as const
  ).map((name) => {
    const text = env.secret(name);
    if (text !== undefined && !isToken(text)) env.problem(name, `must be ${TOKEN_RULE}`);
    return text === undefined ? undefined : new Secret(text);
  });
  if (isPlainOverNetwork(url) && !isInsecure) {
    env.problem(
      'RECONCILIATION_COMPANION_URL',
      'is plain HTTP to another machine: the token and the fundings could be read on the way. Use https, or say RECONCILIATION_INSECURE=true where something else encrypts that network',
    );
  }
  return { url, token, moneyToken };
}

/** Reads the address at which `serve` listens. Port 0: any free one. */
export function readAddress(env: EnvironmentReader): { host: string; port: number } {
  const host = env.text(
    'RECONCILIATION_HOST',
    isHost,
    'must be a host name or an address, without brackets or a port',
  );
  const port = env.text('RECONCILIATION_PORT', isPort, 'must be a port number, 0 to 65535');
  return { host: host ?? '127.0.0.1', port: port === undefined ? 4002 : Number(port) };
}

function readListener(
  env: EnvironmentReader,
  isInsecure: boolean,
): Pick<Configuration, 'listener' | 'tokens'> {
  const { host, port } = readAddress(env);
  const url = env.text(
    'RECONCILIATION_URL',
    isApiAddress,
    'must be an http or https address without a user, a query or a fragment',
  );
  const tokens = readTokens(env);
  if (!isLoopback(host)) {
    if (!env.isNamed('RECONCILIATION_TOKENS')) {
      env.problem(
        'RECONCILIATION_TOKENS',
        'is required when RECONCILIATION_HOST is not a loopback address',
      );
    } else if (!isInsecure) {
      env.problem(
        'RECONCILIATION_HOST',
        'is not a loopback address: tokens would cross the network in plain HTTP. Let a proxy on this machine serve it under HTTPS, or say RECONCILIATION_INSECURE=true where something else encrypts that network',
      );
    }
  }
  const proxies = env.text(
    'RECONCILIATION_TRUSTED_PROXIES',
    (text) => readProxies(text) !== undefined,
    PROXIES_RULE,
  );
  const header = env.choice('RECONCILIATION_FORWARDED_HEADER', forwardedHeaders, 'x-forwarded-for');
  const listener = {
    host,
    port,
    url,
    trustedProxies: readProxies(proxies ?? 'loopback') ?? [],
    forwardedHeader: header ?? 'x-forwarded-for',
  };
  return { listener, tokens };
}

function readSync(env: EnvironmentReader): Configuration['sync'] {
  const { zone, pageSize, parallel, overlap } = defaultSyncSettings;
  return {
    zone:
      env.text(
        'RECONCILIATION_ZONE',
        isZone,
        'must be the name of a time zone, such as UTC or America/New_York',
      ) ?? zone,
    pageSize: env.count('RECONCILIATION_PAGE_SIZE', pageSize, 2 * overlap, 20_000),
    parallel: env.count('RECONCILIATION_PARALLEL', parallel, 1, 16),
    everyMs: env.count('RECONCILIATION_SYNC_MINUTES', 0, 0, 10_080) * 60_000,
  };
}

function readSize(
  env: EnvironmentReader,
  name:
    'RECONCILIATION_IMPORT_LIMIT' | 'RECONCILIATION_MEMORY_LIMIT' | 'RECONCILIATION_SPILL_LIMIT',
): string | undefined {
  return env.text(name, isSize, 'must be a size such as 256MB or 4GB');
}

function readAnalytics(env: EnvironmentReader, fallback: string): Configuration['analytics'] {
  return {
    file: env.text('RECONCILIATION_ANALYTICS_FILE') ?? fallback,
    memoryLimit: readSize(env, 'RECONCILIATION_MEMORY_LIMIT') ?? '256MB',
    threads: env.count('RECONCILIATION_THREADS', 1, 1, 256),
    spillLimit: readSize(env, 'RECONCILIATION_SPILL_LIMIT') ?? '4GB',
  };
}

function readPolicy(env: EnvironmentReader, zone: string): ReconciliationPolicy {
  const text = env.file('RECONCILIATION_POLICY_FILE') ?? '{}';
  try {
    return parsePolicy(text, zone);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    env.problem('RECONCILIATION_POLICY_FILE', `points to an invalid policy: ${error.message}`);
    return defaultPolicy;
  }
}

function readAlerts(env: EnvironmentReader): AlertTarget | undefined {
  const url = env.text(
    'RECONCILIATION_ALERT_URL',
    isWebhookAddress,
    'must be an https address without a user (http only on loopback)',
  );
  const secret = env.secret('RECONCILIATION_ALERT_SECRET');
  if (secret !== undefined && !isWebhookSecret(secret)) {
    env.problem('RECONCILIATION_ALERT_SECRET', 'must be whsec_ and the base64 of 24 to 64 bytes');
  }
  env.together('RECONCILIATION_ALERT_URL', 'RECONCILIATION_ALERT_SECRET');
  return url === undefined || secret === undefined
    ? undefined
    : { url, secret: new Secret(secret) };
}
