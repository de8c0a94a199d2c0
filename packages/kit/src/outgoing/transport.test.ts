import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { readProxy } from '../env/proxy.ts';
import { failureCode, isNotSent } from '../outbox/failure-code.ts';
import { proxyFindings } from './findings.ts';
import { createNodeTransport, usesProxy } from './transport.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Starts a server that serves requests itself, and refuses every tunnel as a proxy. */
async function serve() {
  const targets: string[] = [];
  const server = createServer((_, response) => response.end('direct'));
  server.on('connect', ({ url = '' }, socket) => {
    targets.push(url);
    socket.end('HTTP/1.1 502 Refused\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, targets };
}

function proxyOf(variables: Record<string, string>) {
  const proxy = readProxy({ problem: expect.unreachable }, variables);
  if (proxy === undefined) throw new Error('No proxy is configured.');
  return proxy;
}

const get = (url: string, { transport }: ReturnType<typeof createNodeTransport>) =>
  transport(url, {
    method: 'GET',
    headers: {},
    redirect: 'manual',
    signal: AbortSignal.timeout(5_000),
  });

test.each([
  ['https://other.example', '', true],
  ['https://other.example', 'shop.example', true],
  ['http://other.example', '', false],
  ['https://shop.example', 'shop.example', false],
  ['https://login.shop.example', 'shop.example', false],
  ['https://login.shop.example', '.shop.example', false],
  ['https://login.shop.example:8443', 'login.shop.example:8443', false],
  ['https://login.shop.example', 'login.shop.example:8443', true],
  ['https://workshop.example', 'shop.example', true],
  ['https://other.example', '*', false],
  ['https://[::1]:4001', '::1', false],
])('for %s, with NO_PROXY=%s, uses the proxy: %s', async (address, noProxy, expected) => {
  const proxy = proxyOf({ HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: noProxy });
  expect(await usesProxy(proxy, address)).toBe(expected);
});

test('uses the proxy only for https addresses, and reports a refused tunnel as not sent', async () => {
  const { host, targets } = await serve();
  // These variables are for other programs.
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:9');
  vi.stubEnv('NO_PROXY', '*');
  const proxied = createNodeTransport({ proxy: proxyOf({ HTTPS_PROXY: `http://${host}` }) });
  onTestFinished(() => proxied.close());
  expect((await get(`http://${host}/`, proxied)).status).toBe(200);
  expect(targets).toEqual([]);
  const refused = await get('https://login.example/', proxied).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect([failureCode(refused), isNotSent(refused)]).toEqual(['PROXY_REFUSED_TUNNEL', true]);
  expect(targets).toEqual(['login.example:443']);
});

test('ignores the variables of the process without a proxy', async () => {
  const { host, targets } = await serve();
  vi.stubEnv('HTTPS_PROXY', `http://${host}`);
  vi.stubEnv('HTTP_PROXY', `http://${host}`);
  const direct = createNodeTransport();
  onTestFinished(() => direct.close());
  expect((await get(`http://${host}/`, direct)).status).toBe(200);
  await expect(get('https://127.0.0.1:9/', direct)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(targets).toEqual([]);
});

test('can be closed twice', async () => {
  const transport = createNodeTransport();
  await transport.close();
  await transport.close();
});

test('states for doctor which addresses are reached through the proxy, without its password', async () => {
  const addresses = {
    companion: 'http://127.0.0.1:4001',
    'sign-in': 'https://login.example/realms/shop',
    alerts: 'https://hooks.shop.example/alerts',
    lake: undefined,
  };
  const proxy = proxyOf({
    https_proxy: 'http://user:planted@proxy.example:8080',
    no_proxy: 'shop.example',
  });
  const message = async (...given: Parameters<typeof proxyFindings>) =>
    (await proxyFindings(...given)).map(({ message: text, status, subject }) => [
      status,
      subject,
      text,
    ]);
  expect(await message(proxy, addresses)).toEqual([
    [
      'ok',
      'proxy',
      'http://proxy.example:8080 (HTTPS_PROXY) for sign-in (login.example); directly, by plain http, or NO_PROXY=shop.example: companion (127.0.0.1:4001), alerts (hooks.shop.example)',
    ],
  ]);
  expect(await message(undefined, addresses)).toEqual([
    ['ok', 'proxy', 'none (HTTPS_PROXY is not set): all addresses are reached directly'],
  ]);
});
