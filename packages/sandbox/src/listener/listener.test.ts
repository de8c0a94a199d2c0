import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discard, prime, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));

/** Returns a body of unknown length: fetch sends it with `transfer-encoding: chunked`. */
const chunked = (text: string): RequestInit & { duplex: 'half' } => ({
  body: new Blob([text]).stream(),
  duplex: 'half',
});

it.each([
  ['sandbox', true],
  ['elsewhere', false],
])(
  'has a certificate for the host name that it was started with: %s',
  async (servername, valid) => {
    const named = await startTestSandbox(undefined, { hostName: 'sandbox' });
    const { hostname, port } = new URL(named.sandbox.apiUrl);
    const ca = readFileSync(named.sandbox.caFile);
    const socket = connectTls({ host: hostname, port: Number(port), ca, servername });
    const isAccepted = await new Promise((resolve) => {
      socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    await discard(named);
    expect(isAccepted).toBe(valid);
  },
);

// The size limit of both listeners replaces a request of unknown length with a new one. This failed
// when the listener's requests were not native Request objects.
it('passes a DELETE without content-length to the control API', async () => {
  await test.call('GET', '/v2/post-sale/fundings/report');
  const answer = await fetch(`${test.sandbox.controlUrl}/calls`, { method: 'DELETE' });
  expect([answer.status, await answer.json()]).toEqual([200, { calls: [] }]);
  expect(test.sandbox.calls()).toEqual([]);
});

it('passes a chunked body to the control API', async () => {
  const answer = await fetch(`${test.sandbox.controlUrl}/clock`, {
    method: 'POST',
    ...chunked('{"advance": "1d"}'),
  });
  expect(answer.status).toBe(200);
});

it('passes a chunked form to the hosted page', async () => {
  const { visit } = await prime(test);
  const answer = await fetch(`${test.sandbox.hostedUrl}/checkout/cancel`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    ...chunked(new URLSearchParams(visit).toString()),
  });
  expect(await answer.json()).toEqual({ outcome: { type: 'ended', reason: 'cancelled' } });
});

it('rejects a chunked body that is too large', async () => {
  const answer = await fetch(`${test.sandbox.controlUrl}/clock`, {
    method: 'POST',
    ...chunked('x'.repeat(70_000)),
  });
  expect(answer.status).toBe(413);
});

/** Opens a connection for sending raw bytes. */
function rawConnection(address: string) {
  const { protocol, hostname, port } = new URL(address);
  const to = { host: hostname, port: Number(port) };
  const socket =
    protocol === 'https:'
      ? connectTls({ ...to, ca: readFileSync(test.sandbox.caFile), servername: 'localhost' })
      : connectPlain(to);
  let text = '';
  socket.on('data', (piece: Buffer) => (text += piece.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, received: () => text, closed };
}

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');
const upgrade = ['connection: Upgrade', 'upgrade: h2c'];

describe.each(['apiUrl', 'controlUrl', 'hostedUrl'] as const)('%s', (listener) => {
  it.each([
    ['', upgrade],
    [' with an expectation that nobody knows', [...upgrade, 'expect: miracles']],
  ])(
    'closes the connection after an upgrade request%s, because the bytes that follow it are lost',
    async (_, headers) => {
      const { socket, received, closed } = rawConnection(test.sandbox[listener]);
      socket.write(head('GET /health', ...headers) + head('GET /health'));
      await closed;
      expect(received()).toMatch(/^HTTP\/1\.1 \d{3} /);
      expect(received()).toMatch(/^connection: close\r$/im);
    },
  );

  it('responds to an unknown Expect header, and to the next request', async () => {
    const { socket, received } = rawConnection(test.sandbox[listener]);
    socket.write(head('GET /health', 'expect: miracles') + head('GET /health'));
    await expect.poll(() => received().match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(2);
    expect(received()).toMatch(/^HTTP\/1\.1 417 /);
    socket.destroy();
  });
});

it.each([
  ['the API', 'apiUrl', '/v1/checkout/prime'],
  ['the control API', 'controlUrl', '/clock'],
  ['the hosted page', 'hostedUrl', '/checkout/cancel'],
] as const)(
  'refuses a chunked body that is too large for %s, and answers the next request',
  async (_, listener, path) => {
    const { socket, received } = rawConnection(test.sandbox[listener]);
    const authorization = `authorization: Bearer ${test.environment('sandbox').privateKey}`;
    socket.write(head(`POST ${path}`, authorization, 'transfer-encoding: chunked'));
    for (let piece = 0; piece < 72; piece++) {
      socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    }
    socket.write(`0\r\n\r\n${head('GET /nothing')}`);
    await expect.poll(() => received().match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(2);
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  },
);

it('rejects an unreadable form', async () => {
  for (const path of ['/checkout/details', '/checkout/cancel']) {
    const answer = await fetch(test.sandbox.hostedUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data', accept: 'application/json' },
      body: 'no boundary',
    });
    expect(answer.status).toBe(400);
  }
});
