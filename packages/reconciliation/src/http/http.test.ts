import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { settle } from '../companion/companion.fixture.ts';
import type { LogFields } from '../platform/log.ts';
import { createProgram } from '../program.ts';
import { configure, run, shareProgram, shopDays, startShop, until } from '../program.fixture.ts';
import { serve } from '../serve.ts';
import { version } from '../version.ts';
import manifest from '../../package.json' with { type: 'json' };
import { operations } from './operations.ts';

const TOKENS = [
  'reader read reader-token-000001',
  'worker cases worker-token-000001',
  'syncer sync syncer-token-000001',
  'importer imports importer-token-000001',
  'rebuilder rebuild rebuilder-token-000001',
].join('\n');

const guarded = shareProgram((atEnd) => startShop(0, atEnd), { RECONCILIATION_TOKENS: TOKENS });
const unguarded = shareProgram((atEnd) => startShop(0, atEnd));

const bearer = (name: string) => ({ authorization: `Bearer ${name}-token-000001` });

test('serves health and the API document without a token, and describes every route', async () => {
  const { app } = guarded.program;
  expect((await app.request('/livez')).status).toBe(200);
  expect(await (await app.request('/readyz')).json()).toEqual({ state: 'ready', role: 'leader' });
  const document = (await (await app.request('/openapi.json')).json()) as {
    info: { version: string };
    paths: Record<string, Record<string, unknown>>;
  };
  expect(document.info.version).toBe(version);
  expect(version).toBe(manifest.version);
  const described = new Set(operations.map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}')));
  expect(Object.keys(document.paths).sort()).toEqual([...described].sort());
  expect(Object.keys(document.paths['/orders/{orderKey}'] ?? {})).toEqual(['get']);
});

test('encodes the API document once for 150 readers', async () => {
  const encode = vi.spyOn(TextEncoder.prototype, 'encode');
  const read = async () => (await guarded.program.app.request('/openapi.json')).text();
  const texts = await Promise.all(Array.from({ length: 150 }, read));
  const encodings = encode.mock.calls.filter(([text = '']) => text.length > 100_000);
  encode.mockRestore();
  expect(encodings.length).toBeLessThan(2);
  expect(new Set(texts).size).toBe(1);
});

test('names people with a token, for assigning cases', async () => {
  const response = await guarded.program.app.request('/cases/people', {
    headers: bearer('reader'),
  });
  const names = TOKENS.split('\n').map((line) => line.split(' ')[0]);
  expect(await response.json()).toEqual({ people: names.sort() });
});

test('rejects an invalid request with an explanation', async () => {
  const { app, post } = unguarded.program;
  const ask = async (path: string) => {
    const response = await app.request(path);
    return [response.status, ((await response.json()) as { code: string }).code];
  };
  expect(await ask('/nothing')).toEqual([404, 'not-found']);
  expect(await ask('/orders?headline=x&limit=0')).toEqual([400, 'invalid-request']);
  expect(await ask('/orders?limit=1&limit=2')).toEqual([400, 'invalid-request']);
  expect(await ask('/orders?after=bm9uZQ')).toEqual([400, 'invalid-request']);
  expect(await ask('/cases?sort=name')).toEqual([400, 'invalid-request']);
  const byAge = Buffer.from('["age desc","5","5","case_1"]').toString('base64url');
  expect((await ask(`/cases?sort=age&after=${byAge}`))[0]).toBe(200);
  expect(await ask(`/cases?sort=code&after=${byAge}`)).toEqual([400, 'invalid-request']);
  expect(await ask('/exports/fundings')).toEqual([404, 'not-found']);
  expect(await ask('/cases/case_1')).toEqual([404, 'case-not-found']);
  expect(await ask('/syncs/sync_1')).toEqual([404, 'not-found']);
  expect((await post('/syncs', { from: '2026-01-02' })).status).toBe(400);
  expect((await post('/syncs', { from: '1999-01-01', to: '1999-01-02' })).status).toBe(400);
});

test('responds with 304 to an unchanged query', async () => {
  const { shop, program } = unguarded;
  await program.sync(shopDays());
  const first = await program.app.request('/orders');
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  expect((await program.app.request('/orders', { headers })).status).toBe(304);
  shop.entries.push({
    ...shop.entries[0],
    id: shop.entries.length + 1,
    merchantOrderId: 'B',
    merchantTransactionId: 'b',
    transactionId: 'b',
  } as never);
  await program.engine.leader?.pass({ isLedgerDue: true });
  expect((await program.app.request('/orders', { headers })).status).toBe(200);
});

