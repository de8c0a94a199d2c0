import { describe, expect, test } from 'vitest';
import { ConfigurationError, readConfiguration, readStoreConfiguration } from './config.ts';

const valid: Record<string, string> = {
  FINANCING_ENVIRONMENT: 'sandbox',
  FINANCING_BASE_URL: 'https://localhost:4443',
  FINANCING_PUBLIC_API_KEY: 'public-key-0123456789',
  FINANCING_PRIVATE_API_KEY: 'private-key-0123456789',
  ORDER_TICKET_SECRET: 'x'.repeat(32),
  COMPANION_ALLOWED_ORIGINS: 'http://localhost:3000, https://shop.example',
};
const noFiles = (): string => {
  throw new Error('ENOENT');
};
const read = (
  change: Record<string, string | undefined> = {},
  readFile: (path: string) => string = noFiles,
) => readConfiguration({ ...valid, ...change }, readFile);

function problemsOf(
  change: Record<string, string | undefined>,
  readFile: (path: string) => string = noFiles,
): string[] {
  try {
    read(change, readFile);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ variable }) => variable);
  }
  return [];
}

test('has the documented defaults', () => {
  expect(read()).toMatchObject({
    settle: 'on-approval',
    defaultCurrency: 'USD',
    tickets: { audience: 'financing-companion' },
    allowedOrigins: ['http://localhost:3000', 'https://shop.example'],
    storefront: { host: '127.0.0.1', port: 4000 },
    backOffice: { host: '127.0.0.1', port: 4001 },
    storeLocation: { kind: 'sqlite', file: 'companion.db' },
    logFormat: 'json',
  });
});

