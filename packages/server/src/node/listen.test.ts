import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';
import { listen, type ListenTimeouts, type OpenListener } from './listen.ts';

const open: OpenListener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.drain(0)));
});

async function serve(app: Hono, timeouts: Partial<ListenTimeouts> = {}): Promise<OpenListener> {
  const listener = await listen(app, { host: '127.0.0.1', port: 0 }, timeouts);
  open.push(listener);
  return listener;
}

function rawConnection(url: string): { socket: Socket; received: () => string } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  return { socket, received: () => text };
}

describe('a slow client', () => {
  test('that never ends its headers is sent away', async () => {
    const { url } = await serve(new Hono(), { headersMs: 50, checkMs: 10 });
    const { socket, received } = rawConnection(url);
    socket.write('GET / HTTP/1.1\r\nhost: companion\r\nx-slow: ');
    await once(socket, 'close');
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('that never ends its body is sent away', async () => {
    const app = new Hono();
    app.post('/', async (c) => c.text(await c.req.text()));
    app.onError((_, c) => c.text('cut off', 400));
    const { url } = await serve(app, { headersMs: 50, requestMs: 100, checkMs: 10 });
    const { socket, received } = rawConnection(url);
    socket.write('POST / HTTP/1.1\r\nhost: companion\r\ncontent-length: 1000\r\n\r\nx');
    await once(socket, 'close');
    expect(received()).not.toMatch(/ 200 /);
  });
});

test('headers over 16 KiB are refused', async () => {
  const app = new Hono();
  app.get('/', (c) => c.text('ok'));
  const { url } = await serve(app);
  const { socket, received } = rawConnection(url);
  socket.write(`GET / HTTP/1.1\r\nhost: companion\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`);
  await once(socket, 'close');
  expect(received()).toMatch(/^HTTP\/1\.1 431 /);
});

test.each(['', 'content-length: 5\r\n'])(
  'a request for another protocol is answered as it is, and its connection ends: the next one would wait for ever (%j)',
  async (length) => {
    const app = new Hono();
    app.post('/', async (c) => c.text(`got ${await c.req.text()}`));
    const { url } = await serve(app);
    const { socket, received } = rawConnection(url);
    const body = length === '' ? '' : 'hello';
    socket.write(
      `POST / HTTP/1.1\r\nhost: companion\r\nconnection: Upgrade\r\nupgrade: h2c\r\n${length}\r\n${body}`,
    );
    await once(socket, 'close');
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
    expect(received()).toMatch(/^connection: close\r$/im);
    expect(received()).toContain(`got ${body}`);
  },
);

describe('drain', () => {
  async function answerOf(request: ReturnType<typeof get>): Promise<IncomingMessage> {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response;
  }

  test('fifty idle keep-alive connections and a request in flight: under a second, nothing cut', async () => {
    let answer: () => void = () => undefined;
    let arrived = false;
    const app = new Hono();
    app.get('/', (c) => c.text('ok'));
    app.get('/slow', async (c) => {
      arrived = true;
      await new Promise<void>((resolve) => (answer = resolve));
      return c.text('done');
    });
    const listener = await serve(app);
    const agents = Array.from({ length: 50 }, () => new Agent({ keepAlive: true }));
    await Promise.all(agents.map((agent) => answerOf(get(listener.url, { agent }))));
    const busy = new Agent({ keepAlive: true });
    const slow = answerOf(get(`${listener.url}/slow`, { agent: busy }));
    await expect.poll(() => arrived).toBe(true);

    const started = Date.now();
    const drained = listener.drain(10_000);
    answer();
    const response = await slow;
    expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
    await drained;
    expect(Date.now() - started).toBeLessThan(1_000);
    for (const agent of [...agents, busy]) agent.destroy();
  });

  test('what is not done in time is cut off', async () => {
    const app = new Hono();
    app.get('/', () => new Promise<Response>(() => undefined));
    const listener = await serve(app);
    const pending = once(get(listener.url), 'response');
    const failed = expect(pending).rejects.toThrow();
    await listener.drain(50);
    await failed;
  });
});