test('answers an unchanged question without a query until the next write', async () => {
  const { shop, program } = unguarded;
  await program.sync(shopDays());
  const paths = ['/orders', '/exceptions', '/summary', '/walk', '/discounts', '/radar', '/lags'];
  const first = await Promise.all(paths.map(async (path) => program.app.request(path)));
  const bodies = await Promise.all(first.map((response) => response.text()));
  const again = (path: string, index: number) => {
    const headers = { 'if-none-match': first[index]?.headers.get('etag') ?? '' };
    return program.app.request(path, { headers });
  };
  const read = vi.spyOn(program.engine.data.database, 'read');
  onTestFinished(() => read.mockRestore());
  for (const [index, path] of paths.entries()) {
    expect([path, (await again(path, index)).status]).toEqual([path, 304]);
    const other = await program.app.request(path);
    expect(other.headers.get('content-type')).toBe('application/json');
    expect(await other.text()).toBe(bodies[index]);
  }
  expect(read).not.toHaveBeenCalled();
  shop.entries.push(settle(shop.entries.length + 1, 'C', 4_321));
  await program.engine.leader?.pass({ isLedgerDue: true });
  expect((await again('/orders', 0)).status).toBe(200);
  expect(read).toHaveBeenCalled();
});

test('responds with not-ready before the data is available', async () => {
  const shop = await startShop(0);
  const program = createProgram(configure(shop));
  onTestFinished(() => program.stop());
  const ready = await program.app.request('/readyz');
  expect([ready.status, await ready.json()]).toMatchObject([503, { code: 'not-ready' }]);
  // The companion's ledger is delayed, and the database is not ready until the ledger arrives.
  const gate = Promise.withResolvers<boolean>();
  shop.before = () => gate.promise;
  await program.start({ mode: 'serve' });
  const summary = await program.app.request('/summary');
  expect([summary.status, await summary.json()]).toMatchObject([503, { code: 'not-ready' }]);
  expect(summary.headers.get('retry-after')).toBe('2');
  expect(await (await program.app.request('/status')).json()).toMatchObject({
    analytics: { state: 'rebuilding', reason: 'there is no file' },
  });
  expect((await program.app.request('/livez')).status).toBe(200);
  gate.resolve(false);
  await until(async () => (await program.app.request('/readyz')).ok);
});

describe('a file during its upload', () => {
  /** Starts a server, and sends the first byte of a file to it. */
  async function slowSender() {
    const shop = await startShop(0);
    const server = await serve(configure(shop), { logger: { log: () => undefined } });
    onTestFinished(() => server.stop());
    await until(
      async () =>
        server.program.engine.leader !== undefined && (await fetch(`${server.url}/readyz`)).ok,
    );
    const headers = { 'content-type': 'application/x-ndjson' };
    const send = async (body: string, query = '') => {
      const response = await fetch(`${server.url}/ledger${query}`, {
        method: 'POST',
        headers,
        body,
      });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    const begin = () => {
      const gate = Promise.withResolvers<null>();
      const stop = new AbortController();
      let pulls = 0;
      const body = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            pulls += 1;
            if (pulls > 1) {
              await gate.promise;
              controller.close();
            } else controller.enqueue(new TextEncoder().encode('\n'));
          },
        },
        { highWaterMark: 0 },
      );
      const answer = fetch(`${server.url}/ledger`, {
        method: 'POST',
        headers,
        duplex: 'half',
        body,
        signal: stop.signal,
      });
      return { answer, end: () => gate.resolve(null), stop };
    };
    const { folder } = server.program.engine.data.files;
    const files = () => readdirSync(folder).filter((name) => name.startsWith('import-'));
    return { begin, send, files, folder };
  }

  test('does not block other imports', async () => {
    const { begin, files, send } = await slowSender();
    const slow = begin();
    await until(() => files().length === 1);
    for (const query of ['', '?options={"dryRun":true}', '?options={"withdraw":true}']) {
      expect(await send('\n', query)).toEqual([200, undefined]);
    }
    slow.end();
    expect((await slow.answer).status).toBe(200);
  });

  test('is readable only by its owner, and removed when the sender disconnects', async () => {
    const { begin, files, folder } = await slowSender();
    const { answer, stop } = begin();
    const failed = expect(answer).rejects.toThrow();
    await until(() => files().length === 1);
    expect(statSync(join(folder, files()[0] ?? '')).mode & 0o777).toBe(0o600);
    stop.abort();
    await failed;
    await until(() => files().length === 0);
  });

  test('is limited to two per token', async () => {
    const { begin, files, send } = await slowSender();
    const slow = [begin(), begin()];
    await until(() => files().length === 2);
    expect(await send('\n')).toEqual([429, 'rate-limited']);
    for (const { answer, end } of slow) {
      end();
      expect((await answer).status).toBe(200);
    }
    expect(await send('\n')).toEqual([200, undefined]);
  });
});