const withWebhookSecret = (bytes: number) => ({
  COMPANION_WEBHOOK_URL: 'https://shop.example/hook',
  COMPANION_WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(bytes))}`,
});

test('treats an empty variable as unset', () => {
  const { storefront, logLevel, webhook } = read({
    COMPANION_PORT: '',
    LOG_LEVEL: ' ',
    COMPANION_WEBHOOK_URL: '',
  });
  expect([storefront.port, logLevel, webhook]).toEqual([4000, 'info', undefined]);
});

test.each<Record<string, string>>([
  withWebhookSecret(24),
  withWebhookSecret(64),
  { COMPANION_PORT: '0', COMPANION_BACK_OFFICE_PORT: '0' },
  {
    COMPANION_RATE_LIMIT_PER_ADDRESS: '0',
    COMPANION_RATE_LIMIT_PER_KEY: '0',
    FINANCING_QUEUE: '0',
  },
  {
    FINANCING_BASE_URL: 'https://localhost:4443/v',
    FINANCING_KNOWN_BASE_URLS: 'sandbox=https://LOCALHOST:4443/V/',
  },
  { COMPANION_BACK_OFFICE_HOST: '::1' },
  { COMPANION_STORE: 'sqlite::memory:' },
  { NOTIFICATION_AUTHORIZATION: 'x'.repeat(16) },
  { FINANCING_HOSTED_URL: 'http://hosted.example/{sessionToken}' },
  {
    FINANCING_HOSTED_URL: 'http://localhost:4444/{sessionToken}',
    FINANCING_ENVIRONMENT: 'production',
  },
])('accepts %j', (change) => {
  expect(problemsOf(change)).toEqual([]);
});

test("uses ChargeAfter as the global of the service's script by default", () => {
  const src = 'https://cdn.chargeafter.com/web/v2/chargeafter.min.js';
  expect(read().sdk).toBeUndefined();
  expect(read({ FINANCING_SDK_URL: src }).sdk).toEqual({ src, global: 'ChargeAfter' });
  expect(read({ FINANCING_SDK_URL: src, FINANCING_SDK_GLOBAL: 'Other' }).sdk?.global).toBe('Other');
});

test('reads the budgets of an order and the maximum lifetime of a ticket', () => {
  const { orderBudgets, tickets } = read();
  expect(orderBudgets).toEqual({ openCheckouts: 5, primes: 20, refusals: 10 });
  expect(tickets.maxLifetimeSeconds).toBe(86_400);
  const other = read({
    COMPANION_RATE_LIMIT_OPEN_PER_ORDER: '0',
    COMPANION_RATE_LIMIT_PRIMES_PER_ORDER: '100',
    COMPANION_RATE_LIMIT_REFUSALS_PER_ORDER: '3',
    ORDER_TICKET_MAX_LIFETIME_SECONDS: '3600',
  });
  expect(other.orderBudgets).toEqual({ openCheckouts: 0, primes: 100, refusals: 3 });
  expect(other.tickets.maxLifetimeSeconds).toBe(3_600);
  expect(problemsOf({ ORDER_TICKET_MAX_LIFETIME_SECONDS: '0' })).toHaveLength(1);
});

test('reads the budget for forms without script', () => {
  expect(read().startBudget).toEqual({ perAddress: 20, perTicket: 30 });
  const other = read({
    COMPANION_RATE_LIMIT_STARTS_PER_ADDRESS: '0',
    COMPANION_RATE_LIMIT_STARTS_PER_TICKET: '5',
  });
  expect(other.startBudget).toEqual({ perAddress: 0, perTicket: 5 });
});

test('reads the budget for applications without a cart', () => {
  expect(read().prequalificationBudget).toEqual({ perAddress: 20, total: 600 });
  const other = read({
    COMPANION_RATE_LIMIT_PREQUALIFICATIONS_PER_ADDRESS: '5',
    COMPANION_RATE_LIMIT_PREQUALIFICATIONS: '0',
  });
  expect(other.prequalificationBudget).toEqual({ perAddress: 5, total: 0 });
});

test('reads the budgets for messages with links', () => {
  expect(read().linkMessageBudgets).toEqual({ perRecipient: 5, perToken: 100 });
  const { linkMessageBudgets } = read({
    COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_RECIPIENT: '0',
    COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_TOKEN: '10000',
  });
  expect(linkMessageBudgets).toEqual({ perRecipient: 0, perToken: 10_000 });
});

test('lists a previous secret after the current one', () => {
  const { tickets } = read({ ORDER_TICKET_SECRET_PREVIOUS: 'y'.repeat(32) });
  expect(tickets.secrets.map((secret) => secret.reveal()[0])).toEqual(['x', 'y']);
});

test('reports all problems at once', () => {
  expect(() => readConfiguration({}, noFiles)).toThrow(ConfigurationError);
  expect(
    problemsOf(Object.fromEntries(Object.keys(valid).map((name) => [name, undefined]))),
  ).toEqual(Object.keys(valid));
});

describe('refuses', () => {
  test.each<[string, Record<string, string | undefined>]>([
    ['FINANCING_BASE_URL', { FINANCING_BASE_URL: 'http://service.example' }],
    ['FINANCING_PUBLIC_API_KEY', { FINANCING_PUBLIC_API_KEY: 'private-key-0123456789' }],
    ['FINANCING_PRIVATE_API_KEY', { FINANCING_PRIVATE_API_KEY: 'short' }],
    ['FINANCING_ENVIRONMENT', { FINANCING_ENVIRONMENT: 'prod' }],
    ['FINANCING_HOSTED_URL', { FINANCING_HOSTED_URL: 'https://hosted.example/{token}' }],
    ['FINANCING_HOSTED_URL', { FINANCING_HOSTED_URL: 'javascript:alert({sessionToken})' }],
    [
      'FINANCING_HOSTED_URL',
      {
        FINANCING_HOSTED_URL: 'http://hosted.example/{sessionToken}',
        FINANCING_ENVIRONMENT: 'production',
      },
    ],
    ['FINANCING_SDK_URL', { FINANCING_SDK_URL: 'http://cdn.example/sdk.js' }],
    ['FINANCING_SDK_GLOBAL', { FINANCING_SDK_GLOBAL: 'not a name' }],
    ['FINANCING_SDK_INTEGRITY', { FINANCING_SDK_INTEGRITY: 'md5-abc' }],
    ['FINANCING_DEFAULT_CURRENCY', { FINANCING_DEFAULT_CURRENCY: 'EURO' }],
    ['FINANCING_CHECKOUT_OPERATION', { FINANCING_CHECKOUT_OPERATION: 'v3' }],
    ['FINANCING_SETTLE', { FINANCING_SETTLE: 'never' }],
    ['ORDER_TICKET_SECRET', { ORDER_TICKET_SECRET: 'x'.repeat(31) }],
    ['COMPANION_ALLOWED_ORIGINS', { COMPANION_ALLOWED_ORIGINS: 'https://shop.example/' }],
    ['COMPANION_ALLOWED_ORIGINS', { COMPANION_ALLOWED_ORIGINS: '*' }],
    ['COMPANION_HOST', { COMPANION_HOST: '[::1]' }],
    ['COMPANION_HOST', { COMPANION_HOST: 'localhost:4000' }],
    ['COMPANION_PORT', { COMPANION_PORT: '70000' }],
    ['COMPANION_BACK_OFFICE_PORT', { COMPANION_BACK_OFFICE_PORT: '4000' }],
    ['COMPANION_BACK_OFFICE_TOKENS', { COMPANION_BACK_OFFICE_HOST: '0.0.0.0' }],
    ['COMPANION_STORE', { COMPANION_STORE: 'companion.db' }],
    ['COMPANION_STORE', { COMPANION_STORE: 'sqlite:file::memory:' }],
    ['COMPANION_STORE', { COMPANION_STORE: 'sqlite:File:companion.db?mode=memory' }],
    ['COMPANION_STORE', { COMPANION_STORE: 'sqlite://companion.db' }],
    ['COMPANION_STORE', { COMPANION_STORE: 'sqlite:///companion.db' }],
    ['COMPANION_STORE', { COMPANION_STORE: 'sqlite://:memory:' }],
    [
      'COMPANION_STORE',
      { COMPANION_STORE: 'sqlite::memory:', FINANCING_ENVIRONMENT: 'production' },
    ],
    ['COMPANION_WEBHOOK_SECRET', { COMPANION_WEBHOOK_URL: 'https://shop.example/hook' }],
    ['COMPANION_WEBHOOK_URL', { COMPANION_WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(24))}` }],
    [
      'COMPANION_WEBHOOK_URL',
      {
        COMPANION_WEBHOOK_URL: 'http://shop.example/hook',
        COMPANION_WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(24))}`,
      },
    ],
    [
      'COMPANION_WEBHOOK_URL',
      {
        COMPANION_WEBHOOK_URL: 'https://shop:word@shop.example/hook',
        COMPANION_WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(24))}`,
      },
    ],
    [
      'COMPANION_WEBHOOK_SECRET_FILE',
      {
        COMPANION_WEBHOOK_URL: 'https://shop.example/hook',
        COMPANION_WEBHOOK_SECRET_FILE: '/none',
      },
    ],
    [
      'NOTIFICATION_AUTHORIZATION_FILE',
      {
        NOTIFICATION_AUTHORIZATION_FILE: '/none',
        NOTIFICATION_AUTHORIZATION_PREVIOUS: 'Bearer 0123456789',
      },
    ],
    [
      'COMPANION_BACK_OFFICE_TOKEN_FILE',
      {
        COMPANION_BACK_OFFICE_HOST: '0.0.0.0',
        COMPANION_BACK_OFFICE_INSECURE: 'true',
        COMPANION_BACK_OFFICE_TOKEN_FILE: '/none',
      },
    ],
    ['FINANCING_CA_FILE', { FINANCING_CA_FILE: '/none' }],
    ['FINANCING_PUBLIC_API_KEY', { FINANCING_PRIVATE_API_KEY_NEXT: 'public-key-0123456789' }],
    ['ORDER_TICKET_SECRET_PREVIOUS', { ORDER_TICKET_SECRET_PREVIOUS: 'x'.repeat(31) }],
    ['COMPANION_BACK_OFFICE_TOKEN', { COMPANION_BACK_OFFICE_TOKEN: 'x'.repeat(15) }],
    ['COMPANION_BACK_OFFICE_TOKEN', { COMPANION_BACK_OFFICE_TOKEN: `${'x'.repeat(16)} y` }],
    ['COMPANION_BACK_OFFICE_TOKENS', { COMPANION_BACK_OFFICE_HOST: 'localhost.shop.example' }],
    ['COMPANION_BACK_OFFICE_TOKENS', { COMPANION_BACK_OFFICE_HOST: 'shop-localhost' }],
    ['COMPANION_WEBHOOK_SECRET_PREVIOUS', { COMPANION_WEBHOOK_SECRET_PREVIOUS: 'whsec_short' }],
    ['COMPANION_WEBHOOK_SECRET', withWebhookSecret(23)],
    ['COMPANION_WEBHOOK_SECRET', withWebhookSecret(65)],
    ['NOTIFICATION_AUTHORIZATION', { NOTIFICATION_AUTHORIZATION: 'Bearer 01234567' }],
    ['NOTIFICATION_AUTHORIZATION', { NOTIFICATION_AUTHORIZATION_PREVIOUS: 'Bearer 0123456789' }],
    ['FINANCING_HOSTED_URL', { FINANCING_HOSTED_URL: 'https://h.example/{sessionToken}/{token}' }],
    ['FINANCING_HOSTED_URL', { FINANCING_HOSTED_URL: 'https://h.example/{sessionToken}/}' }],
    ['FINANCING_DEADLINE_MS', { FINANCING_DEADLINE_MS: '499' }],
    ['FINANCING_DEADLINE_MS', { FINANCING_DEADLINE_MS: '1e4' }],
    ['FINANCING_QUEUE', { FINANCING_QUEUE: '100001' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['FINANCING_BASE_URL', { FINANCING_BASE_URL: 'https://service.example/?a=1' }],
    ['FINANCING_BASE_URL', { FINANCING_BASE_URL: 'https://uat.service.example' }],
    [
      'FINANCING_BASE_URL',
      { FINANCING_KNOWN_BASE_URLS: 'uat=https://localhost:4443/, sandbox=https://s.example' },
    ],
    ['FINANCING_KNOWN_BASE_URLS', { FINANCING_KNOWN_BASE_URLS: 'https://s.example' }],
    ['FINANCING_KNOWN_BASE_URLS', { FINANCING_KNOWN_BASE_URLS: 'uat=http://s.example' }],
    [
      'FINANCING_KNOWN_BASE_URLS',
      {
        FINANCING_KNOWN_BASE_URLS:
          'sandbox=https://s.example,uat=https://u.example, sandbox =https://localhost:4443',
      },
    ],
    [
      'FINANCING_PUBLIC_API_KEY',
      { FINANCING_PUBLIC_API_KEY: 'pk-0123456789\n# the key of the shop' },
    ],
    ['COMPANION_TRUSTED_PROXIES', { COMPANION_TRUSTED_PROXIES: 'proxy.example' }],
    ['COMPANION_TRUSTED_PROXIES', { COMPANION_TRUSTED_PROXIES: '10.0.0.0/33' }],
    ['COMPANION_TRUSTED_PROXIES', { COMPANION_TRUSTED_PROXIES: '10.0.0.256' }],
    ['COMPANION_TRUSTED_PROXIES', { COMPANION_TRUSTED_PROXIES: '010.0.0.1' }],
    ['COMPANION_FORWARDED_HEADER', { COMPANION_FORWARDED_HEADER: 'x-real-ip' }],
    ['COMPANION_RATE_LIMIT_PER_ADDRESS', { COMPANION_RATE_LIMIT_PER_ADDRESS: '-1' }],
    ['FINANCING_CONCURRENCY', { FINANCING_CONCURRENCY: '0' }],
  ])('%s (%#)', (variable, change) => {
    expect(problemsOf(change)).toEqual([variable]);
  });
});

