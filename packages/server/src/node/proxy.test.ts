import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { patienceMs } from '../../../../vitest.shared.ts';
import { order, PRIVATE_KEY } from '../companion.fixture.ts';
import { readProxy } from '@financing-checkout/kit/env';
import { environmentOf } from '../config/variables.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { createServiceClient } from '../service/client.ts';
import { serve } from './command.fixture.ts';
import { httpsServer } from './https.fixture.ts';
import { openStore } from './store.ts';
import { createNodeTransport } from '@financing-checkout/kit/outgoing';

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/**
 * Starts a real proxy: the proxy opens tunnels (RFC 9110 9.3.6) and sees only their target host.
 */
async function openProxy(refuse?: number) {
  const tunnels: { target: string; authorization: string | undefined }[] = [];
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(502).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket: Socket) => {
    const target = request.url ?? '';
    tunnels.push({ target, authorization: request.headers['proxy-authorization'] });
    if (refuse !== undefined) {
      socket.end(`HTTP/1.1 ${refuse} Refused\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${target}`);
    const onward = connect(Number(port), hostname);
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    onward.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.on('data', (chunk: Buffer) => seen.push(chunk.toString('latin1')));
      socket.pipe(onward).pipe(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, tunnels, seen };
}

async function openService() {
  const server = await httpsServer((_, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"session"}');
  });
  cleanups.push(async () => {
    await server.close();
    server.remove();
  });
  return server;
}

/** Calls the service with these environment variables. */
async function prime(
  service: { url: string; caFile: string },
  variables: Record<string, string>,
  trust = true,
) {
  const env = environmentOf(variables, () => '');
  const proxy = readProxy(env, variables);
  expect(env.problems).toEqual([]);
  const { transport, close } = createNodeTransport({
    caFile: trust ? service.caFile : undefined,
    connectTimeoutMs: patienceMs,
    proxy,
  });
  cleanups.push(close);
  const client = createServiceClient({
    baseUrl: service.url,
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport,
    deadlineMs: patienceMs,
    random: () => 0,
  });
  return client.prime(order, { priority: 'checkout' });
}

describe('a proxy in HTTPS_PROXY', () => {
  test.each(['HTTPS_PROXY', 'https_proxy'])(
    'forwards the calls to the service, and sees neither the key nor the order (%s)',
    async (name) => {
      const [proxy, service] = [await openProxy(), await openService()];
      const url = `http://companion:pass%20word@${proxy.host}`;
      expect(await prime(service, { [name]: url })).toMatchObject({ kind: 'accepted' });
      expect(proxy.tunnels).toEqual([
        {
          target: `localhost:${service.port}`,
          authorization: `Basic ${btoa('companion:pass word')}`,
        },
      ]);
      expect(proxy.seen.join('')).not.toMatch(
        new RegExp(`${PRIVATE_KEY}|${order.merchantOrderId}`),
      );
    },
  );

  test('is bypassed for a host in NO_PROXY', async () => {
    const [proxy, service] = [await openProxy(), await openService()];
    const variables = { HTTPS_PROXY: `http://${proxy.host}`, NO_PROXY: 'example.com, localhost' };
    expect(await prime(service, variables)).toMatchObject({ kind: 'accepted' });
    expect(proxy.tunnels).toEqual([]);
  });

  test('does not make an untrusted certificate trusted', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    cleanups.push(() => void vi.unstubAllEnvs());
    const [proxy, service] = [await openProxy(), await openService()];
    const result = await prime(service, { HTTPS_PROXY: `http://${proxy.host}` }, false);
    expect(result).toMatchObject({ kind: 'not-sent', reason: 'unreachable' });
    expect(service.requests()).toBe(0);
  });

  test.each([407, 403, 502])(
    'that refuses the tunnel with %i counts as not sent',
    async (status) => {
      const [proxy, service] = [await openProxy(status), await openService()];
      const result = await prime(service, { HTTPS_PROXY: `http://${proxy.host}` });
      expect(result).toMatchObject({ kind: 'not-sent', reason: 'unreachable' });
      expect(proxy.tunnels.length).toBeGreaterThan(0);
      expect(service.requests()).toBe(0);
    },
  );

  test('forwards messages to the shop, except to a host in NO_PROXY', async () => {
    const proxy = await openProxy();
    const shop = createServer((_, response) => response.end());
    shop.listen(0, '127.0.0.1');
    await once(shop, 'listening');
    cleanups.push(() => void shop.close());
    const received = once(shop, 'connection');
    const { port } = shop.address() as AddressInfo;
    const { startHere, upstream } = await serve((_, response) => response.end('{}'));
    const send = async (url: string) => {
      const database = join(upstream.folder, 'data', `${randomUUID()}.db`);
      const store = await openStore({ kind: 'sqlite', file: database }, 'on-start', {
        outbox: true,
      });
      await store.close();
      const open = new DatabaseSync(database);
      open.exec(`
        insert into checkouts (id, environment, merchant_order_id, amount, currency, status, revision,
          session_token, secret_hash, order_hash, order_changed, tax_amount, shipping_tax_amount,
          origin, created_at, updated_at, expires_at, attention_tries, items)
          values ('c', 'sandbox', 'o', 1, 'USD', 'expired', 1, 's', '', '', 0, 0, 0, 'x', 0, 0, 0, 0, '[]');
        insert into outbox (id, checkout_id, body, created_at, tries, next_attempt_at)
          values ('m', 'c', '{}', 0, 0, 0)`);
      open.close();
      await startHere({
        COMPANION_STORE: `sqlite:${database}`,
        COMPANION_WEBHOOK_URL: url,
        COMPANION_WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(24))}`,
        HTTPS_PROXY: `http://${proxy.host}`,
        NO_PROXY: 'localhost,direct.example',
      });
    };
    await send('https://hooks.shop.invalid/results');
    await expect
      .poll(() => proxy.tunnels.map(({ target }) => target))
      .toEqual(['hooks.shop.invalid:443']);
    // Plain http is for the merchant's own network.
    await send(`http://127.0.0.1:${port}/results`);
    await received;
    expect(proxy.tunnels).toHaveLength(1);
  });

  test('that is unreachable counts as not sent', async () => {
    const service = await openService();
    const result = await prime(service, { HTTPS_PROXY: 'http://127.0.0.1:9' });
    expect(result).toMatchObject({ kind: 'not-sent', reason: 'unreachable' });
    expect(service.requests()).toBe(0);
  });
});

describe('the variables', () => {
  const read = (variables: Record<string, string>) => {
    const env = environmentOf(variables, () => '');
    const proxy = readProxy(env, variables);
    return { proxy, problems: env.problems };
  };

  test.each(['socks5://proxy.example:1080', 'proxy.example:8080', 'http://', 'ftp://proxy'])(
    'reject %s by name and do not repeat its value',
    (url) => {
      const { problems } = read({ HTTPS_PROXY: url });
      expect(problems).toMatchObject([{ variable: 'HTTPS_PROXY' }]);
      expect(problems[0]?.message).not.toContain('proxy.example');
    },
  );

  test('ignore HTTP_PROXY, because only addresses in the merchant’s network use plain HTTP', () => {
    expect(read({ HTTP_PROXY: 'http://proxy.example:8080' })).toEqual({
      proxy: undefined,
      problems: [],
    });
  });

  test('yield the name of a proxy without its password', () => {
    const { proxy } = read({ HTTPS_PROXY: 'http://user:secret@proxy.example:8080' });
    expect(proxy?.name).toBe('http://proxy.example:8080');
    expect(JSON.stringify(proxy)).not.toContain('secret');
  });
});
