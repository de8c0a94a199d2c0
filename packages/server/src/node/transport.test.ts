import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import type { Clock } from '@financing-checkout/kit';
import { TestClock } from '@financing-checkout/kit/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { patienceMs } from '../../../../vitest.shared.ts';
import { order, PRIVATE_KEY } from '../companion.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { createServiceClient } from '../service/client.ts';
import type { CallResult } from '../service/result.ts';
import { httpsServer } from './https.fixture.ts';
import { createNodeTransport } from '@financing-checkout/kit/outgoing';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

type Answer = Parameters<typeof httpsServer>[0];

async function prime(answer: Answer, options: { trust?: boolean; clock?: Clock } = {}) {
  const server = await httpsServer(answer);
  cleanups.push(async () => {
    await server.close();
    server.remove();
  });
  const result = await call(
    server.url,
    options.trust === false ? undefined : server.caFile,
    options.clock,
  );
  return { result, server };
}

async function call(baseUrl: string, caFile?: string, clock?: Clock): Promise<CallResult<unknown>> {
  const { transport, close } = createNodeTransport({ caFile, connectTimeoutMs: patienceMs });
  cleanups.push(close);
  const client = createServiceClient({
    baseUrl,
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport,
    clock,
    deadlineMs: patienceMs,
    random: () => 0,
  });
  return client.prime(order, { priority: 'checkout' });
}

describe('over real TLS', () => {
  test('specification 5.1, 5.2: sends Bearer and JSON over https', async () => {
    let seen: unknown;
    const { result } = await prime((request, response, body) => {
      seen = [request.headers.authorization, request.headers['content-type'], JSON.parse(body)];
      response.writeHead(201, { 'content-type': 'text/json' }).end('{"id":"session"}');
    });
    expect(result).toMatchObject({ kind: 'accepted', body: { id: 'session' } });
    expect(seen).toEqual([`Bearer ${PRIVATE_KEY}`, 'application/json', expect.anything()]);
  });

  test('sends nothing to an untrusted certificate, not even on retry', async () => {
    const { result, server } = await prime((_, response) => response.end('{}'), { trust: false });
    expect(result).toMatchObject({ kind: 'not-sent', reason: 'unreachable' });
    expect(server.requests()).toBe(0);
  });

  test('sends nothing to an untrusted certificate when Node checks none, because any intermediary would get the key', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    cleanups.push(() => Promise.resolve(void vi.unstubAllEnvs()));
    const { result, server } = await prime(() => undefined, { trust: false });
    expect(result).toMatchObject({ kind: 'not-sent', reason: 'unreachable' });
    expect(server.requests()).toBe(0);
  });

  test('a refused connection counts as not sent', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await call(`https://127.0.0.1:${port}`)).toMatchObject({ kind: 'not-sent' });
  });

  test('a port that serves plain HTTP counts as not sent', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n', () => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(async () => {
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    expect(await call(`https://127.0.0.1:${port}`)).toMatchObject({ kind: 'not-sent' });
  });

  test.each<[string, string, Answer]>([
    ['reset after it was read', 'connection-lost', (request) => void request.socket.destroy()],
    [
      'cut off in the body',
      'connection-lost',
      (request, response) => {
        response.writeHead(201, { 'content-length': '1000' });
        response.write('{"id":', () => request.socket.destroy());
      },
    ],
    [
      'a redirect',
      'redirect',
      (request, response) =>
        response.writeHead(307, { location: `https://${request.headers.host ?? ''}/other` }).end(),
    ],
    ['wrong JSON', 'unreadable', (_, response) => response.writeHead(201).end('{"id":')],
    [
      'bytes that are not UTF-8',
      'unreadable',
      (_, response) => response.writeHead(201).end(Buffer.from([0x7b, 0xff])),
    ],
    ['too large', 'too-large', (_, response) => response.writeHead(201).end('x'.repeat(1_200_000))],
    ['500', 'server-error', (_, response) => response.writeHead(500).end('oops')],
  ])('%s is an unknown outcome (%s) after one request', async (_, reason, answer) => {
    const { result, server } = await prime(answer);
    expect(result).toMatchObject({ kind: 'unknown', reason });
    expect(server.requests()).toBe(1);
  });

  test.each<[string, (response: ServerResponse, sent: () => void) => void]>([
    ['no response', (_, sent) => sent()],
    [
      'a body that never ends',
      (response, sent) => {
        response.writeHead(201);
        response.write('{"id":', sent);
      },
    ],
  ])('%s is an unknown outcome (timeout) after one request', async (_, answer) => {
    const clock = new TestClock();
    const pass = () => clock.advance(patienceMs);
    const { result, server } = await prime((_request, response) => answer(response, pass), {
      clock,
    });
    expect(result).toMatchObject({ kind: 'unknown', reason: 'timeout' });
    expect(server.requests()).toBe(1);
  });

  test('stops reading a response without a length at the size limit', async () => {
    let gone = false;
    const { result } = await prime((_, response) => {
      response.writeHead(201);
      const piece = 'x'.repeat(200_000);
      const more = () => void response.write(piece, () => setImmediate(more));
      more();
      response.once('close', () => (gone = true));
    });
    expect(result).toMatchObject({ kind: 'unknown', reason: 'too-large' });
    await expect.poll(() => gone).toBe(true);
  });

  test('a 401 without a body counts as not sent with a rejected key', async () => {
    const { result } = await prime((_, response) => response.writeHead(401).end());
    expect(result).toMatchObject({ kind: 'not-sent', reason: 'key-rejected' });
  });
});

test.each(['http://localhost:1', 'ftp://x', 'localhost', '', 'https://user:pw@localhost'])(
  'specification 5.1: refuses the base address "%s" before sending a request',
  (baseUrl) => {
    expect(() => createServiceClient({ baseUrl, keys: [new PrivateKey(PRIVATE_KEY)] })).toThrow(
      TypeError,
    );
  },
);