describe('a secret in quotation marks, as in a .env file', () => {
  const names = [
    'FINANCING_PUBLIC_API_KEY',
    'FINANCING_PRIVATE_API_KEY',
    'FINANCING_PRIVATE_API_KEY_NEXT',
    'ORDER_TICKET_SECRET',
    'ORDER_TICKET_SECRET_PREVIOUS',
    'COMPANION_BACK_OFFICE_TOKEN',
    'NOTIFICATION_AUTHORIZATION',
  ];
  const word = 'a-word-of-0123456789-0123456789';
  const message = 'in quotation marks, which would be part of it: remove them';

  test.each(names.flatMap((name) => ['"', "'"].map((mark) => [name, mark])))(
    'is refused and not repeated: %s %s',
    (name, mark) => {
      const text = `${mark}${word}${mark}`;
      const inFile = { [name]: undefined, [`${name}_FILE`]: '/run/secret' };
      const starts = [() => read({ [name]: text }), () => read(inFile, () => `${text}\n`)];
      const messages = [`${name} is ${message}`, `${name}_FILE points to a text ${message}`];
      for (const [index, start] of starts.entries()) {
        expect(start).toThrow(`The configuration is not complete:\n  ${messages[index]}`);
        expect(start).not.toThrow(word);
      }
    },
  );

  test.each([`"${word}`, `${word}'`, `"${word}'`, `${word}"${word}`])(
    'keeps a quotation mark that is not part of a pair around the value (%#)',
    (text) => {
      expect(problemsOf({ FINANCING_PRIVATE_API_KEY: text })).toEqual([]);
    },
  );
});

