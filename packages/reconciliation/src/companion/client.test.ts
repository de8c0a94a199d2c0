import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { type Clock, Secret } from '@financing-checkout/kit';
import type { PageQuery } from '../sync/source.ts';
import { CompanionError, createCompanionClient } from './client.ts';
import { COMPANION_TOKEN, problem, settle, startCompanion } from './companion.fixture.ts';
import { sha256 } from '../platform/digest.ts';
import { createFundingSource } from './funding-source.ts';
import { createCompanionLedger } from './ledger.ts';

const query: PageQuery = {
  operation: 'report',
  offset: 40,
  limit: 20,
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-03-01T23:59:59.999Z',
};
const deadlineMs = 9_999;

/**
 * Starts a companion and a client whose delays end at once and are recorded. The test controls when its
 * deadlines pass.
 */
async function setUp() {
  const companion = await startCompanion();
  const waits: number[] = [];
  const deadlines = new Set<() => void>();
  const clock: Clock = {
    now: () => Date.UTC(2026, 2, 3),
    after(ms, callback) {
      if (ms === deadlineMs) {
        deadlines.add(callback);
        return () => deadlines.delete(callback);
      }
      waits.push(ms);
      const timer = setTimeout(callback, 0);
      return () => clearTimeout(timer);
    },
  };
  const passDeadline = () => {
    for (const end of deadlines) end();
  };
  const client = createCompanionClient({
    url: companion.url,
    token: new Secret(COMPANION_TOKEN),
    environment: 'sandbox',
    clock,
    deadlineMs,
  });
  const source = createFundingSource(client);
  const ledger = createCompanionLedger(client);
  return { companion, waits, clock, passDeadline, client, source, ledger };
}

const body = '{"records":[],"é":1}';
const whole = (response: ServerResponse, text = body) =>
  response
    .setHeader('financing-environment', 'sandbox')
    .setHeader('content-type', 'application/json')
    .end(text);

test('requests a page with the token and returns it byte for byte', async () => {
  const { companion, source } = await setUp();
  let authorization: string | undefined;
  companion.before = (request, response) => {
    authorization = request.headers.authorization;
    whole(response);
    return true;
  };
  const answer = await source.page(query);
  expect(answer.kind === 'page' && new TextDecoder().decode(answer.bytes)).toBe(body);
  expect(authorization).toBe(`Bearer ${COMPANION_TOKEN}`);
  const asked = new URL(companion.requests[0] ?? '', companion.url);
  expect(asked.pathname).toBe('/fundings/pages');
  expect(Object.fromEntries(asked.searchParams)).toEqual({
    ...query,
    offset: '40',
    limit: '20',
  });
});

test('transfers a page again only if it has changed', async () => {
  const { companion, source } = await setUp();
  const first = await source.page(query);
  if (first.kind !== 'page') throw new Error('There is no page.');
  const known = sha256(first.bytes);
  expect(await source.page({ ...query, known })).toEqual({ kind: 'same' });
  expect(await source.page({ ...query, known: 'a'.repeat(64) })).toEqual(first);
  // No companion sends a 304 to a request without a condition.
  companion.before = (_, response) => {
    response.writeHead(304, { 'financing-environment': 'sandbox' }).end();
    return true;
  };
  expect(await source.page(query)).toMatchObject({ kind: 'failed' });
});

test('distinguishes a refused page from a failed one', async () => {
  const { companion, source } = await setUp();
  companion.before = (_, response) => {
    problem(response, 502, 'service-rejected');
    return true;
  };
  expect(await source.page(query)).toEqual({ kind: 'refused', reason: 'service-rejected' });
});

type Fault = (request: IncomingMessage, response: ServerResponse, passDeadline: () => void) => void;
const passing: [what: string, fault: Fault][] = [
  ['is busy', (_, response) => problem(response, 503, 'overloaded')],
  ['sends too many requests away', (_, response) => problem(response, 429, 'rate-limited')],
  ['waits for the service in vain', (_, response) => problem(response, 504, 'outcome-unknown')],
  ['is replaced by a proxy for a moment', (_, response) => response.writeHead(502).end('<html>')],
  ['breaks off before its answer', (request) => request.socket.destroy()],
  [
    'truncates its response',
    (request, response) => {
      response.setHeader('financing-environment', 'sandbox').write('{"rec');
      setTimeout(() => request.socket.destroy(), 10);
    },
  ],
  ['does not answer in time', (_request, _response, passDeadline) => passDeadline()],
];

test.each(passing)('retries a companion that %s', async (_, fault) => {
  const { companion, source, waits, passDeadline } = await setUp();
  companion.before = (request, response) => {
    if (companion.requests.length <= 2) fault(request, response, passDeadline);
    else whole(response);
    return true;
  };
  expect(await source.page(query)).toMatchObject({ kind: 'page' });
  expect(waits).toEqual([500, 1_000]);
});

