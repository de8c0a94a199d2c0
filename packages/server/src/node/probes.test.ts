import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BACK_OFFICE_TOKEN, createCompanion } from '../companion.fixture.ts';
import { listen } from '@financing-checkout/kit/listen';

/** Starts both listeners on real sockets and sends them raw bytes. */
async function setUp() {
  const companion = await createCompanion({
    // A load balancer has a single address and sends more requests than any client.
    addressLimit: 1,
    clientAddress: () => '192.0.2.1',
  });
  const open = async (app: typeof companion.storefront) => {
    const listener = await listen(app, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => listener.drain(0));
    return Number(new URL(listener.url).port);
  };
  const ports = {
    storefront: await open(companion.storefront),
    'back-office': await open(companion.backOffice),
  };
  async function send(listener: keyof typeof ports, bytes: string): Promise<string> {
    const socket = connect(ports[listener], '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.end(bytes);
    await once(socket, 'close');
    return text;
  }
  return { companion, send };
}

describe('a probe of the storefront listener', () => {
  test.each([
    ['GET /livez HTTP/1.0', 200],
    ['HEAD /livez HTTP/1.1', 200],
    ['OPTIONS / HTTP/1.0', 204],
    ['OPTIONS / HTTP/1.1', 204],
  ])('%s is answered with %i without a limit and logged at debug', async (line, status) => {
    const { companion, send } = await setUp();
    const host = line.endsWith('1.1') ? 'host: companion\r\n' : '';
    for (let times = 0; times < 3; times++) {
      const text = await send('storefront', `${line}\r\n${host}\r\n`);
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
    const lines = companion.log.filter(({ event }) => event === 'request');
    expect(lines.map(({ level }) => level)).toEqual(['debug', 'debug', 'debug']);
  });

  test('is distinct from a preflight, which is refused for another origin', async () => {
    const { send } = await setUp();
    const headers = 'host: companion\r\norigin: https://evil.example\r\n';
    expect(await send('storefront', `OPTIONS / HTTP/1.1\r\n${headers}\r\n`)).toMatch(/ 403 /);
  });

  test('answers another method with 405', async () => {
    const { companion } = await setUp();
    const post = await companion.storefront.request('/livez', { method: 'POST' });
    expect(post.status).toBe(405);
  });
});

test.each(['/livez', '/readyz'])('%s of the back office is logged at debug', async (path) => {
  const { companion } = await setUp();
  await companion.backOffice.request(path);
  expect(companion.log.at(-1)).toMatchObject({ event: 'request', level: 'debug', route: path });
});

const places = [
  ['storefront', 'POST /checkout/prime'],
  ['storefront', 'POST /checkout/start'],
  ['storefront', 'POST /notifications'],
  ['back-office', 'POST /charges/charge-1/voids'],
] as const;

describe.each(places)('the %s listener, %s', (listener, line) => {
  const head = `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nauthorization: Bearer ${BACK_OFFICE_TOKEN}\r\n`;

  test.each(['gzip, chunked', 'deflate, chunked', 'x-own,chunked'])(
    'answers the transfer coding %s with 501 and ends (RFC 9112 6.1)',
    async (coding) => {
      const { companion, send } = await setUp();
      const text = await send(
        listener,
        `${head}transfer-encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      );
      expect(text).toMatch(/^HTTP\/1\.1 501 /);
      expect(text).toMatch(/^connection: close\r$/im);
      expect(text).toContain('transfer-coding-unsupported');
      expect(companion.service.calls).toEqual([]);
      expect(companion.log.at(-1)).toMatchObject({ level: 'info', status: 501 });
    },
  );

  test.each(['gzip', 'identity, br'])(
    'answers the content coding %s with 415 (RFC 9110 15.5.16)',
    async (coding) => {
      const { send } = await setUp();
      const text = await send(
        listener,
        `${head}connection: close\r\ncontent-encoding: ${coding}\r\ncontent-length: 2\r\n\r\n{}`,
      );
      expect(text).toMatch(/^HTTP\/1\.1 415 /);
      expect(text).toMatch(/^accept-encoding: identity\r$/im);
    },
  );

  test('control: reads chunked and identity bodies', async () => {
    const { send } = await setUp();
    const text = await send(
      listener,
      `${head}connection: close\r\ncontent-encoding: identity\r\ntransfer-encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    );
    expect(text).not.toMatch(/ (?:501|415) /);
  });
});
