import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { commandLine } from '../cli/cli.fixture.ts';
import { readConfiguration } from '../config/config.ts';
import { take } from '../facts/facts.fixture.ts';
import { openFacts } from '../facts/open.ts';
import { run, startShop, variablesOf } from '../program.fixture.ts';

/** Starts a proxy that refuses each tunnel and records its target. */
async function openProxy() {
  const targets: string[] = [];
  const server = createServer((_, response) => response.end());
  server.on('connect', ({ url = '' }, socket) => {
    targets.push(url);
    socket.end('HTTP/1.1 502 Refused\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, targets };
}

/** Variables of a program that reaches its peers over https. */
const remote = (proxy: string, companion = 'https://companion.example:4001') => ({
  ...variablesOf({ url: companion }),
  HTTPS_PROXY: proxy,
  RECONCILIATION_URL: 'http://127.0.0.1:4002',
  RECONCILIATION_OIDC_ISSUER: 'https://login.example/realms/shop',
  RECONCILIATION_OIDC_CLIENT_ID: 'reconciliation',
  RECONCILIATION_OIDC_ROLES: 'finance cases',
  RECONCILIATION_ALERT_URL: 'https://hooks.shop.example/alerts',
  RECONCILIATION_ALERT_SECRET: `whsec_${btoa('x'.repeat(24))}`,
});

test('requests to the companion and the OpenID provider go through the proxy', async () => {
  const proxy = await openProxy();
  const { engine } = await run(
    readConfiguration(remote(proxy.url), () => ''),
    { mode: 'serve' },
  );
  await expect(engine.provider?.report()).rejects.toMatchObject({ reason: 'PROXY_REFUSED_TUNNEL' });
  await expect(engine.operations.own()).rejects.toThrow('it is unreachable');
  await expect.poll(() => new Set(proxy.targets)).toContain('companion.example:4001');
  expect(proxy.targets).toContain('login.example:443');
});

test('alerts use the proxy, but requests to a companion over plain http do not', async () => {
  const proxy = await openProxy();
  const shop = await startShop(0);
  const config = readConfiguration(remote(proxy.url, shop.url), () => '');
  const facts = await openFacts(config.store.url.reveal());
  onTestFinished(() => facts.close());
  const fence = await take(facts, 'an earlier process', Date.now());
  await facts.queueAlert(fence, { id: 'alert-1', caseId: '', body: '{}' }, Date.now());
  await facts.releaseLease(fence);
  await run(config, { mode: 'serve' });
  await expect.poll(() => proxy.targets, { timeout: 10_000 }).toContain('hooks.shop.example:443');
  expect(proxy.targets.filter((target) => !/^(?:hooks|login)\./.test(target))).toEqual([]);
});

test('doctor states which addresses are reached through the proxy', async () => {
  const proxy = await openProxy();
  const variables = { ...remote(proxy.url), NO_PROXY: 'shop.example' };
  const { out } = await commandLine(variables).run('doctor');
  expect(out).toContain(
    `${proxy.url} (HTTPS_PROXY) for companion (companion.example:4001), sign-in (login.example); directly, by plain http, or NO_PROXY=shop.example: alerts (hooks.shop.example)`,
  );
  expect(out).toContain('the OpenID provider cannot be used (PROXY_REFUSED_TUNNEL)');
});
