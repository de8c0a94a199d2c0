import {
  guardListener,
  isPlainOverNetwork,
  readProxy,
  refuseDuplicates,
  type Variables,
} from '@financing-checkout/kit/env';
import {
  defaultPolicy,
  parsePolicy,
  PolicyError,
  type ReconciliationPolicy,
} from '../statuses/policy.ts';
import { Chart, ChartError } from './chart.ts';
import { availableMemory, memoryLimitOf } from './memory.ts';
import { readSignIn } from './sign-in.ts';
import { defaultAnalyticsFile } from './store.ts';
import { type AccessToken, scopesOfPeople } from './tokens.ts';
import { environmentOf, prefixes, type ReconciliationEnvironment } from './variables.ts';

/** The validated configuration. Its secrets print as "[redacted]". */
export type Configuration = ReturnType<typeof readConfiguration>;

const TOKENS = 'RECONCILIATION_TOKENS';
/** Variables that give callers an identity. */
const identities = [TOKENS, 'RECONCILIATION_OIDC_ISSUER'] as const;

/**
 * Reads the configuration from environment variables, and each secret also from the file named by
 * `<name>_FILE`.
 * @param readFile reads a text file; throws if it cannot
 * @throws {ConfigurationError} with all problems at once
 */
export function readConfiguration(variables: Variables, readFile: (path: string) => string) {
  const env = environmentOf(variables, readFile);
  const stated = env.settings();
  const { companion, isInsecure, listener, store } = stated;
  if (isPlainOverNetwork(companion.url) && !isInsecure) {
    env.problem(
      'RECONCILIATION_COMPANION_URL',
      'is plain http to another machine: the token and the fundings could be read on the way. Use https, or set RECONCILIATION_INSECURE=true if something else encrypts that network',
    );
  }
  checkTokens(env, stated.tokens);
  const address = { address: listener.host, isInsecure };
  guardListener(env, address, {
    host: 'RECONCILIATION_HOST',
    tokens: identities,
    insecure: 'RECONCILIATION_INSECURE',
  });
  const signIn = readSignIn(env, stated);
  if (companion.moneyToken !== undefined && !identities.some((name) => env.isNamed(name))) {
    env.problem(
      'RECONCILIATION_COMPANION_MONEY_TOKEN',
      'lets this program move money, so no one may call it without a token or a sign-in. Set RECONCILIATION_TOKENS or RECONCILIATION_OIDC_ISSUER with the scope money for each person who may, or remove this variable',
    );
  }
  const policy = readPolicy(env, stated.sync.zone);
  const chart = readChart(env);
  const proxy = readProxy(env, variables);
  const settings = env.complete();
  const currency = policy.defaultCurrency ?? settings.defaultCurrency;
  const { file = defaultAnalyticsFile(store), memoryLimit } = settings.analytics;
  return {
    ...settings,
    analytics: { ...settings.analytics, file, ...memoryLimitOf(memoryLimit, availableMemory()) },
    /** Undefined: people use tokens. */
    signIn,
    policy,
    /** The merchant's accounts for journals. */
    chart,
    /** Currency of fundings whose order's currency is unknown. */
    defaultCurrency: currency ?? 'USD',
    /** Whether the merchant configured the default currency, so that it is not a guess. */
    isCurrencyStated: currency !== undefined,
    /** The proxy for https requests to the companion, the OpenID provider and alert receivers. */
    proxy,
    /** The tokens' file, which is watched. */
    tokenFiles: env.filesOf([TOKENS], (again) => {
      const tokens = again.read(TOKENS) ?? [];
      checkTokens(again, tokens);
      return tokens;
    }),
    /** Other secrets that are read from files, which are watched. */
    secretFiles: env.secretFiles(),
    /** Unknown variables whose names resemble the program's own: probably typos. */
    unknownVariables: env.unknownVariables(prefixes),
  };
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

/** Reports tokens that conflict with each other or with an OpenID provider. */
function checkTokens(env: ReconciliationEnvironment, tokens: readonly AccessToken[]): void {
  refuseDuplicates(env, TOKENS, tokens);
  if (env.isNamed('RECONCILIATION_OIDC_ISSUER')) refuseScopesOfPeople(env, tokens);
}

function refuseScopesOfPeople(
  env: ReconciliationEnvironment,
  tokens: readonly AccessToken[],
): void {
  for (const [index, { scopes: given }] of tokens.entries()) {
    const wrong = scopesOfPeople.filter((scope) => given.includes(scope));
    if (wrong.length === 0) continue;
    env.problem(
      TOKENS,
      `token ${index + 1} has the scope ${wrong.join(' and ')}, which only people have with RECONCILIATION_OIDC_ISSUER: remove it there, and map a role to it in RECONCILIATION_OIDC_ROLES`,
    );
  }
}
