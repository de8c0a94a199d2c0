import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { listen, type ListenOptions, type OpenListener } from './listen.ts';

const open: OpenListener[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((listener) => listener.drain(0)));
});

/** Stops the clock of the listener, so that its time limits do not depend on the machine. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

async function serve(app: Hono, timeouts: Partial<ListenOptions> = {}): Promise<OpenListener> {
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
  test('that never ends its headers is disconnected', async () => {
    const { url } = await serve(new Hono(), { headersMs: 300, checkMs: 10 });
    const { socket, received } = rawConnection(url);
    socket.write('GET / HTTP/1.1\r\nhost: companion\r\nx-slow: ');
    await once(socket, 'close');
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('that never ends its body is disconnected', async () => {
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

test('refuses headers over 16 KiB', async () => {
  const app = new Hono();
  app.get('/', (c) => c.text('ok'));
  const { url } = await serve(app);
  const { socket, received } = rawConnection(url);
  socket.write(`GET / HTTP/1.1\r\nhost: companion\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`);
  await once(socket, 'close');
  expect(received()).toMatch(/^HTTP\/1\.1 431 /);
});

test.each(['', 'content-length: 5\r\n'])(
  'answers a protocol upgrade request normally and closes the connection, because the next request would hang (%j)',
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

describe('an unknown expectation (RFC 9110 10.1.1)', () => {
  test('is refused and the connection stays open', async () => {
    const app = new Hono();
    app.get('/', (c) => c.text('ok'));
    const { url } = await serve(app);
    const { socket, received } = rawConnection(url);
    socket.write('GET / HTTP/1.1\r\nhost: companion\r\nexpect: miracles\r\n\r\n');
    await expect.poll(received).toMatch(/^HTTP\/1\.1 417 /);
    socket.write('GET / HTTP/1.1\r\nhost: companion\r\n\r\n');
    await expect.poll(received).toMatch(/HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test.each([
    '\r\n',
    'content-length: 5\r\n\r\nhello',
    'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  ])(
    'with a protocol upgrade closes the connection, because pipelined bytes are lost (%j)',
    async (rest) => {
      const app = new Hono();
      app.all('/', (c) => c.text('ok'));
      const { url } = await serve(app);
      const { socket, received } = rawConnection(url);
      socket.write(
        `POST / HTTP/1.1\r\nhost: companion\r\nconnection: Upgrade\r\nupgrade: h2c\r\nexpect: miracles\r\n${rest}` +
          'GET / HTTP/1.1\r\nhost: companion\r\n\r\n',
      );
      await once(socket, 'close');
      expect(received()).toMatch(/^HTTP\/1\.1 417 /);
      expect(received()).toMatch(/^connection: close\r$/im);
    },
  );
});

describe('a body that is refused before it is complete', () => {
  const LIMIT = 1_024;
  const next = 'GET / HTTP/1.1\r\nhost: companion\r\n\r\n';
  const limited = () => {
    const app = new Hono();
    app.get('/', (c) => c.text('the next one'));
    app.post('/', bodyLimit({ maxSize: LIMIT }), (c) => c.text('read'));
    return serve(app);
  };
  const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

  test('in chunks keeps the connection open for the next request', async () => {
    const { socket, received } = rawConnection((await limited()).url);
    socket.write('POST / HTTP/1.1\r\nhost: companion\r\ntransfer-encoding: chunked\r\n\r\n');
    // Larger than the stream buffers, so that backpressure stops the sender.
    for (let piece = 0; piece < 16; piece++) socket.write(chunk(65_536));
    socket.write(`0\r\n\r\n${next}`);
    await expect.poll(received).toContain('the next one');
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('control: is read if it is chunked and within the limit', async () => {
    const { socket, received } = rawConnection((await limited()).url);
    socket.write('POST / HTTP/1.1\r\nhost: companion\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.write(`${chunk(LIMIT)}0\r\n\r\n${next}`);
    await expect.poll(received).toContain('the next one');
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
    expect(received()).toContain('read');
    socket.destroy();
  });

  test('with a Content-Length from a slow client has the normal request timeout', async () => {
    const { url } = await limited();
    stopClock();
    const { socket, received } = rawConnection(url);
    socket.write(`POST / HTTP/1.1\r\nhost: companion\r\ncontent-length: ${LIMIT * 2}\r\n\r\nx`);
    await once(socket, 'data');
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    await vi.advanceTimersByTimeAsync(5_000);
    socket.write(`${'x'.repeat(LIMIT * 2 - 1)}${next}`);
    await once(socket, 'data');
    expect(received()).toContain('the next one');
    socket.destroy();
  });

  test('that never ends is not read forever', async () => {
    stopClock();
    const { socket, received } = rawConnection((await limited()).url);
    socket.write('POST / HTTP/1.1\r\nhost: companion\r\ntransfer-encoding: chunked\r\n\r\n');
    let sent = 0;
    const send = () => {
      while (!socket.destroyed && socket.write(chunk(65_536))) sent += 65_536;
      sent += 65_536;
    };
    socket.on('drain', send);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    send();
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeGreaterThan(1_048_576);
    expect(sent).toBeLessThan(64 * 1_048_576);
  });
});

describe('drain', () => {
  /** Longer than a test may take, so that none of these limits ends a connection. */
  const longer = { headersMs: 3_600_000, requestMs: 3_600_000, keepAliveMs: 3_600_000 };

  async function answerOf(request: ReturnType<typeof get>): Promise<IncomingMessage> {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response;
  }

  test('closes fifty idle connections and completes a request in flight within a second', async () => {
    let answer: () => void = () => undefined;
    let arrived = false;
    const app = new Hono();
    app.get('/', (c) => c.text('ok'));
    app.get('/slow', async (c) => {
      arrived = true;
      await new Promise<void>((resolve) => (answer = resolve));
      return c.text('done');
    });
    const listener = await serve(app, longer);
    const agents = Array.from({ length: 50 }, () => new Agent({ keepAlive: true }));
    await Promise.all(agents.map((agent) => answerOf(get(listener.url, { agent }))));
    const busy = new Agent({ keepAlive: true });
    const slow = answerOf(get(`${listener.url}/slow`, { agent: busy }));
    await expect.poll(() => arrived).toBe(true);

    stopClock();
    const drained = listener.drain(10_000);
    answer();
    const response = await slow;
    expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
    vi.advanceTimersByTime(999);
    await drained;
    for (const agent of [...agents, busy]) agent.destroy();
  });

  test('completes a response that has started, then closes its connection', async () => {
    let end: () => void = () => undefined;
    const app = new Hono();
    app.get('/', (c) =>
      c.body(
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('begun, '));
            end = () => {
              controller.enqueue(new TextEncoder().encode('done'));
              controller.close();
            };
          },
        }),
      ),
    );
    const listener = await serve(app);
    const { socket, received } = rawConnection(listener.url);
    socket.write('GET / HTTP/1.1\r\nhost: companion\r\n\r\n');
    await expect.poll(received).toContain('begun, ');
    // Longer than the 60 s idle timeout of common load balancers.
    expect(received()).toMatch(/^keep-alive: timeout=65\r$/im);
    stopClock();
    const closed = once(socket, 'close');
    const drained = listener.drain(10_000);
    end();
    vi.advanceTimersByTime(4_999);
    await drained;
    await closed;
    expect(received()).toMatch(/done\r\n0\r\n\r\n$/);
  });

  test('does not wait for a connection without a request', async () => {
    const app = new Hono();
    app.get('/', (c) => c.text('ok'));
    const listener = await serve(app, longer);
    const { socket } = rawConnection(listener.url);
    await once(socket, 'connect');
    // A later connection in the queue was accepted, so this one was too.
    await answerOf(get(listener.url, { agent: false }));
    stopClock();
    const closed = once(socket, 'close');
    const drained = listener.drain(10_000);
    vi.advanceTimersByTime(999);
    await drained;
    await closed;
  });

  test('answers a request on an idle connection, then closes the connection', async () => {
    const app = new Hono();
    app.post('/', (c) => c.text('done'));
    const listener = await serve(app, longer);
    const request = 'POST / HTTP/1.1\r\nhost: companion\r\ncontent-length: 0\r\n\r\n';
    const used = rawConnection(listener.url);
    used.socket.write(request);
    await expect.poll(used.received).toContain('done');
    const fresh = rawConnection(listener.url);
    await once(fresh.socket, 'connect');
    const idle = rawConnection(listener.url);
    idle.socket.write(request);
    await expect.poll(idle.received).toContain('done');
    stopClock();
    const drained = listener.drain(10_000);
    await expect(answerOf(get(listener.url, { agent: false }))).rejects.toThrow(/ECONNREFUSED/);
    // Sent before the client could learn of the shutdown.
    used.socket.write(request);
    fresh.socket.write(request);
    await Promise.all([used, fresh].map(({ socket }) => once(socket, 'close')));
    vi.advanceTimersByTime(999);
    await drained;
    expect(used.received().match(/^connection: .*$/gim)).toHaveLength(2);
    for (const { received } of [used, fresh]) {
      expect(received()).toMatch(/^connection: close\r(?:(?!HTTP)[^])*done$/im);
    }
  });

  test('answers a request whose headers arrive during the drain, then closes the connection', async () => {
    const app = new Hono();
    app.get('/', (c) => c.text('ok'));
    const listener = await serve(app);
    const { socket, received } = rawConnection(listener.url);
    socket.write('GET / HTTP/1.1\r\nhost: companion\r\n\r\nGET / HTTP/1.1\r\nhost: com');
    await expect.poll(received).toContain('ok');
    const drained = listener.drain(10_000);
    socket.write('panion\r\n\r\n');
    await once(socket, 'close');
    await drained;
    expect(received().match(/^connection: .*$/gim)).toEqual([
      expect.stringMatching(/keep-alive/i),
      expect.stringMatching(/close/i),
    ]);
  });

  test('cuts off requests at the end of the grace period', async () => {
    const app = new Hono();
    app.get('/', () => new Promise<Response>(() => undefined));
    const listener = await serve(app);
    const pending = once(get(listener.url), 'response');
    const failed = expect(pending).rejects.toThrow();
    await listener.drain(50);
    await failed;
  });
});