test('closes the connection of a sender that continues slowly after a refusal', async () => {
  const shop = await startShop(0);
  const server = await serve(configure(shop, { RECONCILIATION_TOKENS: TOKENS }), {
    logger: { log: () => undefined },
  });
  onTestFinished(() => server.stop());
  const { hostname, port } = new URL(server.url);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = connect(Number(port), hostname);
  // The connection is reset because the last byte was not read.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('POST /ledger HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
  socket.write('x');
  vi.advanceTimersByTime(10_000);
  await closed;
});

test('rejects a file above RECONCILIATION_IMPORT_LIMIT, with and without Content-Length', async () => {
  const limit = { RECONCILIATION_IMPORT_LIMIT: '1KB' };
  const { app } = await run(configure(await startShop(0), limit));
  const headers = { 'content-type': 'application/x-ndjson' };
  const send = async (body: string | ReadableStream, more: Record<string, string> = {}) => {
    const response = await app.request('/ledger?options={"dryRun":true}', {
      method: 'POST',
      headers: { ...headers, ...more },
      body,
      duplex: 'half',
    });
    const { code, detail } = (await response.json()) as { code?: string; detail?: string };
    return [response.status, code, detail?.includes('RECONCILIATION_IMPORT_LIMIT')];
  };
  const stream = (text: string) => new Blob([text]).stream();
  expect(await send('\n'.repeat(1_000))).toEqual([200, undefined, undefined]);
  expect(await send(stream('\n'.repeat(1_001)))).toEqual([413, 'request-too-large', true]);
  // Before the first byte.
  const endless = new ReadableStream<Uint8Array>();
  expect(await send(endless, { 'content-length': '1001' })).toEqual([
    ...[413, 'request-too-large', true],
  ]);
});

test('logs health checks at level debug, and the first analytics file without a warning', async () => {
  const shop = await startShop(0);
  const logged: string[] = [];
  const logger = {
    log: (level: string, event: string, fields?: LogFields) =>
      void logged.push(`${level} ${event} ${fields?.route ?? fields?.outcome ?? ''}`),
  };
  const { app } = await run(configure(shop), { logger });
  for (const path of ['/livez', '/readyz', '/status']) {
    expect((await app.request(path)).status).toBe(200);
  }
  expect(logged.filter((line) => line.includes(' request '))).toEqual([
    ...['debug request /livez', 'debug request /readyz', 'info request /status'],
  ]);
  expect(logged).toContain('info analytics ready');
  expect(logged.filter((line) => /^(?:warn|error) /.test(line))).toEqual([]);
});

test('aborts the query of a client that disconnects', async () => {
  const shop = await startShop(0);
  const logged: [event: string, fields: LogFields | undefined][] = [];
  const logger = {
    log: (_: string, event: string, fields?: LogFields) => void logged.push([event, fields]),
  };
  const server = await serve(configure(shop), { logger });
  onTestFinished(() => server.stop());
  await until(async () => (await fetch(`${server.url}/readyz`)).ok);
  const { data } = server.program.engine;
  const begun = Promise.withResolvers<AbortSignal | undefined>();
  const ended = Promise.withResolvers<unknown>();
  const { database } = data;
  const read = database.read.bind(database);
  database.read = (work, signal) => {
    if (signal === undefined) return read(work, signal);
    begun.resolve(signal);
    // A query that would take minutes to complete.
    const slow = read(async (connection) => {
      await connection.run(
        'select count(*) from range(100000) a, range(100000) b, range(1000) c where a.range + b.range = c.range',
      );
      return work(connection);
    }, signal);
    slow.catch(ended.resolve);
    return slow;
  };
  const request = get(`${server.url}/orders`);
  request.on('error', () => undefined);
  await begun.promise;
  request.destroy();
  expect(await ended.promise).toBeDefined();
  await until(() =>
    logged.some(([event, fields]) => event === 'request' && fields?.route === '/orders'),
  );
  expect(logged.filter(([event]) => event === 'request-failed')).toEqual([]);
});

test('ends the progress stream of a sync when the process ends', async () => {
  const shop = await startShop(0);
  const server = await serve(configure(shop), { logger: { log: () => undefined } });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await server.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  await until(
    async () =>
      server.program.engine.leader !== undefined && (await fetch(`${server.url}/readyz`)).ok,
  );
  const held = Promise.withResolvers<boolean>();
  onTestFinished(() => held.resolve(false));
  shop.before = () => held.promise;
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/syncs`, {
    method: 'POST',
    headers,
    body: JSON.stringify(shopDays()),
  });
  const { id } = (await response.json()) as { id: string };
  const following = get(`${server.url}/syncs/${id}/events`);
  const [events] = (await once(following, 'response')) as [AsyncIterable<Buffer>];
  const text = (async () => {
    let all = '';
    for await (const piece of events) all += piece.toString();
    return all;
  })();
  await stop();
  expect(await text).toMatch(/^event: sync\ndata: \{"id":"sync_/);
});
