import { resolve } from 'node:path';
import type { Environment } from '@financing-checkout/contract';
import type { forwardedHeaders, Secret } from '@financing-checkout/kit';
import {
  guardListener,
  isPlainOverNetwork,
  type ProxyConfiguration,
  readProxy,
  SecretFiles,
  type Variables,
} from '@financing-checkout/kit/env';
import type { WebhookTarget } from '@financing-checkout/kit/outbox';
import type { LogLevel } from '../platform/log.ts';
import {
  defaultPolicy,
  parsePolicy,
  PolicyError,
  type ReconciliationPolicy,
} from '../statuses/policy.ts';
import { Chart, ChartError } from './chart.ts';
import { bytesOf } from './sizes.ts';
import { defaultAnalyticsFile, readStore, type StoreLocation } from './store.ts';
import { readSignIn, type SignInSettings } from './sign-in.ts';
import { type AccessToken, readAccessTokens } from './tokens.ts';
import { environmentOf, prefixes, type ReconciliationEnvironment } from './variables.ts';

/** The validated configuration. Its secrets print as "[redacted]". */
export interface Configuration {
  environment: Environment;
  store: StoreLocation;
  analytics: { file: string; memoryLimit: string; threads: number; spillLimit: string };
  companion: {
    url: string;
    /** Undefined: the companion runs on this machine without tokens. */
    token: Secret | undefined;
    /** A token with the scopes `money` and `webhooks`. Undefined: this program moves no money. */
    moneyToken: Secret | undefined;
  };
  listener: {
    host: string;
    port: number;
    /** URL for other processes. Undefined: the URL that this process listens on. */
    url: string | undefined;
    /** Address of the documentation, to which the `type` of a problem leads. */
    docsUrl: string | undefined;
    /** Proxies that may state the client's address: IP addresses, or ranges such as 10.0.0.0/8. */
    trustedProxies: string[];
    /** The header that those proxies set. */
    forwardedHeader: (typeof forwardedHeaders)[number];
  };
  /**
   * Empty and without {@link signIn}: serves only programs and the console on this machine, and does
   * not move money.
   */
  tokens: AccessToken[];
  /** The files of {@link tokens} and of the companion's tokens, which are watched. */
  tokenFiles: SecretFiles<Pick<Configuration, 'companion' | 'tokens'>>;
  /** Whether people may sign in to the console with a token. */
  tokenSignIn: boolean;
  /** OpenID provider of people. Undefined: people use tokens. */
  signIn: SignInSettings | undefined;
  sync: {
    zone: string;
    pageSize: number;
    parallel: number;
    /** Interval between the starts of two syncs, in milliseconds; 0: only on request. */
    everyMs: number;
  };
  /** `maxBytes`: maximum size of a ledger file. */
  imports: { maxBytes: number };
  policy: ReconciliationPolicy;
  /** The merchant's accounts for journals. */
  chart: Chart;
  /** Currency of fundings whose order has no known currency. */
  defaultCurrency: string;
  /** Whether the merchant configured the default currency, so that it is not a guess. */
  isCurrencyStated: boolean;
  /** Absolute path of the lake; undefined: none is written. */
  lake: string | undefined;
  /** Receiver of alerts; undefined: none are sent. */
  alerts: WebhookTarget | undefined;
  /** The proxy for https addresses: of the companion, the OpenID provider and alerts. */
  proxy: ProxyConfiguration | undefined;
  logLevel: LogLevel;
  logFormat: 'json' | 'text';
  /** Unknown variable names that resemble the program's own: probably typos. */
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
  const env = environmentOf(variables, readFile);
  const environment = env.read('RECONCILIATION_ENVIRONMENT');
  const store = readStore(env);
  const isInsecure = env.read('RECONCILIATION_INSECURE');
  const companion = readCompanion(env, isInsecure);
  const { listener, tokens } = readListener(env, isInsecure);
  const { signIn, tokenSignIn } = readSignIn(env);
  if (companion.moneyToken !== undefined && !identities.some((name) => env.isNamed(name))) {
    env.problem(
      'RECONCILIATION_COMPANION_MONEY_TOKEN',
      'lets this program move money, so no one may call it without a token or a sign-in. Set RECONCILIATION_TOKENS or RECONCILIATION_OIDC_ISSUER with the scope money for each person who may, or remove this variable',
    );
  }
  const currency = env.read('RECONCILIATION_DEFAULT_CURRENCY');
  const sync = {
    zone: env.read('RECONCILIATION_ZONE'),
    pageSize: env.read('RECONCILIATION_PAGE_SIZE'),
    parallel: env.read('RECONCILIATION_PARALLEL'),
    everyMs: env.read('RECONCILIATION_SYNC_MINUTES') * 60_000,
  };
  const policy = readPolicy(env, sync.zone);
  const chart = readChart(env);
  const stated = policy.defaultCurrency ?? currency;
  const imports = { maxBytes: bytesOf(env.read('RECONCILIATION_IMPORT_LIMIT')) };
  const analytics = {
    file: env.read('RECONCILIATION_ANALYTICS_FILE') ?? defaultAnalyticsFile(store),
    memoryLimit: env.read('RECONCILIATION_MEMORY_LIMIT'),
    threads: env.read('RECONCILIATION_THREADS'),
    spillLimit: env.read('RECONCILIATION_SPILL_LIMIT'),
  };
  const lake = env.read('RECONCILIATION_LAKE');
  const alerts = readAlerts(env);
  const proxy = readProxy(env, variables);
  const logLevel = env.read('LOG_LEVEL');
  const logFormat = env.read('LOG_FORMAT');
  env.refuseProblems();
  if (environment === undefined || store === undefined) {
    throw new TypeError('A missing variable has no problem.');
  }
  return {
    environment,
    store,
    analytics,
    companion,
    listener,
    tokens,
    tokenFiles: new SecretFiles(
      tokenVariables.map((name) => env.fileOf(name)),
      () => {
        const again = environmentOf(variables, readFile);
        const read = {
          companion: readCompanion(again, isInsecure),
          tokens: readAccessTokens(again),
        };
        again.refuseProblems();
        return read;
      },
    ),
    tokenSignIn,
    signIn,
    sync,
    imports,
    policy,
    chart,
    defaultCurrency: stated ?? 'USD',
    isCurrencyStated: stated !== undefined,
    lake: lake === undefined ? undefined : resolve(lake),
    alerts,
    proxy,
    logLevel,
    logFormat,
    unknownVariables: env.unknownVariables(prefixes),
  };
}

