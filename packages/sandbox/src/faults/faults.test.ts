import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Agent, request } from 'undici';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import {
  confirmOffer,
  discard,
  sessionBody,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';
import { faultKinds, type FaultKind, type When } from './fault.ts';

let test: TestSandbox;
let dispatcher: Agent;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(async () => {
  await test.control('POST', '/reset');
  // A new connection for each test, as if from a new client.
  dispatcher = new Agent({ connect: { ca: readFileSync(test.sandbox.caFile, 'utf8') } });
});
afterEach(() => dispatcher.destroy());

const report = '/v2/post-sale/fundings/report';
const set = async (fault: object) => {
  const { status, body } = await test.control('POST', '/faults', fault);
  expect(body).not.toHaveProperty('error');
  expect(status).toBe(201);
  return body;
};

interface ClientOptions {
  body?: object;
  /** Resolves when the client stops waiting. */
  patience?: () => Promise<unknown>;
}

/** Calls over HTTPS and returns what the client sees. */
async function sees(path: string, options: ClientOptions = {}) {
  const left = new AbortController();
  void options.patience?.().then(() => left.abort(new DOMException('It waited.', 'TimeoutError')));
  const started = performance.now();
  let status: number | undefined;
  let headers: Record<string, string | string[] | undefined> = {};
  let text = '';
  try {
    const answer = await request(test.sandbox.apiUrl + path, {
      method: options.body ? 'POST' : 'GET',
      dispatcher,
      headers: {
        authorization: `Bearer ${test.environment('sandbox').privateKey}`,
        ...(options.body ? { 'content-type': 'application/json' } : {}),
      },
      ...(options.body ? { body: JSON.stringify(options.body) } : {}),
      signal: left.signal,
    });
    status = answer.statusCode;
    headers = answer.headers;
    const pieces: Buffer[] = [];
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      pieces.push(piece);
      text = Buffer.concat(pieces).toString();
    }
    const ms = performance.now() - started;
    return { status, headers, text, ms, pieces: pieces.length };
  } catch (error) {
    const { code, name } = error as { code?: string; name: string };
    const failed = name === 'TimeoutError' ? name : (code ?? String(error));
    return { status, headers, text, failed, pieces: 0, ms: 0 };
  }
}

/** Requests a charge and returns what the client sees, and whether the charge exists. */
async function chargeSeen(options: ClientOptions = {}) {
  const confirmationToken = await confirmOffer(test);
  const seen = await sees('/v2/post-sale/charges', { ...options, body: { confirmationToken } });
  const order = await test.call('GET', '/v2/post-sale/orders/ORD-1');
  return { ...seen, effect: order.status === 200 };
}

const struckCalls = () => test.sandbox.calls().filter((call) => call.fault !== null);
const lastCall = () => struckCalls().at(-1);
/** Stops the clock of the sandbox's timers. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Returns how many calls each fault has struck. */
async function struckOf({ control }: TestSandbox): Promise<number[]> {
  const { faults } = (await control('GET', '/faults')).body as { faults: { struck: number }[] };
  return faults.map(({ struck }) => struck);
}

const RESET = /^(ECONNRESET|UND_ERR_SOCKET)$/;

