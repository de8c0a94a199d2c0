import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@financing-checkout/kit';
import { createNodeTransport } from '@financing-checkout/kit/outgoing';
import { expect, onTestFinished, test } from 'vitest';
import { readConfiguration } from '../config/config.ts';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { settle, startCompanion } from '../companion/companion.fixture.ts';
import { variablesOf } from '../program.fixture.ts';
import { faultAt, startProvider } from '../sign-in/provider.fixture.ts';
import { createProvider } from '../sign-in/provider.ts';
import { commandLine } from './cli.fixture.ts';

const CONSOLE = 'http://127.0.0.1:4002';

async function setUp() {
  const provider = await startProvider(CONSOLE);
  onTestFinished(() => provider.stop());
  const variables = variablesOf(
    { url: 'http://127.0.0.1:9' },
    {
      RECONCILIATION_URL: CONSOLE,
      RECONCILIATION_OIDC_ISSUER: provider.issuer,
      RECONCILIATION_OIDC_CLIENT_ID: 'reconciliation',
      RECONCILIATION_OIDC_CLIENT_SECRET: 'planted-client-secret-0001',
      RECONCILIATION_OIDC_ROLES: 'finance cases',
    },
    join(temporaryFolder(), 'none'),
  );
  const findings = async () => {
    const { out } = await commandLine(variables).run('doctor');
    expect(out).not.toContain('planted');
    return out.split('\n').filter((line) => line.includes(' sign-in '));
  };
  return { provider, variables, findings };
}

test('doctor reads the configuration and the keys of the OpenID provider', async () => {
  const { findings, provider } = await setUp();
  const { host } = new URL(provider.issuer);
  expect(await findings()).toEqual([
    expect.stringMatching(`^ok +sign-in +the configuration of ${host} is complete$`),
  ]);
  const little = { issuer: provider.issuer, jwks_uri: `${provider.issuer}/jwks` };
  const path = '/.well-known/openid-configuration';
  provider.fault = faultAt(path, 200, 'application/json', JSON.stringify(little));
  expect(await findings()).toEqual([
    expect.stringMatching(/^ok /),
    expect.stringMatching(/^warning .* PKCE with S256$/),
    expect.stringMatching(/^warning .* no back-channel logout$/),
    expect.stringMatching(/^warning .* no address for a sign-out$/),
  ]);
});

test.each([
  ['no configuration', '/.well-known/', 404, 'planted', 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
  ['keys that are not JSON', '/jwks', 200, 'planted', 'keys-invalid'],
])('doctor reports %s', async (_, path, status, body, reason) => {
  const { findings, provider } = await setUp();
  provider.fault = faultAt(path, status, 'application/json', body);
  const message = `the OpenID provider cannot be used (${reason})`;
  expect(await findings()).toEqual([expect.stringContaining(message)]);
});

test('doctor names both issuers if the provider uses a different one', async () => {
  const { findings, provider } = await setUp();
  const body = '{"issuer":"https://other.example/tenant"}';
  provider.fault = faultAt('/.well-known/', 200, 'application/json', body);
  expect(await findings()).toEqual([
    expect.stringContaining(
      `the OpenID provider states the issuer https://other.example/tenant, and RECONCILIATION_OIDC_ISSUER is ${provider.issuer}`,
    ),
  ]);
});

test.each([
  [{}, /^ok +memory +\d+MB for the analytics database: .*a quarter of the memory/],
  [
    { RECONCILIATION_MEMORY_LIMIT: '128MB' },
    /^ok +memory +128MB for the analytics database: RECONCILIATION_MEMORY_LIMIT$/,
  ],
])('doctor states the memory of the analytics database with %j, and why', async (own, finding) => {
  const variables = variablesOf(
    { url: 'http://127.0.0.1:9' },
    own,
    join(temporaryFolder(), 'none'),
  );
  const { out } = await commandLine(variables).run('doctor');
  const found = out.split('\n').filter((line) => line.includes(' memory '));
  expect(found).toEqual([expect.stringMatching(finding)]);
});

test.each([
  [0o750, /^ok +lake +\d+ MB free$/],
  [0o777, /^failed +lake .*lake is writable for every user/],
])(
  'doctor looks whether others could exchange the files of a lake with the mode %o',
  async (mode, finding) => {
    const lake = join(temporaryFolder(), 'lake');
    mkdirSync(lake);
    chmodSync(lake, mode);
    const own = { RECONCILIATION_LAKE: lake };
    const variables = variablesOf(
      { url: 'http://127.0.0.1:9' },
      own,
      join(temporaryFolder(), 'none'),
    );
    const { out } = await commandLine(variables).run('doctor');
    const found = out.split('\n').filter((line) => line.includes(' lake '));
    expect(found).toEqual([expect.stringMatching(finding)]);
  },
);

test('doctor stops waiting for a provider, also in the middle of an answer', async () => {
  const { provider, variables } = await setUp();
  const { signIn } = readConfiguration(variables, () => '');
  if (signIn === undefined) throw new Error('No provider is configured.');
  for (const begin of [false, true]) {
    provider.fault = (_, response) => {
      if (begin)
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"issuer":');
      return true;
    };
    const { transport } = createNodeTransport();
    const tested = createProvider(signIn, systemClock, transport, 200);
    await expect(tested.report()).rejects.toMatchObject({
      code: 'provider-unavailable',
      reason: 'timeout',
    });
  }
});

test('doctor reports that no ledger exists, until the companion has a settle', async () => {
  const shop = await startCompanion();
  const findings = async () => {
    const { out } = await commandLine(variablesOf(shop)).run('doctor');
    return out.split('\n').filter((line) => line.includes(' ledger '));
  };
  expect(await findings()).toEqual([expect.stringMatching(/^warning +ledger +is in set-up/)]);
  shop.entries.push(settle(1, 'A-1', 100));
  expect(await findings()).toEqual([]);
});
