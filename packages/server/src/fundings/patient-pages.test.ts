import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PRIVATE_KEY, ScriptedService, TestClock, networkError } from '../companion.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { createServiceClient } from '../service/client.ts';
import { patientPages } from './patient-pages.ts';

const route = 'GET /v2/post-sale/fundings/report';
const query = { from: '2026-03-01', to: '2026-03-02', offset: 40, limit: 20 };
const page = '{"records":[],"é":1}';

function setUp() {
  const service = new ScriptedService();
  const clock = new TestClock();
  const stop = new AbortController();
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport: service.transport,
    clock,
    random: () => 0,
  });
  const fetchPage = patientPages(client, clock, stop.signal);
  /** Lets time pass until it has ended. */
  async function outcome() {
    const asked = fetchPage(query);
    let ended = 0;
    void asked.finally(() => ended++);
    for (let seconds = 0; ended === 0 && seconds < 600; seconds++) {
      // What is under way comes to its next wait before the clock goes on.
      for (let turn = 0; turn < 5; turn++) await setImmediate();
      clock.advance(1_000);
    }
    expect(ended).toBe(1);
    return asked;
  }
  return { service, outcome, fetchPage, stop };
}

test('specification 4.2: a page is asked for with all that is missing, and handed on unread', async () => {
  const { service, outcome } = setUp();
  service.on(route, { status: 200, text: page });
  const answer = await outcome();
  expect(answer.kind === 'page' && new TextDecoder().decode(answer.bytes)).toBe(page);
  expect(Object.fromEntries(service.calls[0]?.query ?? [])).toEqual({
    offset: '40',
    limit: '20',
    showMissing: 'true',
    fromDate: '2026-03-01',
    toDate: '2026-03-02',
  });
});

test.each([
  ['busy', { status: 429, headers: { 'retry-after': '5' } }],
  ['in trouble', { status: 503 }],
  ['not to be reached', networkError('ECONNREFUSED')],
  ['cut off', networkError('ECONNRESET')],
])('a service that is %s for a while is waited for', async (_, failure) => {
  const { service, outcome } = setUp();
  let left = 9;
  service.on(route, () => (left-- > 0 ? failure : { status: 200, text: page }));
  expect((await outcome()).kind).toBe('page');
});

test.each([
  ['that refuses', { status: 400, body: { message: 'no' } }, 'rejected with 400', 1],
  ['that does not know the key', { status: 401 }, 'key-rejected', 1],
  [
    'that sends us elsewhere',
    { status: 302, headers: { location: 'https://x.example' } },
    'redirect',
    1,
  ],
])('a service %s is not asked again', async (_, failure, reason, calls) => {
  const { service, outcome } = setUp();
  service.on(route, failure);
  expect(await outcome()).toEqual({ kind: 'failed', reason });
  expect(service.calls).toHaveLength(calls);
});

test('a service that stays away is given up', async () => {
  const { service, outcome } = setUp();
  service.on(route, { status: 503 });
  expect(await outcome()).toMatchObject({ kind: 'failed' });
  expect(service.calls.length).toBeLessThan(20);
});

test('who stops does not wait for it', async () => {
  const { service, fetchPage, stop } = setUp();
  service.on(route, { status: 429, headers: { 'retry-after': '25' } });
  const asked = fetchPage(query);
  stop.abort();
  expect(await asked).toMatchObject({ kind: 'failed', reason: 'stopped' });
});

test('nor for an answer; and nothing more is asked', async () => {
  const { service, fetchPage, stop } = setUp();
  service.on(route, () => new Promise(() => undefined));
  const asked = fetchPage(query);
  stop.abort();
  expect(await asked).toEqual({ kind: 'failed', reason: 'stopped' });
  expect(await fetchPage(query)).toEqual({ kind: 'failed', reason: 'stopped' });
  expect(service.calls).toHaveLength(1);
});
