import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Clock, systemClock, Secret } from '@financing-checkout/kit';
import { TestClock } from '@financing-checkout/kit/testing';
import { COMPANION_TOKEN, problem, startCompanion } from './companion.fixture.ts';
import { CompanionRefusal, CompanionSilence, createCompanionOffice } from './office.ts';

const answer = z.object({ id: z.string() });
const wanted = {
  method: 'POST',
  path: 'charges/:id/voids',
  id: 'c-1',
  body: {},
  key: 'key-1',
  answer,
} as const;
const json = { 'content-type': 'application/json' };

type Fault = (response: ServerResponse, request: IncomingMessage) => void;

/** A companion with a given response to a change; its ledger responds as usual. */
async function officeWith(fault: Fault, options: { clock?: Clock; ending?: AbortSignal } = {}) {
  const companion = await startCompanion();
  const changes: IncomingMessage[] = [];
  companion.before = (request, response) => {
    if (request.method !== 'POST') return false;
    changes.push(request);
    request.resume().once('end', () => fault(response, request));
    return true;
  };
  const token = new Secret(COMPANION_TOKEN);
  const { url } = companion;
  const office = createCompanionOffice({
    url,
    token,
    environment: 'sandbox',
    clock: systemClock,
    ...options,
  });
  return { companion, changes, office, failure: () => office.send(wanted).catch(errorOf) };
}

const errorOf = (error: unknown) => {
  if (error instanceof CompanionSilence) return { reason: error.reason, unclear: error.isUnclear };
  if (error instanceof CompanionRefusal) {
    return { code: error.problem.code, wait: error.retryAfterSeconds };
  }
  throw error;
};

test('sends a change once, with its token and key', async () => {
  const { changes, office } = await officeWith((response) =>
    response.writeHead(201, json).end('{"id":"opr_1","more":1}'),
  );
  expect(await office.send(wanted)).toEqual({ id: 'opr_1' });
  expect(changes.map(({ url }) => url)).toEqual(['/charges/c-1/voids']);
  expect(changes[0]?.headers).toMatchObject({
    authorization: `Bearer ${COMPANION_TOKEN}`,
    'idempotency-key': 'key-1',
    'content-type': 'application/json',
  });
});

const faults: [what: string, fault: Fault, failure: object][] = [
  [
    'refuses',
    (response) => problem(response, 409, 'charge-busy', { 'retry-after': '3' }),
    { code: 'charge-busy', wait: 3 },
  ],
  [
    'does not know the outcome',
    (response) => problem(response, 504, 'outcome-unknown'),
    { code: 'outcome-unknown', wait: undefined },
  ],
  [
    'rejects the token now',
    (response) => problem(response, 401, 'token-invalid'),
    { reason: 'it rejects RECONCILIATION_COMPANION_MONEY_TOKEN', unclear: false },
  ],
  [
    'does not permit it',
    (response) => problem(response, 403, 'token-not-permitted'),
    { reason: 'RECONCILIATION_COMPANION_MONEY_TOKEN lacks a scope there', unclear: false },
  ],
  [
    'resets the connection after the request',
    (response) => void response.socket?.resetAndDestroy(),
    { reason: 'the connection ended', unclear: true },
  ],
  [
    'sends half an answer',
    (response) => {
      response.writeHead(201, { ...json, 'content-length': '40' });
      response.write('{"id":"opr');
      setImmediate(() => response.socket?.destroy());
    },
    { reason: 'the connection ended', unclear: true },
  ],
  [
    'sends no JSON',
    (response) => response.writeHead(201, json).end('<html>'),
    { reason: 'its answer cannot be read', unclear: true },
  ],
  [
    'sends other JSON',
    (response) => response.writeHead(200, json).end('{"ok":true}'),
    { reason: 'its answer cannot be read', unclear: true },
  ],
  [
    'sends too much',
    (response) => response.writeHead(201, json).end(' '.repeat(1_048_577)),
    { reason: 'its answer is too large', unclear: true },
  ],
  [
    'redirects',
    (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
    { reason: 'it redirects to another address', unclear: false },
  ],
  [
    'is behind a proxy that fails',
    (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
    { reason: 'status 502', unclear: true },
  ],
  [
    'is behind a proxy that refuses',
    (response) => response.writeHead(413, { 'content-type': 'text/html' }).end('<html>'),
    { reason: 'status 413', unclear: false },
  ],
];

test.each(faults)('sends a change once to a companion that %s', async (_, fault, expected) => {
  const { changes, failure } = await officeWith(fault);
  expect(await failure()).toEqual(expected);
  expect(changes).toHaveLength(1);
});

test('gives up on a slow companion, which may still perform the change', async () => {
  const clock = new TestClock();
  const { changes, failure } = await officeWith(() => clock.advance(75_000), { clock });
  expect(await failure()).toEqual({ reason: 'it timed out', unclear: true });
  expect(changes).toHaveLength(1);
});

test('gives up in time to record the outcome when the process ends', async () => {
  const ending = new AbortController();
  const clock = new TestClock();
  const end = () => {
    ending.abort();
    clock.advance(4_999);
  };
  const { failure } = await officeWith(end, { clock, ending: ending.signal });
  expect(await failure()).toEqual({ reason: 'it timed out', unclear: true });
});

describe('sends no change', () => {
  test('to a URL where nothing is listening', async () => {
    const { companion, failure } = await officeWith(() => undefined);
    await companion.close();
    expect(await failure()).toEqual({ reason: 'it is unreachable', unclear: false });
  });

  test('to a companion of another environment', async () => {
    const { changes, companion, failure } = await officeWith(() => undefined);
    companion.environment = 'production';
    const reason = 'it uses another environment of the service';
    expect(await failure()).toEqual({ reason, unclear: false });
    expect(changes).toEqual([]);
  });

  test('to a server that is not a companion', async () => {
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => void server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const office = createCompanionOffice({
      url: `http://127.0.0.1:${port}`,
      token: undefined,
      environment: 'sandbox',
      clock: systemClock,
    });
    const reason = 'the server at its address is not a companion';
    expect(await office.send(wanted).catch(errorOf)).toEqual({ reason, unclear: false });
    server.closeAllConnections();
    server.close();
  });

  test('to a companion that rejects the token on the first request', async () => {
    const { changes, companion, failure } = await officeWith(() => undefined);
    const { before } = companion;
    companion.before = (request, response) => {
      if (request.method === 'POST') return before?.(request, response) ?? false;
      problem(response, 401, 'token-invalid');
      return true;
    };
    const reason = 'it rejects RECONCILIATION_COMPANION_MONEY_TOKEN';
    expect(await failure()).toEqual({ reason, unclear: false });
    expect(changes).toEqual([]);
  });
});
