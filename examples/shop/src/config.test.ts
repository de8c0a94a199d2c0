import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const good = {
  FINANCING_ENVIRONMENT: 'sandbox',
  FINANCING_PUBLIC_API_KEY: 'public-key',
  ORDER_TICKET_SECRET: 'a-ticket-secret-of-at-least-32-bytes',
  COMPANION_WEBHOOK_SECRET: 'whsec_c2hhcmVkLXdpdGgtdGhlLWNvbXBhbmlvbi0wMDAx',
  HOSTED_ORIGIN: 'http://localhost:4444',
};

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('uses the documented default of each unset variable', () => {
  expect(readConfig(good)).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    origin: 'http://localhost:3000',
    companionUrl: 'http://localhost:4000',
    backOffice: { url: 'http://127.0.0.1:4001', token: undefined },
    reconciliation: { url: 'http://127.0.0.1:4002', token: undefined },
    ticket: { audience: 'financing-companion' },
    sdkOrigin: undefined,
  });
});

test('reports all problems at once without repeating a value', () => {
  const problems = problemsOf({
    FINANCING_ENVIRONMENT: 'staging-7f3a',
    ORDER_TICKET_SECRET: 'short-7f3a',
    COMPANION_WEBHOOK_SECRET: 'wrong-7f3a',
    HOSTED_ORIGIN: 'http://localhost:4444/path-7f3a',
    SDK_ORIGIN: 'http://localhost:4444/sdk-7f3a.js',
    SHOP_PORT: '99999',
    COMPANION_URL: 'ftp://7f3a.example',
  });
  for (const name of [
    'FINANCING_ENVIRONMENT',
    'FINANCING_PUBLIC_API_KEY',
    'ORDER_TICKET_SECRET',
    'COMPANION_WEBHOOK_SECRET',
    'HOSTED_ORIGIN',
    'SDK_ORIGIN',
    'SHOP_PORT',
    'COMPANION_URL',
  ]) {
    expect(problems.filter((problem) => problem.includes(name))).toHaveLength(1);
  }
  expect(problems.join()).not.toContain('7f3a');
});

test('reports a wrong port once', () => {
  expect(problemsOf({ ...good, SHOP_PORT: 'abc' })).toHaveLength(1);
});

test('reads a secret from a file, and rejects a variable and a file together', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'key');
  writeFileSync(file, 'public-key-from-file\n');
  const { FINANCING_PUBLIC_API_KEY: value, ...rest } = good;
  const fromFile = { ...rest, FINANCING_PUBLIC_API_KEY_FILE: file };
  expect(readConfig(fromFile).publicApiKey).toBe('public-key-from-file');
  expect(problemsOf({ ...fromFile, FINANCING_PUBLIC_API_KEY: value })).toHaveLength(1);
  expect(problemsOf({ ...rest, FINANCING_PUBLIC_API_KEY_FILE: `${file}-gone` })).toHaveLength(1);
});

test('specification 5.6: does not start with the private key', () => {
  expect(problemsOf({ ...good, FINANCING_PRIVATE_API_KEY: 'private' })[0]).toContain('remove it');
});

test('requires a back office token when others can reach the shop', () => {
  expect(problemsOf({ ...good, SHOP_HOST: '0.0.0.0' })[0]).toContain('SHOP_ADMIN_TOKEN');
  expect(problemsOf({ ...good, SHOP_HOST: '0.0.0.0', SHOP_ADMIN_TOKEN: 'x'.repeat(16) })).toEqual(
    [],
  );
});

test.each([
  ['http://companion.internal:4001', false],
  ['http://127.0.0.1.example:4001', false],
  ['https://companion.internal:4001', true],
  ['http://localhost:4001', true],
  ['http://[::1]:4001', true],
])('a token is sent to %s: %s', (url, taken) => {
  for (const to of ['COMPANION_BACK_OFFICE', 'RECONCILIATION']) {
    const env = { ...good, [`${to}_URL`]: url, [`${to}_TOKEN`]: 'token-7f3a' };
    const problems = problemsOf(env);
    expect(problems.length).toBe(taken ? 0 : 1);
    expect(problems.join()).not.toContain('7f3a');
    if (!taken) expect(problems[0]).toContain(`${to}_INSECURE=true`);
    expect(problemsOf({ ...env, [`${to}_INSECURE`]: 'true' })).toEqual([]);
  }
});