describe('a fault of a call', () => {
  const both: When[] = ['before', 'after'];

  it.each(both)('reset %s: no response at all', async (when) => {
    await set({ kind: 'reset', when, operations: ['charges.create'] });
    const { failed, status, effect } = await chargeSeen();
    expect(failed).toMatch(RESET);
    expect(status).toBeUndefined();
    expect(effect).toBe(when === 'after');
    expect(lastCall()).toMatchObject({ status: 0, fault: { kind: 'reset', when } });
  });

  it.each(both)('hang %s: no response until the client disconnects', async (when) => {
    await set({ kind: 'hang', when, operations: ['charges.create'] });
    const before = struckCalls().length;
    const patience = () => expect.poll(() => struckCalls().length).toBe(before + 1);
    const { failed, effect } = await chargeSeen({ patience });
    expect(failed).toBe('TimeoutError');
    expect(effect).toBe(when === 'after');
    // The log lists the call although it has no response.
    expect(lastCall()).toMatchObject({ operation: 'charges.create', status: 0 });
  });

  it('half-body: the headers and half of the body, then a reset', async () => {
    await set({ kind: 'half-body', operations: ['charges.create'] });
    const { failed, status, text, effect } = await chargeSeen();
    expect(failed).toMatch(RESET);
    expect(status).toBe(201);
    expect(text).toMatch(/^\{"id":/);
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(effect).toBe(true);
  });

  it.each(both)('wrong-json %s: a complete response that is not JSON', async (when) => {
    await set({ kind: 'wrong-json', when, operations: ['charges.create'] });
    const { status, headers, text, effect } = await chargeSeen();
    expect(status).toBe(when === 'after' ? 201 : 200);
    expect(headers['content-type']).toContain('application/json');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(effect).toBe(when === 'after');
  });

  it('wrong-json with a given body: JSON with a different shape', async () => {
    await set({ kind: 'wrong-json', body: '[null]', operations: ['fundings.report'] });
    expect(await sees(report)).toMatchObject({ status: 200, text: '[null]' });
  });

  it.each([
    ['before', 502],
    ['after', 200],
  ] as const)('html %s the effect, with status %d', async (when, status) => {
    await set({ kind: 'html', when, status, operations: ['charges.create'] });
    const seen = await chargeSeen();
    expect(seen).toMatchObject({ status, effect: when === 'after' });
    expect(seen.headers['content-type']).toContain('text/html');
    expect(seen.text).toContain('<!doctype html>');
  });

  it.each([301, 302, 303, 307, 308])('redirect %d to another origin', async (status) => {
    const location = 'https://other.example/path';
    await set({ kind: 'redirect', status, location });
    expect(await sees(report)).toMatchObject({ status, headers: { location } });
  });

  it.each(both)('redirect %s and status %s the effect', async (when) => {
    await set({ kind: 'redirect', when, operations: ['charges.create'] });
    expect((await chargeSeen()).effect).toBe(when === 'after');
    await test.control('POST', '/reset');
    await set({ kind: 'status', when, operations: ['charges.create'] });
    expect(await chargeSeen()).toMatchObject({ status: 503, effect: when === 'after' });
  });

  it.each([400, 401, 404, 422, 429, 500, 503])(
    'status %d has its documented body',
    async (status) => {
      await set({ kind: 'status', status });
      const seen = await sees(report);
      expect(seen.status).toBe(status);
      if (status === 401 || status === 404) expect(seen.text).toBe('');
      else {
        const name = status === 422 ? 'RequestId' : 'requestId';
        expect(JSON.parse(seen.text)).toHaveProperty(name, seen.headers['x-request-id']);
      }
    },
  );

  it.each([429, 503])('status %d sends Retry-After on request', async (status) => {
    await set({ kind: 'status', status, retryAfter: 7 });
    expect((await sees(report)).headers['retry-after']).toBe('7');
    await set({ kind: 'status', status });
    expect((await sees(report)).headers).not.toHaveProperty('retry-after');
  });

  it.each(both)('latency %s: the real response after a delay', async (when) => {
    await set({ kind: 'latency', delay: '120ms', when, operations: ['charges.create'] });
    const { status, ms, effect } = await chargeSeen();
    expect(status).toBe(201);
    expect(ms).toBeGreaterThan(110);
    expect(effect).toBe(true);
  });

  it('latency: a client that times out still creates the charge', async () => {
    // Long enough for a busy machine to check before the charge is created.
    await set({ kind: 'latency', delay: '2s', operations: ['charges.create'] });
    const patience = () => expect.poll(() => struckOf(test)).toEqual([1]);
    const { failed, effect } = await chargeSeen({ patience });
    expect([failed, effect]).toEqual(['TimeoutError', false]);
    await expect
      .poll(async () => (await test.call('GET', '/v2/post-sale/orders/ORD-1')).status)
      .toBe(200);
  });

  it('drip: the real response, one byte at a time', async () => {
    await set({ kind: 'drip', delay: '1ms', operations: ['fundings.report'] });
    const { status, text, pieces } = await sees(report);
    expect([status, text]).toEqual([200, '{"records":[]}']);
    expect(pieces).toBeGreaterThan(5);
  });

  it.each(both)('empty-body %s', async (when) => {
    await set({ kind: 'empty-body', when, operations: ['charges.create'] });
    const seen = await chargeSeen();
    expect(seen).toMatchObject({
      status: when === 'after' ? 201 : 200,
      text: '',
      headers: { 'content-length': '0' },
      effect: when === 'after',
    });
  });

  it('loses an error response like any other response', async () => {
    await set({ kind: 'reset', when: 'after', operations: ['charges.get'] });
    expect((await sees('/v2/post-sale/charges/unknown')).failed).toMatch(RESET);
  });
});

describe('connections', () => {
  it('dropped: resets the connection, so the call never arrives', async () => {
    await sees(report);
    const before = test.sandbox.calls().length;
    await set({ kind: 'dropped', next: 2 });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { failed, status } = await sees(report);
      expect(failed).toMatch(RESET);
      expect(status).toBeUndefined();
    }
    expect(test.sandbox.calls()).toHaveLength(before);
    expect((await sees(report)).status).toBe(200);
  });

  it('refused: closes the port until the fault is cleared', async () => {
    await set({ kind: 'refused', for: '1h' });
    expect((await sees(report)).failed).toBe('ECONNREFUSED');
    await test.control('DELETE', '/faults');
    expect((await sees(report)).status).toBe(200);
  });

  it('refused: reopens the port after the shorter fault when the longer one is cleared', async () => {
    await set({ kind: 'refused', for: '100ms' });
    const { body } = await test.control('POST', '/faults', { kind: 'refused', for: '1h' });
    await test.control('DELETE', `/faults/${String(body.id)}`);
    await expect.poll(async () => (await sees(report)).status).toBe(200);
  });

  it('refused: reopens the port automatically', async () => {
    stopClock();
    await set({ kind: 'refused', for: '1s' });
    expect((await sees(report)).failed).toBe('ECONNREFUSED');
    vi.advanceTimersByTime(1_000);
    await expect.poll(async () => (await sees(report)).status).toBe(200);
    const { body } = await test.control('GET', '/faults');
    expect(body.faults).toMatchObject([{ kind: 'refused', spent: true }]);
  });

  it('survives a connection without TLS that resets', async () => {
    const port = Number(new URL(test.sandbox.apiUrl).port);
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    socket.resetAndDestroy();
    expect((await sees(report)).status).toBe(200);
  });
});

