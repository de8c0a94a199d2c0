import { environments } from '@financing-checkout/contract/storefront';
import type { Environment } from '@financing-checkout/contract/storefront';
import { readFileSync } from 'node:fs';

/** The shop's configuration. */
export interface ShopConfig {
  host: string;
  port: number;
  /** Origin for shoppers, such as `http://localhost:3000`. */
  origin: string;
  /** File of the order store. */
  database: string;
  /** The companion's address for browsers. */
  companionUrl: string;
  backOffice: {
    url: string;
    /** Has the scope `read`. */
    token: string | undefined;
  };
  /** The reconciliation program, used only by the shop's staff. */
  reconciliation: {
    url: string;
    /** Has the scope `sync`: reads and starts syncs. */
    token: string | undefined;
  };
  environment: Environment;
  publicApiKey: string;
  ticket: { secret: string; audience: string };
  webhookSecret: string;
  /** Origin of the hosted checkout page, the only one that the shop's pages may frame. */
  hostedOrigin: string;
  /** Origin of the service's browser script; undefined if the companion offers none. */
  sdkOrigin: string | undefined;
  /** Undefined only on loopback, where the shop generates one (see `back-office/access.ts`). */
  adminToken: string | undefined;
}

/** Thrown with all problems at once. Names variables and never repeats a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The shop cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

type Env = Record<string, string | undefined>;

/**
 * Reads the shop's configuration.
 * @param env environment variables; alternatively, `…_FILE` can name a file with a secret
 * @throws {ConfigError}
 */
export function readConfig(env: Env): ShopConfig {
  const problems: string[] = [];
  const plain = (name: string): string | undefined => {
    const value = env[name]?.trim();
    return value === '' ? undefined : value;
  };

  const secret = (name: string): string | undefined => {
    const file = plain(`${name}_FILE`);
    if (file === undefined) return plain(name);
    if (plain(name) !== undefined) {
      problems.push(`Set ${name} or ${name}_FILE, not both.`);
      return undefined;
    }
    try {
      const value = readFileSync(file, 'utf8').trim();
      if (value) return value;
      problems.push(`The file that ${name}_FILE names is empty.`);
    } catch {
      problems.push(`The file that ${name}_FILE names cannot be read.`);
    }
    return undefined;
  };

  const required = (name: string, value: string | undefined, hint: string): string => {
    const toldAlready = problems.some((problem) => problem.includes(name));
    if (value === undefined && !toldAlready) problems.push(`${name} is missing: ${hint}`);
    return value ?? '';
  };

  const url = (name: string, fallback: string): string => {
    const value = plain(name) ?? fallback;
    if (!isWebAddress(value)) problems.push(`${name} must be an http or https address.`);
    return value;
  };

  const originOf = <T extends string | undefined>(name: string, value: T): T => {
    if (value && (!isWebAddress(value) || new URL(value).origin !== value)) {
      problems.push(`${name} must be an origin such as https://shop.example, without a path.`);
    }
    return value;
  };

  const host = plain('SHOP_HOST') ?? '127.0.0.1';
  const portText = plain('SHOP_PORT') ?? '3000';
  const port = Number(portText);
  if (!/^\d+$/.test(portText) || port < 1 || port > 65535) {
    problems.push('SHOP_PORT must be a number from 1 to 65535.');
  }

  const environmentText = required(
    'FINANCING_ENVIRONMENT',
    plain('FINANCING_ENVIRONMENT'),
    `one of ${environments.join(', ')}.`,
  );
  const environment = environments.find((name) => name === environmentText);
  if (environmentText && !environment) {
    problems.push(`FINANCING_ENVIRONMENT must be one of ${environments.join(', ')}.`);
  }

  const ticketSecret = required(
    'ORDER_TICKET_SECRET',
    secret('ORDER_TICKET_SECRET'),
    'the secret shared with the companion.',
  );
  if (ticketSecret && Buffer.byteLength(ticketSecret) < 32) {
    problems.push('ORDER_TICKET_SECRET must be 32 bytes or more (RFC 7518 3.2).');
  }

  const webhookSecret = required(
    'COMPANION_WEBHOOK_SECRET',
    secret('COMPANION_WEBHOOK_SECRET'),
    'the whsec_… secret the companion signs with.',
  );
  if (webhookSecret && !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(webhookSecret)) {
    problems.push('COMPANION_WEBHOOK_SECRET must be whsec_ and 24 or more bytes in Base64.');
  }

  const adminToken = secret('SHOP_ADMIN_TOKEN');
  if (adminToken !== undefined && adminToken.length < 16) {
    problems.push('SHOP_ADMIN_TOKEN must have 16 characters or more.');
  }
  if (adminToken === undefined && !isLoopback(host)) {
    required('SHOP_ADMIN_TOKEN', undefined, 'required when SHOP_HOST is not loopback.');
  }

  // Specification 5.6: a program that serves web pages must not have the private key. The shop
  // refuses to start before it can leak the key.
  for (const name of ['FINANCING_PRIVATE_API_KEY', 'FINANCING_PRIVATE_API_KEY_FILE']) {
    if (plain(name)) problems.push(`${name} belongs to the companion alone: remove it here.`);
  }

  const config: ShopConfig = {
    host,
    port,
    origin: originOf('SHOP_ORIGIN', plain('SHOP_ORIGIN')) ?? `http://localhost:${port}`,
    database: plain('SHOP_DB') ?? 'shop.db',
    companionUrl: url('COMPANION_URL', 'http://localhost:4000'),
    backOffice: {
      url: url('COMPANION_BACK_OFFICE_URL', 'http://127.0.0.1:4001'),
      token: secret('COMPANION_BACK_OFFICE_TOKEN'),
    },
    reconciliation: {
      url: url('RECONCILIATION_URL', 'http://127.0.0.1:4002'),
      token: secret('RECONCILIATION_TOKEN'),
    },
    environment: environment ?? 'sandbox',
    publicApiKey: required(
      'FINANCING_PUBLIC_API_KEY',
      secret('FINANCING_PUBLIC_API_KEY'),
      'the public key of the environment.',
    ),
    ticket: {
      secret: ticketSecret,
      audience: plain('ORDER_TICKET_AUDIENCE') ?? 'financing-companion',
    },
    webhookSecret,
    hostedOrigin: originOf(
      'HOSTED_ORIGIN',
      required('HOSTED_ORIGIN', plain('HOSTED_ORIGIN'), 'the origin of the hosted checkout page.'),
    ),
    sdkOrigin: originOf('SDK_ORIGIN', plain('SDK_ORIGIN')),
    adminToken,
  };
  const { backOffice, reconciliation } = config;
  for (const { name, url, token, permit } of [
    {
      ...backOffice,
      name: 'COMPANION_BACK_OFFICE_URL',
      permit: plain('COMPANION_BACK_OFFICE_INSECURE'),
    },
    { ...reconciliation, name: 'RECONCILIATION_URL', permit: plain('RECONCILIATION_INSECURE') },
  ]) {
    if (token === undefined || !isOpen(url) || permit === 'true') continue;
    problems.push(
      `${name} is plain http to another machine, where the token could be read on the way: use https, or say ${name.replace(/URL$/, 'INSECURE')}=true where something else encrypts that network.`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function isWebAddress(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/** Returns whether others on the network can read requests to an address. */
function isOpen(address: string): boolean {
  if (!isWebAddress(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

/** Returns whether only this machine can reach the address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