test.each(passing)('gives up on a companion that %s permanently', async (_, fault) => {
  const { companion, source, waits, passDeadline } = await setUp();
  companion.before = (request, response) => {
    fault(request, response, passDeadline);
    return true;
  };
  expect(await source.page(query)).toMatchObject({ kind: 'failed' });
  expect(companion.requests).toHaveLength(8);
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
});

test.each([
  ['seconds', '7', 7_000],
  ['a date', 'Tue, 03 Mar 2026 00:00:09 GMT', 9_000],
  ['more than is waited for', '3600', 30_000],
])('waits for a Retry-After in %s', async (_, header, ms) => {
  const { companion, source, waits } = await setUp();
  companion.before = (_request, response) => {
    if (companion.requests.length > 1) whole(response);
    else problem(response, 503, 'overloaded', { 'retry-after': header });
    return true;
  };
  await source.page(query);
  expect(waits).toEqual([ms]);
});

const lasting: [what: string, reason: string, fault: Fault][] = [
  [
    'rejects the token',
    'it rejects the token',
    (_, response) => problem(response, 401, 'token-invalid'),
  ],
  [
    'lacks the scope',
    'the token lacks the scope "fundings"',
    (_, response) => problem(response, 403, 'token-not-permitted'),
  ],
  [
    'has a key that the service rejects',
    'service-key-rejected',
    (_, response) => problem(response, 503, 'service-key-rejected'),
  ],
  [
    'redirects',
    'it redirects to another address',
    (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
  ],
  [
    'is another kind of server',
    'the server at its address is not a companion',
    (_, response) => response.setHeader('content-type', 'text/html').end('<html>'),
  ],
  [
    'uses another environment',
    'it uses another environment of the service',
    (_, response) => response.setHeader('financing-environment', 'production').end(body),
  ],
  [
    'sends too much',
    'the answer is too large',
    (_, response) => {
      response.setHeader('financing-environment', 'sandbox');
      response.write(Buffer.alloc(17 * 1_048_576, ' '));
      response.end();
    },
  ],
  [
    'answers another problem format',
    'status 404',
    (_, response) => response.writeHead(404).end('{"code":1}'),
  ],
];

test.each(lasting)('does not retry a companion that %s', async (_, reason, fault) => {
  const { companion, source, passDeadline } = await setUp();
  companion.before = (request, response) => {
    fault(request, response, passDeadline);
    return true;
  };
  expect(await source.page(query)).toMatchObject({ reason });
  expect(companion.requests).toHaveLength(1);
});

test('gives up on an unreachable companion after the maximum number of attempts', async () => {
  const { companion, source, waits } = await setUp();
  await companion.close();
  expect(await source.page(query)).toEqual({ kind: 'failed', reason: 'it is unreachable' });
  expect(waits).toHaveLength(7);
});

test('aborts a request and its backoff when the sync ends', async () => {
  const { companion, source, clock } = await setUp();
  const inRequest = new AbortController();
  companion.before = () => {
    inRequest.abort();
    return true;
  };
  expect(await source.page(query, inRequest.signal)).toEqual({ kind: 'failed', reason: 'stopped' });
  const inWait = new AbortController();
  companion.before = (_, response) => {
    problem(response, 503, 'overloaded');
    return true;
  };
  const after = clock.after.bind(clock);
  clock.after = (ms, callback) => {
    if (ms === deadlineMs) return after(ms, callback);
    inWait.abort();
    return () => undefined;
  };
  expect(await source.page(query, inWait.signal)).toEqual({ kind: 'failed', reason: 'stopped' });
});

test('reads the ledger by cursor and by order', async () => {
  const { companion, ledger } = await setUp();
  companion.entries = [1, 2, 3].map((id) => settle(id, id === 2 ? 'B' : 'A', 100));
  expect((await ledger.entries(0, 2)).map(({ id }) => id)).toEqual([1, 2]);
  expect((await ledger.entries(2, 2)).map(({ id }) => id)).toEqual([3]);
  expect(await ledger.entries(3, 2)).toEqual([]);
  expect((await ledger.entriesOfOrder('A')).map(({ id }) => id)).toEqual([1, 3]);
});

test('reports an unreadable ledger without repeating its input', async () => {
  const { companion, ledger } = await setUp();
  companion.before = (_, response) => {
    whole(response, '{"entries":[{"id":"planted"}]}');
    return true;
  };
  const error = await ledger.entries(0, 2).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CompanionError);
  expect(String(error)).not.toContain('planted');
});