describe('a fault applies to', () => {
  const statuses = async (count: number, path = report) => {
    const all: (number | undefined)[] = [];
    for (let call = 0; call < count; call += 1) all.push((await sees(path)).status);
    return all;
  };

  it('the next n calls', async () => {
    await set({ kind: 'status', next: 2 });
    expect(await statuses(4)).toEqual([503, 503, 200, 200]);
  });

  it('the nth call of one operation', async () => {
    await set({ kind: 'status', nth: 2, operations: ['fundings.report'] });
    const others = '/v1/post-sale/fundings/records';
    expect(await statuses(3, others)).toEqual([200, 200, 200]);
    expect(await statuses(3)).toEqual([200, 503, 200]);
  });

  it('the calls of one environment', async () => {
    await set({ kind: 'status', environment: 'uat' });
    expect(await statuses(1)).toEqual([200]);
    const { baseUrl, privateKey } = test.environment('uat');
    const uat = { baseUrl, authorization: `Bearer ${privateKey}` };
    expect((await test.call('GET', report, uat)).status).toBe(503);
  });

  it('a share of the calls, the same calls for the same seed', async () => {
    const pattern = async (seed: number) => {
      await test.control('DELETE', '/faults');
      await set({ kind: 'status', probability: 0.5, seed });
      return statuses(20);
    };
    const first = await pattern(7);
    expect(new Set(first)).toEqual(new Set([200, 503]));
    expect(await pattern(7)).toEqual(first);
    expect(await pattern(8)).not.toEqual(first);
  });

  it('calls in order of creation when several faults are set', async () => {
    await set({ kind: 'status', status: 500 });
    await set({ kind: 'status', status: 429 });
    expect(await statuses(3)).toEqual([500, 429, 200]);
  });

  it('no calls without a valid key, which get a 401 and are not counted', async () => {
    await set({ kind: 'status' });
    expect((await test.call('GET', report, { authorization: null })).status).toBe(401);
    expect(await statuses(1)).toEqual([503]);
  });

  it('no calls after a reset', async () => {
    await set({ kind: 'status', next: 100 });
    await test.control('POST', '/reset');
    expect(await statuses(1)).toEqual([200]);
  });

  it('no calls after its removal by number', async () => {
    const { id } = await set({ kind: 'status', next: 100 });
    expect((await test.control('DELETE', `/faults/${String(id)}`)).body).toEqual({ cleared: 1 });
    expect((await test.control('DELETE', `/faults/${String(id)}`)).status).toBe(404);
    expect(await statuses(1)).toEqual([200]);
  });
});

