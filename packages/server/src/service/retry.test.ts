import { describe, expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { order } from '../companion.fixture.ts';
import { networkError, PRIME, primed, ScriptedService } from '../scripted-service.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { createServiceClient, type FundingsQuery } from './client.ts';
import { retryDelay } from './retry.ts';

const REPORT = 'GET /v2/post-sale/fundings/report';
const query: FundingsQuery = { operation: 'report', showMissing: false, offset: 0, limit: 10 };
const page = { status: 200, body: { records: [] } };
/** Lets all settled promises continue. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

function setUp(random = 0) {
  const service = new ScriptedService();
  const clock = new TestClock();
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey('private-key-0123456789')],
    transport: service.transport,
    clock,
    random: () => random,
  });
  /** Advances the clock until the work ends. @returns its result and duration */
  async function timed<Result>(work: Promise<Result>, stepMs: number) {
    const started = clock.now();
    const state = { done: false };
    void work.finally(() => (state.done = true));
    await turn();
    while (!state.done) {
      clock.advance(stepMs);
      await turn();
    }
    return { result: await work, tookMs: clock.now() - started };
  }
  /** Times of the calls, relative to the first one. */
  function stamp(route: string, ...answers: Parameters<ScriptedService['on']>[1][]): number[] {
    const at: number[] = [];
    let first: number | undefined;
    service.on(route, ({ signal }) => {
      first ??= clock.now();
      at.push(clock.now() - first);
      expect(signal.aborted).toBe(false);
      return answers[Math.min(at.length, answers.length) - 1] ?? page;
    });
    return at;
  }
  return { service, clock, client, timed, stamp };
}

describe('Retry-After', () => {
  test('of a 429 delays the retry, even of a POST, because nothing was done', async () => {
    const { client, stamp, timed } = setUp();
    const at = stamp(PRIME, { status: 429, headers: { 'retry-after': '3' }, text: '' }, primed);
    expect((await timed(client.prime(order, { priority: 'checkout' }), 100)).result.kind).toBe(
      'accepted',
    );
    expect(at).toHaveLength(2);
    expect(at[1]).toBeGreaterThanOrEqual(3_000);
  });

  test('accepts a date (RFC 9110 10.2.3)', async () => {
    const { client, clock, stamp, timed } = setUp();
    const date = new Date(clock.now() + 4_000).toUTCString();
    const at = stamp(REPORT, { status: 503, headers: { 'retry-after': date }, text: '' }, page);
    expect((await timed(client.fundings(query, { priority: 'report' }), 100)).result.kind).toBe(
      'accepted',
    );
    expect(at[1]).toBeGreaterThanOrEqual(4_000);
    expect(at[1]).toBeLessThan(4_500);
  });

  test.each(['60', '999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    '"%s" is past the deadline and is returned to the caller without waiting',
    async (text) => {
      const { client, stamp, clock } = setUp();
      const at = stamp(PRIME, { status: 429, headers: { 'retry-after': text }, text: '' });
      const started = clock.now();
      const result = await client.prime(order, { priority: 'checkout' });
      expect(result).toMatchObject({ kind: 'not-sent', reason: 'throttled' });
      expect('retryAfterMs' in result && result.retryAfterMs).toBeGreaterThanOrEqual(60_000);
      expect([at.length, clock.now() - started]).toEqual([1, 0]);
    },
  );

  test.each(['-1', '1e3', 'soon', ''])('"%s" is invalid', async (text) => {
    const { client, stamp, timed } = setUp();
    const at = stamp(REPORT, { status: 503, headers: { 'retry-after': text }, text: '' }, page);
    const { result, tookMs } = await timed(client.fundings(query, { priority: 'report' }), 1);
    expect([result.kind, at.length]).toEqual(['accepted', 2]);
    expect(tookMs).toBeLessThan(1_000);
  });
});

describe('one deadline for all attempts', () => {
  test('aborts a late attempt at the deadline of the first', async () => {
    const { service, client, clock, timed } = setUp();
    service.on(REPORT, async ({ signal }) => {
      const until = clock.now() + 6_000;
      while (!signal.aborted && clock.now() < until) await turn();
      return { status: 503, text: '' };
    });
    const { result, tookMs } = await timed(client.fundings(query, { priority: 'report' }), 50);
    expect(result).toMatchObject({ kind: 'unknown', reason: 'timeout' });
    expect(tookMs).toBeGreaterThanOrEqual(10_000);
    expect(tookMs).toBeLessThanOrEqual(10_100);
    expect(service.callsTo(REPORT)).toHaveLength(2);
  });

  test('makes no attempt after the deadline', async () => {
    const { client, stamp, timed } = setUp();
    const slow = { status: 503, headers: { 'retry-after': '6' }, text: '' };
    const at = stamp(REPORT, slow, slow, page);
    const { result } = await timed(client.fundings(query, { priority: 'report' }), 50);
    expect(result).toMatchObject({ kind: 'unknown', reason: 'server-error' });
    expect(at).toHaveLength(2);
  });
});

describe('delays between attempts', () => {
  const lost = { kind: 'not-sent', reason: 'unreachable', serviceRequestId: undefined } as const;
  const wait = (tries: number, random: number) =>
    retryDelay('POST', { ...lost, retryAfterMs: undefined }, tries, () => random);

  test('are random up to a doubling bound, so that concurrent failures do not retry together', () => {
    expect([wait(1, 0), wait(2, 0)]).toEqual([0, 0]);
    expect([wait(1, 0.5), wait(2, 0.5)]).toEqual([100, 200]);
    expect([wait(1, 0.999), wait(2, 0.999)].every((ms) => Number(ms) < 400)).toBe(true);
  });

  test('end after three attempts', async () => {
    expect(wait(3, 0.5)).toBeUndefined();
    const { client, stamp, timed } = setUp(0.5);
    const at = stamp(PRIME, networkError('ECONNREFUSED'));
    expect((await timed(client.prime(order, { priority: 'checkout' }), 1)).result).toMatchObject({
      reason: 'unreachable',
    });
    expect(at).toHaveLength(3);
  });
});

describe('requests that are not retried', () => {
  test.each([
    ['a POST that may have arrived', 'server-error', 'POST'],
    ['a POST whose connection was lost', 'connection-lost', 'POST'],
    ['a redirect', 'redirect', 'GET'],
    ['an unreadable response', 'unreadable', 'GET'],
    ['a response that is too large', 'too-large', 'GET'],
    ['a deadline', 'timeout', 'GET'],
  ] as const)('%s', (_, reason, method) => {
    const unknown = { kind: 'unknown', reason, status: undefined } as const;
    const result = { ...unknown, serviceRequestId: undefined, retryAfterMs: 1 };
    expect(retryDelay(method, result, 1, () => 0)).toBeUndefined();
  });

  test('control: retries a GET after a lost connection', () => {
    const unknown = { kind: 'unknown', reason: 'connection-lost', status: undefined } as const;
    const result = { ...unknown, serviceRequestId: undefined, retryAfterMs: undefined };
    expect(retryDelay('GET', result, 1, () => 0)).toBe(0);
  });
});
