import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { BACK_OFFICE_TOKEN, createCompanion, ORIGIN, PUBLIC_KEY } from '../companion.fixture.ts';
import { createClientAddress } from '@financing-checkout/kit';
import { listen, type OpenListener } from '@financing-checkout/kit/listen';

// Bytes that a proxy and the companion could read as different numbers of requests (RFC 9112 11.2),
// sent to both listeners.

const open: OpenListener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.drain(0)));
});

async function setUp() {
  const companion = await createCompanion({
    addressLimit: 2,
    clientAddress: createClientAddress({
      trustedProxies: ['127.0.0.0/8'],
      forwardedHeader: 'x-forwarded-for',
      logger: { log: () => undefined },
    }),
  });
  const apps = [companion.storefront, companion.backOffice];
  for (const app of apps) open.push(await listen(app, { host: '127.0.0.1', port: 0 }));
  /** Sends bytes and another request after them. Returns the whole response. */
  const send = async (listener: 'storefront' | 'back-office', bytes: string) => {
    const url = open[listener === 'storefront' ? 0 : 1]?.url ?? '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.end(Buffer.from(bytes, 'latin1'));
    await once(socket, 'close');
    return { text, statuses: Array.from(text.matchAll(/HTTP\/1\.1 (\d+) /g), ([, it]) => it) };
  };
  return { companion, send };
}

const places = [
  ['storefront', 'POST /checkout/prime HTTP/1.1'],
  ['back-office', 'POST /charges/charge-1/voids HTTP/1.1'],
] as const;
/** A smuggled request that would have an effect if it were parsed as a request. */
const inner = `POST /charges/charge-1/refunds HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${BACK_OFFICE_TOKEN}\r\nidempotency-key: k\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"amount":1}`;

const refused: [string, string, string][] = [
  ['a length before chunks', 'content-length: 5\r\ntransfer-encoding: chunked', '0\r\n\r\n'],
  ['chunks before a length', 'transfer-encoding: chunked\r\ncontent-length: 5', '0\r\n\r\n'],
  ['two lengths', 'content-length: 2\r\ncontent-length: 5', '{}'],
  ['two lengths in one header', 'content-length: 2, 2', '{}'],
  ['a length with a sign', 'content-length: +2', '{}'],
  ['a length in hexadecimal', 'content-length: 0x2', '{}'],
  ['a length with a space before the colon', 'content-length : 2', '{}'],
  ['a length beyond any number', `content-length: ${'9'.repeat(30)}`, '{}'],
  ['an unknown transfer coding', 'transfer-encoding: xchunked', '0\r\n\r\n'],
  ['chunked before another coding', 'transfer-encoding: chunked, identity', '0\r\n\r\n'],
  [
    'a repeated chunked coding',
    'transfer-encoding: chunked\r\ntransfer-encoding: identity',
    '0\r\n\r\n',
  ],
  ['a coding with a space before the colon', 'transfer-encoding : chunked', '0\r\n\r\n'],
  ['a coding after a vertical tab', 'transfer-encoding: \x0bchunked', '0\r\n\r\n'],
  ['a folded header', 'x-note: a\r\n content-length: 2', '{}'],
  ['a folded coding', 'transfer-encoding:\r\n chunked', '0\r\n\r\n'],
  ['a bare CR in a header', 'x-note: a\rb', ''],
  ['a bare CR before a header', 'x-note: a\rcontent-length: 2', '{}'],
  ['a bare LF after a header', 'x-note: a\ncontent-length: 2', '{}'],
  ['a NUL in a header', 'x-note: a\0b', ''],
  ['a NUL in a name', 'x-no\0te: a', ''],
  ['a chunk with an invalid size', 'transfer-encoding: chunked', 'g\r\n\r\n'],
  ['a chunk whose size overflows', 'transfer-encoding: chunked', 'fffffffffffffffff\r\n\r\n'],
  ['a chunk that is longer than it says', 'transfer-encoding: chunked', '1\r\n{}\r\n0\r\n\r\n'],
  ['a bare LF after a chunk’s size', 'transfer-encoding: chunked', '2\n{}\r\n0\r\n\r\n'],
  ['a bare CR in a chunk’s extension', 'transfer-encoding: chunked', '2;a\rb\r\n{}\r\n0\r\n\r\n'],
];

describe.each(places)('the %s listener', (listener, line) => {
  test.each(refused)('answers %s with one 400 and ends', async (_, headers, body) => {
    const { companion, send } = await setUp();
    const head = `${line}\r\nhost: companion\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`;
    const { statuses } = await send(listener, `${head}${body}${inner}`);
    expect(statuses).toEqual(['400']);
    expect(companion.service.calls).toEqual([]);
  });

  test.each([
    ['no host, and a body without a length', `${line}\r\n\r\n{}`],
    ['a space before the first header', `${line}\r\n host: a\r\n\r\n`],
    ['an unknown version', `${line.replace('1.1', '1.1 ')}\r\nhost: a\r\n\r\n`],
    ['a bare LF after the first line', `${line}\nhost: a\r\n\r\n`],
    ['bytes that are not HTTP', `\x16\x03\x01${line}\r\n\r\n`],
  ])('answers %s with 400 and closes the connection', async (_, bytes) => {
    const { companion, send } = await setUp();
    expect((await send(listener, `${bytes}${inner}`)).statuses).toEqual(['400']);
    expect(companion.service.calls).toEqual([]);
  });

  test('control: answers two pipelined requests', async () => {
    const { send } = await setUp();
    const get = 'GET /none HTTP/1.1\r\nhost: a\r\n\r\n';
    expect((await send(listener, get + get)).statuses).toHaveLength(2);
  });
});

describe('duplicate headers', () => {
  const office = (headers: string) =>
    `GET /ledger HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${headers}\r\n\r\n`;
  const right = `authorization: Bearer ${BACK_OFFICE_TOKEN}`;

  test('Authorization: two values are not accepted as a token, in either order', async () => {
    const { send } = await setUp();
    const wrong = 'authorization: Bearer wrong';
    expect((await send('back-office', office(right))).statuses).toEqual(['200']);
    for (const both of [`${right}\r\n${wrong}`, `${wrong}\r\n${right}`]) {
      expect((await send('back-office', office(both))).statuses).toEqual(['401']);
    }
  });

  test('X-Forwarded-For: the last one counts, as if both were one list', async () => {
    const { send } = await setUp();
    const statuses = [];
    for (const forged of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
      const headers = [
        'GET /checkout/x HTTP/1.1',
        'host: a',
        'connection: close',
        `x-forwarded-for: ${forged}`,
        'x-forwarded-for: 192.0.2.7',
        `authorization: Bearer ${PUBLIC_KEY}`,
        `origin: ${ORIGIN}`,
        'financing-checkout-version: 1',
      ];
      statuses.push(...(await send('storefront', `${headers.join('\r\n')}\r\n\r\n`)).statuses);
    }
    expect(statuses).toEqual(['404', '404', '429']);
  });

  test('Idempotency-Key: two values match neither key', async () => {
    const { companion, send } = await setUp();
    const body = '{"amount":1}';
    const twice = inner.replace(
      'idempotency-key: k',
      'connection: close\r\nidempotency-key: k\r\nidempotency-key: l',
    );
    expect(twice).toContain(body);
    await send('back-office', twice);
    for (const key of ['k', 'l']) {
      expect(await companion.store.findChargeOperation(key)).toBeUndefined();
    }
  });
});