test.each([
  ['raw random bytes', '\uFFFD\u0012K\uFFFD'.repeat(10)],
  ['UTF-16, as some shells write it', `\uFFFD\uFFFD${'k\0'.repeat(40)}`],
  ['UTF-16 without a byte order mark', 'k\0'.repeat(40)],
])('refuses a secret file that is not text: %s', (_, text) => {
  for (const name of ['ORDER_TICKET_SECRET', 'COMPANION_BACK_OFFICE_TOKENS']) {
    const change = { [name]: undefined, [`${name}_FILE`]: '/run/secret' };
    expect(problemsOf(change, () => text)).toEqual([`${name}_FILE`]);
  }
});

const LONG_KEY = 'key-0123456789-0123456789-0123456789';
test.each(
  [
    'FINANCING_PUBLIC_API_KEY',
    'FINANCING_PRIVATE_API_KEY',
    'FINANCING_PRIVATE_API_KEY_NEXT',
  ].flatMap((key) =>
    ['ORDER_TICKET_SECRET', 'ORDER_TICKET_SECRET_PREVIOUS', 'COMPANION_BACK_OFFICE_TOKEN'].map(
      (secret) => [secret, key],
    ),
  ),
)('refuses %s with the value of %s', (secret, key) => {
  expect(problemsOf({ [key]: LONG_KEY, [secret]: LONG_KEY })).toEqual([secret]);
});

