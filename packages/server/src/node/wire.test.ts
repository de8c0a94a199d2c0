import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { patienceMs } from '../../../../vitest.shared.ts';
import { order, PRIVATE_KEY } from '../companion.fixture.ts';
import { primed } from '../scripted-service.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { createServiceClient } from '../service/client.ts';
import type { Transport } from '@financing-checkout/kit';
import { fetchTransport } from '../service/caller.ts';
import { httpsServer } from './https.fixture.ts';
import { createNodeTransport } from '@financing-checkout/kit/outgoing';

// Requests on the wire, sent with Node's transport and with the runtime's `fetch`.

const systemCertificates = getCACertificates('default');
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

let upstream: Awaited<ReturnType<typeof httpsServer>>;
let answer: Parameters<typeof httpsServer>[0];
beforeEach(async () => {
  answer = (_, response) => response.writeHead(201).end(JSON.stringify(primed.body));
  upstream = await httpsServer((...request) => answer(...request));
  cleanups.push(upstream.remove, () => upstream.close());
  setDefaultCACertificates([...systemCertificates, readFileSync(upstream.caFile, 'utf8')]);
  cleanups.push(() => setDefaultCACertificates(systemCertificates));
});

async function opened(server: Server): Promise<string> {
  server.listen(0, 'localhost');
  await once(server, 'listening');
  cleanups.push(() => void server.close());
  return `localhost:${(server.address() as AddressInfo).port}`;
}

function undiciTransport(): Transport {
  const { caFile } = upstream;
  const { transport, close } = createNodeTransport({ caFile, connectTimeoutMs: patienceMs });
  cleanups.push(close);
  return transport;
}
const transports: [string, () => Transport][] = [
  ['undici', undiciTransport],
  ['fetch', () => fetchTransport],
];

describe.each(transports)('%s', (_, transport) => {
  const clientOf = () =>
    createServiceClient({
      baseUrl: upstream.url,
      keys: [new PrivateKey(PRIVATE_KEY)],
      transport: transport(),
      deadlineMs: patienceMs,
    });

  describe('a redirect is not followed, so that neither the key nor the consumer leaks', () => {
    test.each([301, 302, 303, 307, 308])('with status %i', async (status) => {
      const caught: string[] = [];
      const listener: RequestListener = (request, response) => {
        caught.push(`${request.method ?? ''} ${request.headers.authorization ?? ''}`);
        response.writeHead(201).end(JSON.stringify(primed.body));
      };
      const plain = await opened(createHttpServer(listener));
      // Its certificate is trusted, so that only the companion's own rule prevents a request.
      const other = await opened(createHttpsServer(upstream.identity, listener));

      const client = clientOf();
      const places = [`https://${other}/`, `http://${plain}/`, '//elsewhere.example/', '/v1/other'];
      for (const location of places) {
        answer = (_request, response) => response.writeHead(status, { location }).end();
        expect(await client.prime(order, { priority: 'checkout' })).toMatchObject({
          kind: 'unknown',
          reason: 'redirect',
        });
      }
      expect(caught).toEqual([]);
      expect(upstream.requests()).toBe(places.length);

      // Control: the servers answer a direct request.
      await fetch(`https://${other}/`, { method: 'POST' });
      await fetch(`http://${plain}/`);
      expect(caught).toEqual(['POST ', 'GET ']);
    });

    test('for a GET, which may be retried', async () => {
      answer = (_request, response) => response.writeHead(307, { location: '/v1/other' }).end();
      expect(await clientOf().charge('charge-1', { priority: 'charge' })).toMatchObject({
        reason: 'redirect',
      });
      expect(upstream.requests()).toBe(1);
    });
  });

  test('delivers each call once when the service closes the connection between two calls', async () => {
    const arrived: unknown[] = [];
    answer = (request, response, body) => {
      arrived.push((JSON.parse(body) as { cartDetails: { merchantOrderId: string } }).cartDetails);
      response.writeHead(201).end(JSON.stringify(primed.body), () => request.socket.destroy());
    };
    const client = clientOf();
    const names = Array.from({ length: 20 }, (_value, at) => `order-${at}`);
    for (const merchantOrderId of names) {
      const { kind } = await client.prime({ ...order, merchantOrderId }, { priority: 'checkout' });
      // A request on a closing connection may have an unknown outcome but is not repeated.
      expect(['accepted', 'unknown']).toContain(kind);
    }
    const ids = arrived.map((cart) => (cart as { merchantOrderId: string }).merchantOrderId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('reads the final response after "100 Continue" or "103 Early Hints"', async () => {
    answer = (_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(201).end(JSON.stringify(primed.body));
    };
    expect(await clientOf().prime(order, { priority: 'checkout' })).toMatchObject({
      kind: 'accepted',
      status: 201,
    });
  });

  test('reads a compressed response completely or not at all', async () => {
    answer = (_request, response) =>
      response.writeHead(201, { 'content-encoding': 'gzip' }).end('this is no gzip');
    expect(await clientOf().prime(order, { priority: 'checkout' })).toMatchObject({
      kind: 'unknown',
    });
    expect(upstream.requests()).toBe(1);
  });
});

test('no header reveals the library, the machine or the shopper', async () => {
  let heard: IncomingMessage['headers'] = {};
  answer = (request, response) => {
    heard = request.headers;
    response.writeHead(201).end(JSON.stringify(primed.body));
  };
  const client = createServiceClient({
    baseUrl: upstream.url,
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport: undiciTransport(),
    deadlineMs: patienceMs,
  });
  await client.prime(order, { priority: 'checkout', requestId: 'req_1' });
  expect(Object.keys(heard).sort()).toEqual([
    'accept',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
  ]);
});