describe('a rejected fault', () => {
  it('is the 1001st, until an earlier one is used up', async () => {
    // One after the other: a busy machine does not open a thousand connections in time.
    for (let count = 0; count < 1000; count += 1) await set({ kind: 'status' });
    const more = () => test.control('POST', '/faults', { kind: 'status' });
    expect((await more()).status).toBe(409);
    expect((await sees(report)).status).toBe(503);
    expect((await more()).status).toBe(201);
    expect((await more()).status).toBe(409);
    expect((await test.control('GET', '/faults')).body.faults).toHaveLength(1000);
  });

  it.each([
    [{ kind: 'earthquake' }, /must be one of latency, refused/],
    [{ kind: 'reset', operations: ['charges.creat'] }, /there are checkout.prime/],
    [{ kind: 'reset', delay: '1s' }, /delay is not for reset/],
    [{ kind: 'latency', delay: 'soon' }, /must be a duration/],
    [{ kind: 'half-body', when: 'before' }, /can only strike after/],
    [{ kind: 'refused', operations: ['charges.create'] }, /strikes a connection/],
    [{ kind: 'refused', next: 2 }, /for a while/],
    [{ kind: 'reset', next: 1, nth: 2 }, /one of nth, next and probability/],
    [{ kind: 'reset', seed: 1 }, /goes with probability/],
    [{ kind: 'status', status: 418 }, /is one of 503, 400/],
    [{ kind: 'redirect', location: 'javascript:alert(1)' }, /http or https/],
    [{ kind: 'reset', wen: 'after' }, /wen/],
    ['nothing', /expected object/],
  ])('%j has an explanation', async (fault, message) => {
    const { status, body } = await test.control('POST', '/faults', fault);
    expect(status).toBe(400);
    expect(body.error).toMatch(message);
    expect((await test.control('GET', '/faults')).body.faults).toEqual([]);
  });
});

it('stops immediately while calls hang, wait and drip', async () => {
  const other = await startTestSandbox();
  const strikes: [FaultKind, object][] = [
    ['hang', {}],
    ['latency', { delay: '1h' }],
    ['drip', { delay: '1h' }],
  ];
  for (const [kind, more] of strikes) await other.control('POST', '/faults', { kind, ...more });
  const calls = strikes.map(async () =>
    other.call('POST', '/v1/checkout/prime', { body: sessionBody() }).catch(() => 'ended'),
  );
  await expect.poll(() => struckOf(other)).toEqual([1, 1, 1]);
  stopClock();
  await other.sandbox.stop();
  expect(await Promise.all(calls)).toEqual(['ended', 'ended', 'ended']);
  await discard(other);
});

it('these tests cover every kind of fault', () => {
  const text = readFileSync(new URL(import.meta.url), 'utf8');
  for (const kind of Object.keys(faultKinds)) expect(text).toContain(`kind: '${kind}'`);
});