test('refuses a ticket audience in quotation marks, because no ticket would match it', () => {
  expect(problemsOf({ ORDER_TICKET_AUDIENCE: '"shop"' })).toEqual(['ORDER_TICKET_AUDIENCE']);
});

test('never repeats a value in a message', () => {
  const secret = 'the-value-of-a-secret';
  const change = Object.fromEntries(
    [...Object.keys(valid), 'COMPANION_WEBHOOK_SECRET', 'FINANCING_HOSTED_URL', 'LOG_LEVEL'].map(
      (name) => [name, `${secret} ${secret}`],
    ),
  );
  expect(() => read(change)).toThrow(ConfigurationError);
  try {
    read(change);
  } catch (error) {
    expect(String(error)).not.toContain(secret);
  }
});

test('reads secrets from files without the final newline', () => {
  const { tickets } = read(
    { ORDER_TICKET_SECRET: undefined, ORDER_TICKET_SECRET_FILE: '/run/secret' },
    (path) => `${path === '/run/secret' ? 'y'.repeat(40) : ''}\n`,
  );
  expect(tickets.secrets[0]?.reveal()).toBe('y'.repeat(40));
  expect(problemsOf({ ORDER_TICKET_SECRET_FILE: '/run/secret' })).toEqual(['ORDER_TICKET_SECRET']);
  const empty = { ORDER_TICKET_SECRET: undefined, ORDER_TICKET_SECRET_FILE: '/run/secret' };
  expect(problemsOf(empty, () => '\n')).toEqual(['ORDER_TICKET_SECRET_FILE']);
  expect(problemsOf({ ORDER_TICKET_SECRET: undefined, ORDER_TICKET_SECRET_FILE: '/none' })).toEqual(
    ['ORDER_TICKET_SECRET_FILE'],
  );
});

test.each([
  'z'.repeat(40),
  'z'.repeat(40) + '\n',
  'z'.repeat(40) + '\r\n',
  '\uFEFF' + 'z'.repeat(40) + '\r\n',
])(
  'reads a secret file with or without a byte order mark and with any line ending (%#)',
  (text) => {
    const { tickets } = read(
      { ORDER_TICKET_SECRET: undefined, ORDER_TICKET_SECRET_FILE: '/run/secret' },
      () => text,
    );
    expect(tickets.secrets[0]?.reveal()).toBe('z'.repeat(40));
  },
);

