import { ConfigurationError } from '@financing-checkout/kit/env';
import { describe, expect, test } from 'vitest';
import { readConfiguration } from './config.ts';

const files: Record<string, string> = {
  '/token': 'companion-token-0001\n',
  '/tokens': '# who\nfinance read,cases finance-token-00001\n\nshop sync shop-token-000000001\n',
  '/empty': ' \n',
  '/webhook': `whsec_${Buffer.alloc(32, 7).toString('base64')}\n`,
  '/quoted': '"companion-token-0001"',
  '/policy': '{"slaDays":{"default":3},"defaultCurrency":"EUR"}',
  '/wrong-policy': '{"slaDays":{"default":-7}}',
};
const readFile = (path: string) => {
  const text = files[path];
  if (text === undefined) throw new Error('ENOENT');
  return text;
};
const read = (variables: Record<string, string>) =>
  readConfiguration({ RECONCILIATION_ENVIRONMENT: 'sandbox', ...variables }, readFile);
function problemsOf(variables: Record<string, string>): string[] {
  try {
    read(variables);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ variable, message }) => `${variable} ${message}`);
  }
  return [];
}
const WEBHOOK = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('configuration', () => {
  test('requires only the environment', () => {
    expect(read({})).toMatchObject({
      environment: 'sandbox',
      store: { kind: 'sqlite', name: 'reconciliation.db' },
      analytics: {
        file: 'reconciliation.duckdb',
        memoryLimit: expect.stringMatching(/^\d+MB$/) as unknown,
        threads: 1,
      },
      companion: { url: 'http://127.0.0.1:4001', token: undefined },
      listener: {
        host: '127.0.0.1',
        port: 4002,
        trustedProxies: ['127.0.0.0/8', '::1/128'],
        forwardedHeader: 'x-forwarded-for',
      },
      tokens: [],
      sync: { zone: 'UTC', pageSize: 5_000, parallel: 3, everyMs: 0 },
      defaultCurrency: 'USD',
      isCurrencyStated: false,
      alerts: undefined,
      logLevel: 'info',
      logFormat: 'json',
    });
    expect(problemsOf({ RECONCILIATION_ENVIRONMENT: '' })).toEqual([
      'RECONCILIATION_ENVIRONMENT is required; it must be one of uat, sandbox, production',
    ]);
  });

  test('reads secrets from files and never prints them', () => {
    const config = read({
      RECONCILIATION_STORE: 'postgres://ada:planted@db.example/books',
      RECONCILIATION_COMPANION_TOKEN_FILE: '/token',
      RECONCILIATION_COMPANION_MONEY_TOKEN_FILE: '/token',
      RECONCILIATION_TOKENS_FILE: '/tokens',
      RECONCILIATION_ALERT_URL: 'https://finance.example/hook',
      RECONCILIATION_ALERT_SECRET: WEBHOOK,
    });
    expect(config.companion.token?.reveal()).toBe('companion-token-0001');
    expect(config.companion.moneyToken?.reveal()).toBe('companion-token-0001');
    expect(config.tokens.map(({ name, scopes }) => [name, ...scopes])).toEqual([
      ['finance', 'read', 'cases'],
      ['shop', 'sync'],
    ]);
    expect(config.store.name).toBe('postgres://db.example:5432/books');
    expect(config.store.url.reveal()).toContain('planted');
    const printed = JSON.stringify(config);
    for (const secret of ['planted', 'token-0', WEBHOOK]) expect(printed).not.toContain(secret);
  });

  test('lists the secrets from files, so that all parts of the program get new values', () => {
    const { alerts, companion, secretFiles, signIn } = read({
      RECONCILIATION_COMPANION_TOKEN_FILE: '/token',
      RECONCILIATION_COMPANION_MONEY_TOKEN: 'companion-money-token-1',
      RECONCILIATION_TOKENS_FILE: '/tokens',
      RECONCILIATION_URL: 'https://console.example',
      RECONCILIATION_OIDC_ISSUER: 'https://login.example',
      RECONCILIATION_OIDC_CLIENT_ID: 'reconciliation',
      RECONCILIATION_OIDC_CLIENT_SECRET_FILE: '/token',
      RECONCILIATION_OIDC_ROLES: 'finance cases',
      RECONCILIATION_ALERT_URL: 'https://finance.example/hook',
      RECONCILIATION_ALERT_SECRET_FILE: '/webhook',
    });
    expect(secretFiles.map(({ path, variable }) => [variable, path])).toEqual([
      ['RECONCILIATION_COMPANION_TOKEN', '/token'],
      ['RECONCILIATION_OIDC_CLIENT_SECRET', '/token'],
      ['RECONCILIATION_ALERT_SECRET', '/webhook'],
    ]);
    for (const { secret } of secretFiles) secret.replace('the next one');
    const held = [companion.token, companion.moneyToken, signIn?.clientSecret, alerts?.secret];
    expect(held.map((secret) => secret?.reveal())).toEqual([
      'the next one',
      'companion-money-token-1',
      'the next one',
      'the next one',
    ]);
  });

  test('puts the analytics database next to the record store', () => {
    const { analytics } = read({ RECONCILIATION_STORE: 'sqlite:/var/lib/books/facts.db' });
    expect(analytics.file).toBe('/var/lib/books/reconciliation.duckdb');
  });

  test('reads the policy, and its currency overrides the variable', () => {
    const config = read({
      RECONCILIATION_POLICY_FILE: '/policy',
      RECONCILIATION_DEFAULT_CURRENCY: 'GBP',
    });
    expect(config.policy.slaDays.default).toBe(3);
    expect(config.defaultCurrency).toBe('EUR');
    expect(read({ RECONCILIATION_DEFAULT_CURRENCY: 'GBP' }).defaultCurrency).toBe('GBP');
  });

  test('reports all problems at once, without values', () => {
    const problems = problemsOf({
      RECONCILIATION_STORE: 'mysql://planted',
      RECONCILIATION_COMPANION_URL: 'http://planted.example',
      RECONCILIATION_COMPANION_TOKEN_FILE: '/quoted',
      RECONCILIATION_HOST: '0.0.0.0',
      RECONCILIATION_PORT: '70000',
      RECONCILIATION_TRUSTED_PROXIES: 'proxy.planted.example',
      RECONCILIATION_FORWARDED_HEADER: 'x-planted',
      RECONCILIATION_ZONE: 'Planted/Zone',
      RECONCILIATION_PAGE_SIZE: '3',
      RECONCILIATION_POLICY_FILE: '/wrong-policy',
      RECONCILIATION_DEFAULT_CURRENCY: 'PLA',
      RECONCILIATION_ALERT_URL: 'http://planted.example',
      RECONCILIATION_MEMORY_LIMIT: 'planted',
      LOG_LEVEL: 'planted',
    });
    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual([
      'LOG_LEVEL',
      'RECONCILIATION_ALERT_SECRET',
      'RECONCILIATION_ALERT_URL',
      'RECONCILIATION_COMPANION_TOKEN_FILE',
      'RECONCILIATION_COMPANION_URL',
      'RECONCILIATION_DEFAULT_CURRENCY',
      'RECONCILIATION_FORWARDED_HEADER',
      'RECONCILIATION_MEMORY_LIMIT',
      'RECONCILIATION_PAGE_SIZE',
      'RECONCILIATION_POLICY_FILE',
      'RECONCILIATION_PORT',
      'RECONCILIATION_STORE',
      'RECONCILIATION_TOKENS',
      'RECONCILIATION_TRUSTED_PROXIES',
      'RECONCILIATION_ZONE',
    ]);
    expect(problems.join('\n')).not.toMatch(/planted|PLA\b|70000|-7/i);
  });

  test.each([
    ['an empty file', { RECONCILIATION_TOKENS_FILE: '/empty' }, 'points to an empty file'],
    ['no file', { RECONCILIATION_TOKENS_FILE: '/none' }, 'points to a file that cannot be read'],
    [
      'a file and a value',
      { RECONCILIATION_TOKENS_FILE: '/tokens', RECONCILIATION_TOKENS: 'a' },
      'and RECONCILIATION_TOKENS_FILE are both set: keep one of them',
    ],
    ['a short token', { RECONCILIATION_TOKENS: 'ada read short' }, 'token 1 has a token'],
    [
      'an unknown scope',
      { RECONCILIATION_TOKENS: 'ada funds ada-token-000000001' },
      'token 1 has another scope than read, cases, sync, imports, rebuild, periods, money',
    ],
    [
      'a short money token',
      {
        RECONCILIATION_COMPANION_MONEY_TOKEN: 'short',
        RECONCILIATION_TOKENS_FILE: '/tokens',
      },
      'RECONCILIATION_COMPANION_MONEY_TOKEN must be',
    ],
    [
      'the name of the program',
      { RECONCILIATION_TOKENS: 'reconciliation read ada-token-000000001' },
      'token 1 has an invalid name',
    ],
    [
      'one name twice',
      { RECONCILIATION_TOKENS: 'a read ada-token-000000001\na read ada-token-000000002' },
      'contains a name twice',
    ],
    [
      'one token twice',
      { RECONCILIATION_TOKENS: 'a read ada-token-000000001\nb read ada-token-000000001' },
      'contains a token twice',
    ],
    ['a store in memory', { RECONCILIATION_STORE: 'sqlite::memory:' }, 'is in memory'],
    ['a store of two slashes', { RECONCILIATION_STORE: 'sqlite://facts.db' }, 'without "//"'],
  ])('rejects %s', (_, variables, message) => {
    expect(problemsOf(variables)).toEqual([expect.stringContaining(message)]);
  });

  test('allows tokens over plain HTTP only if configured', () => {
    const open = { RECONCILIATION_HOST: '0.0.0.0', RECONCILIATION_TOKENS_FILE: '/tokens' };
    expect(problemsOf(open)).toEqual([
      expect.stringContaining('RECONCILIATION_HOST is not a loopback address'),
    ]);
    expect(problemsOf({ ...open, RECONCILIATION_INSECURE: 'true' })).toEqual([]);
  });

  test.each(['127.0.0.1', 'localhost'])(
    'refuses to start on %s with a token that moves money and no access tokens',
    (host) => {
      const money = {
        RECONCILIATION_HOST: host,
        RECONCILIATION_COMPANION_MONEY_TOKEN_FILE: '/token',
      };
      expect(problemsOf(money)).toEqual([
        expect.stringMatching(
          /^RECONCILIATION_COMPANION_MONEY_TOKEN .*Set RECONCILIATION_TOKENS or RECONCILIATION_OIDC_ISSUER with the scope money/,
        ),
      ]);
      expect(problemsOf({ ...money, RECONCILIATION_TOKENS_FILE: '/tokens' })).toEqual([]);
      // An empty file is one problem, not two.
      expect(problemsOf({ ...money, RECONCILIATION_TOKENS_FILE: '/empty' })).toHaveLength(1);
    },
  );

  describe('of the sign-in', () => {
    const provider = {
      RECONCILIATION_URL: 'https://console.example',
      RECONCILIATION_OIDC_ISSUER: 'https://login.example/realms/shop',
      RECONCILIATION_OIDC_CLIENT_ID: 'reconciliation',
      RECONCILIATION_OIDC_CLIENT_SECRET_FILE: '/token',
      RECONCILIATION_OIDC_ROLES: 'Group of finance  cases,sync;/auditors read\n\n',
    };

    test('maps values of the claim to scopes, and keeps the secret', () => {
      const { signIn, tokenSignIn } = read(provider);
      expect(signIn).toMatchObject({
        label: 'login.example',
        scope: 'openid profile email',
        rolesClaim: 'roles',
        nameClaim: 'name',
        recheckMs: 300_000,
      });
      expect([...(signIn?.roles ?? [])]).toEqual([
        ['Group of finance', ['cases', 'sync']],
        ['/auditors', ['read']],
      ]);
      expect(signIn?.clientSecret?.reveal()).toBe('companion-token-0001');
      expect(JSON.stringify(signIn)).not.toContain('companion-token-0001');
      expect(tokenSignIn).toBe(true);
    });

    test('permits another host and a token that moves money, without tokens for people', () => {
      const open = {
        ...provider,
        RECONCILIATION_HOST: '0.0.0.0',
        RECONCILIATION_INSECURE: 'true',
        RECONCILIATION_COMPANION_MONEY_TOKEN_FILE: '/token',
        RECONCILIATION_TOKEN_SIGN_IN: 'false',
      };
      expect(problemsOf(open)).toEqual([]);
    });

    test.each(['periods', 'money'])(
      'refuses a token with the scope %s, whose holder could sign in as well',
      (scope) => {
        const tokens = `bot sync,imports bot-token-0000000001\nada read,${scope} ada-token-0000000001`;
        expect(problemsOf({ ...provider, RECONCILIATION_TOKENS: tokens })).toEqual([
          `RECONCILIATION_TOKENS token 2 has the scope ${scope}, which only people have with RECONCILIATION_OIDC_ISSUER: remove it there, and map a role to it in RECONCILIATION_OIDC_ROLES`,
        ]);
        expect(problemsOf({ RECONCILIATION_TOKENS: tokens })).toEqual([]);
      },
    );

    test.each([
      [
        'an issuer alone',
        {
          ...provider,
          RECONCILIATION_URL: '',
          RECONCILIATION_OIDC_CLIENT_ID: '',
          RECONCILIATION_OIDC_ROLES: '',
        },
        [
          'RECONCILIATION_OIDC_CLIENT_ID is required with RECONCILIATION_OIDC_ISSUER',
          'RECONCILIATION_OIDC_ROLES is required with RECONCILIATION_OIDC_ISSUER',
          'RECONCILIATION_URL is required with RECONCILIATION_OIDC_ISSUER',
        ],
      ],
      [
        'settings without an issuer',
        { ...provider, RECONCILIATION_OIDC_ISSUER: '', RECONCILIATION_TOKEN_SIGN_IN: 'false' },
        [
          'RECONCILIATION_OIDC_CLIENT_ID needs RECONCILIATION_OIDC_ISSUER',
          'RECONCILIATION_OIDC_CLIENT_SECRET needs RECONCILIATION_OIDC_ISSUER',
          'RECONCILIATION_OIDC_ROLES needs RECONCILIATION_OIDC_ISSUER',
          'RECONCILIATION_TOKEN_SIGN_IN is false without RECONCILIATION_OIDC_ISSUER, so no one could sign in',
        ],
      ],
      [
        'plain addresses of other machines, also in a network that is encrypted',
        {
          ...provider,
          RECONCILIATION_INSECURE: 'true',
          RECONCILIATION_URL: 'http://console.example',
          RECONCILIATION_OIDC_ISSUER: 'http://login.example',
        },
        [
          'RECONCILIATION_OIDC_ISSUER must be an https address without a user, a query or a fragment',
          expect.stringMatching(/^RECONCILIATION_URL is plain http to another machine/),
        ],
      ],
      [
        'wrong roles',
        { ...provider, RECONCILIATION_OIDC_ROLES: 'planted;finance planted;a read;a cases' },
        [
          'RECONCILIATION_OIDC_ROLES role 1 is not a value of the claim and its scopes, separated by a space',
          'RECONCILIATION_OIDC_ROLES role 2 has another scope than read, cases, sync, imports, rebuild, periods, money',
          'RECONCILIATION_OIDC_ROLES role 4 has the value of an earlier one',
        ],
      ],
      [
        'scopes without openid',
        { ...provider, RECONCILIATION_OIDC_SCOPE: 'profile' },
        ['RECONCILIATION_OIDC_SCOPE must be OAuth scopes that include openid'],
      ],
    ])('refuses %s', (_, variables, problems) => {
      expect(problemsOf(variables)).toEqual(problems);
    });
  });

  test('lists unknown variables', () => {
    const variables = { RECONCILIATION_ZON: 'UTC', RECONCILIATION_STORE_FILE: '' };
    expect(read(variables).unknownVariables).toEqual(['RECONCILIATION_ZON']);
  });
});