/** Variables whose tokens a running program reads again. */
const tokenVariables = [
  'RECONCILIATION_TOKENS',
  'RECONCILIATION_COMPANION_TOKEN',
  'RECONCILIATION_COMPANION_MONEY_TOKEN',
] as const;

/** Variables by which callers have an identity. */
const identities = ['RECONCILIATION_TOKENS', 'RECONCILIATION_OIDC_ISSUER'] as const;

function readCompanion(
  env: ReconciliationEnvironment,
  isInsecure: boolean,
): Configuration['companion'] {
  const url = env.read('RECONCILIATION_COMPANION_URL');
  const token = env.read('RECONCILIATION_COMPANION_TOKEN');
  const moneyToken = env.read('RECONCILIATION_COMPANION_MONEY_TOKEN');
  if (isPlainOverNetwork(url) && !isInsecure) {
    env.problem(
      'RECONCILIATION_COMPANION_URL',
      'is plain http to another machine: the token and the fundings could be read on the way. Use https, or set RECONCILIATION_INSECURE=true if something else encrypts that network',
    );
  }
  return { url, token, moneyToken };
}

function readListener(
  env: ReconciliationEnvironment,
  isInsecure: boolean,
): Pick<Configuration, 'listener' | 'tokens'> {
  const listener = {
    host: env.read('RECONCILIATION_HOST'),
    port: env.read('RECONCILIATION_PORT'),
    url: env.read('RECONCILIATION_URL'),
    docsUrl: env.read('RECONCILIATION_DOCS_URL'),
    trustedProxies: env.read('RECONCILIATION_TRUSTED_PROXIES'),
    forwardedHeader: env.read('RECONCILIATION_FORWARDED_HEADER'),
  };
  const tokens = readAccessTokens(env);
  const stated = { address: listener.host, isInsecure };
  guardListener(env, stated, {
    host: 'RECONCILIATION_HOST',
    tokens: identities,
    insecure: 'RECONCILIATION_INSECURE',
  });
  return { listener, tokens };
}

function readPolicy(env: ReconciliationEnvironment, zone: string): ReconciliationPolicy {
  const { text } = env.file('RECONCILIATION_POLICY_FILE') ?? { text: '{}' };
  try {
    return parsePolicy(text, zone);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    env.problem('RECONCILIATION_POLICY_FILE', `points to an invalid policy: ${error.message}`);
    return defaultPolicy;
  }
}

function readChart(env: ReconciliationEnvironment): Chart {
  try {
    return new Chart(env.file('RECONCILIATION_CHART_FILE')?.text);
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    env.problem('RECONCILIATION_CHART_FILE', `points to an invalid chart: ${error.message}`);
    return new Chart();
  }
}

function readAlerts(env: ReconciliationEnvironment): WebhookTarget | undefined {
  const url = env.read('RECONCILIATION_ALERT_URL');
  const secret = env.read('RECONCILIATION_ALERT_SECRET');
  env.together('RECONCILIATION_ALERT_URL', 'RECONCILIATION_ALERT_SECRET');
  return url === undefined || secret === undefined ? undefined : { url, secret };
}