test.each([
  ['', ['FINANCING_CA_FILE']],
  ['-----BEGIN PRIVATE KEY-----\n', ['FINANCING_CA_FILE']],
  ['-----BEGIN CERTIFICATE-----\n', []],
])('refuses a CA file without a certificate (%#)', (text, wrong) => {
  const problems = problemsOf({ FINANCING_CA_FILE: '/etc/ca.pem' }, () => text);
  expect(problems).toEqual(wrong);
});

test.each<Record<string, string>>([
  { COMPANION_STORE_FILE: '/none' },
  { COMPANION_STORE_FILE: '/none', COMPANION_STORE: 'postgres://localhost/financing' },
  // Each process would have its own database.
  { COMPANION_STORE: 'sqlite::memory:' },
])('refuses an invalid store instead of using the default: %j', (variables) => {
  expect(() => readStoreConfiguration(variables, noFiles)).toThrow(ConfigurationError);
});

test('names a database at an IPv6 address in URL form', () => {
  const { storeLocation } = read({ COMPANION_STORE: 'postgres://user:secret@[::1]/financing' });
  expect(storeLocation).toMatchObject({ name: 'postgres://[::1]:5432/financing' });
});

test("lists the key files to watch; the next key's file may be empty", () => {
  const { nextPrivateKey, privateKeyFiles } = read(
    {
      FINANCING_PRIVATE_API_KEY: undefined,
      FINANCING_PRIVATE_API_KEY_FILE: '/run/current',
      FINANCING_PRIVATE_API_KEY_NEXT_FILE: '/run/next',
    },
    (path) => (path === '/run/current' ? 'private-key-0123456789\n' : '\n'),
  );
  expect(nextPrivateKey).toBeUndefined();
  expect(privateKeyFiles).toEqual([
    { slot: 0, path: '/run/current' },
    { slot: 1, path: '/run/next' },
  ]);
});

test('normalizes origins to the form that browsers send', () => {
  const names = 'HTTPS://Shop.Example, https://möbel.example, https://shop.example:443';
  expect(read({ COMPANION_ALLOWED_ORIGINS: names }).allowedOrigins).toEqual([
    'https://shop.example',
    'https://xn--mbel-5qa.example',
    'https://shop.example',
  ]);
});

test.each([
  ['https://*.shop.example', 'entry 2 holds a wildcard, which no browser sends: name each origin'],
  ['*', 'entry 2 holds a wildcard, which no browser sends: name each origin'],
  ['https://shop.example/cart', 'entry 2 is no origin such as https://shop.example (no path'],
  ['shop.example', 'entry 2 is no origin'],
  ['https://user@shop.example', 'entry 2 is no origin'],
])('states why %s is not a valid origin', (entry, reason) => {
  const wrong = { COMPANION_ALLOWED_ORIGINS: `https://shop.example, ${entry}` };
  expect(() => read(wrong)).toThrow(`COMPANION_ALLOWED_ORIGINS ${reason}`);
});

test('trusts proxies on this machine by default, and other proxies by address or range', () => {
  const proxies = (text?: string) => read({ COMPANION_TRUSTED_PROXIES: text }).trustedProxies;
  expect(proxies()).toEqual(['127.0.0.0/8', '::1/128']);
  expect(proxies('none')).toEqual([]);
  expect(proxies('10.0.0.0/8, 2001:db8::1, ::ffff:1.2.3.4/120')).toHaveLength(3);
});

test('reports a variable that is probably misspelled, but not a variable of another program', () => {
  const others = { OTHER: '1', RECONCILIATION_ZONE: 'UTC' };
  expect(read({ COMPANION_PRT: '1', ...others }).unknownVariables).toEqual(['COMPANION_PRT']);
});

test('prints the configuration without its secrets', () => {
  const text = JSON.stringify(read({ COMPANION_BACK_OFFICE_TOKEN: 'office-token-0123456789' }));
  expect(text).not.toMatch(/private-key-0|xxxxxxxx|office-token/);
});
