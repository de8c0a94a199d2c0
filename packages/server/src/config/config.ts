import type { Environment } from '@financing-checkout/contract';
import { environments, isCurrency } from '@financing-checkout/contract';
import { PrivateKey } from '../keys/private-key.ts';
import { Secret } from '../keys/secret.ts';
import { DEFAULT_TICKET_AUDIENCE, MIN_TICKET_SECRET_BYTES } from '../ticket/sign.ts';
import { EnvironmentReader } from './reader.ts';
import { isHostedTemplate, isLoopback, isOrigin, isWebhookSecret } from './values.ts';

export interface Listener {
  host: string;
  port: number;
}

/** The companion's configuration, checked. Secrets in it print as "[redacted]". */
export interface CompanionConfiguration {
  environment: Environment;
  baseUrl: string;
  caFile: string | undefined;
  publicKey: string;
  privateKeys: [PrivateKey, ...PrivateKey[]];
  hostedUrl: string | undefined;
  settle: 'on-approval' | 'later';
  defaultCurrency: string;
  ticketSecrets: [Secret, ...Secret[]];
  ticketAudience: string;
  allowedOrigins: string[];
  storefront: Listener;
  backOffice: Listener;
  backOfficeToken: Secret | undefined;
  store: { kind: 'sqlite'; file: string };
  webhook: { url: string; secret: Secret } | undefined;
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
  const baseUrl = env.required('FINANCING_BASE_URL', isHttps, 'must be an https address');
  const caFile = env.text('FINANCING_CA_FILE');
  const publicKey = env.requiredSecret('FINANCING_PUBLIC_API_KEY');
  const privateKey = env.requiredSecret('FINANCING_PRIVATE_API_KEY');
  const privateKeyNext = env.secret('FINANCING_PRIVATE_API_KEY_NEXT');
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
    isHostedTemplate,
    'must be an http(s) address with {sessionToken} and no other placeholders than {publicKey}, {origin}, {returnUrl}, {locale}',
  );
  const settle = env.choice('FINANCING_SETTLE', ['on-approval', 'later'] as const, 'on-approval');
  const defaultCurrency =
    env.text('FINANCING_DEFAULT_CURRENCY', isCurrency, 'must be an ISO 4217 code in use') ?? 'USD';

  const ticketSecrets = [
    ticketSecret(env, 'ORDER_TICKET_SECRET', env.requiredSecret('ORDER_TICKET_SECRET')),
    ticketSecret(env, 'ORDER_TICKET_SECRET_PREVIOUS', env.secret('ORDER_TICKET_SECRET_PREVIOUS')),
  ].filter((secret) => secret !== undefined);
  const ticketAudience = env.text('ORDER_TICKET_AUDIENCE') ?? DEFAULT_TICKET_AUDIENCE;

  const allowedOrigins = env.list(
    'COMPANION_ALLOWED_ORIGINS',
    isOrigin,
    'must be origins separated by commas, such as https://shop.example (no path, no final slash)',
  );
  const storefront = env.listener('COMPANION', { host: '127.0.0.1', port: 4000 });
  const backOffice = env.listener('COMPANION_BACK_OFFICE', { host: '127.0.0.1', port: 4001 });
  if (
    storefront.host === backOffice.host &&
    storefront.port === backOffice.port &&
    storefront.port !== 0
  ) {
    env.problem('COMPANION_BACK_OFFICE_PORT', 'is the port of the storefront listener');
  }
  const backOfficeToken = env.secret('COMPANION_BACK_OFFICE_TOKEN');
  if (backOfficeToken === undefined && !isLoopback(backOffice.host)) {
    env.problem(
      'COMPANION_BACK_OFFICE_TOKEN',
      'is required when COMPANION_BACK_OFFICE_HOST is not a loopback address',
    );
  }
  if (backOfficeToken !== undefined && !/^[\x21-\x7e]{16,}$/.test(backOfficeToken)) {
    env.problem(
      'COMPANION_BACK_OFFICE_TOKEN',
      'must be 16 or more visible ASCII characters without spaces',
    );
  }
  const store =
    env.text('COMPANION_STORE', (text) => /^sqlite:.+/.test(text), 'must be sqlite:<file>') ??
    'sqlite:companion.db';
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
    logLevel === undefined ||
    logFormat === undefined
  ) {
    throw new ConfigurationError(env.problems);
  }
  return {
    environment,
    baseUrl,
    caFile,
    publicKey,
    privateKeys: [firstKey, ...otherKeys],
    hostedUrl,
    settle,
    defaultCurrency,
    ticketSecrets: [firstSecret, ...otherSecrets],
    ticketAudience,
    allowedOrigins,
    storefront,
    backOffice,
    backOfficeToken: backOfficeToken === undefined ? undefined : new Secret(backOfficeToken),
    store: { kind: 'sqlite', file: store.slice('sqlite:'.length) },
    webhook,
    logLevel,
    logFormat,
    unknownVariables: env.unknownVariables(),
  };
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:';
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

function readWebhook(env: EnvironmentReader): { url: string; secret: Secret } | undefined {
  const url = env.text(
    'COMPANION_WEBHOOK_URL',
    (text) => {
      if (!URL.canParse(text)) return false;
      const { protocol, hostname } = new URL(text);
      return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
    },
    'must be an https address (http only on loopback)',
  );
  const secret = env.secret('COMPANION_WEBHOOK_SECRET');
  if (secret !== undefined && !isWebhookSecret(secret)) {
    env.problem('COMPANION_WEBHOOK_SECRET', 'must be whsec_ and the base64 of 24 to 64 bytes');
  }
  if ((url === undefined) !== (secret === undefined)) {
    const [missing, given] =
      url === undefined
        ? ['COMPANION_WEBHOOK_URL', 'COMPANION_WEBHOOK_SECRET']
        : ['COMPANION_WEBHOOK_SECRET', 'COMPANION_WEBHOOK_URL'];
    if (!env.problems.some(({ variable }) => variable === missing)) {
      env.problem(missing, `is required with ${given}`);
    }
  }
  return url === undefined || secret === undefined
    ? undefined
    : { url, secret: new Secret(secret) };
}
