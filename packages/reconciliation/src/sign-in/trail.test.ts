import { trailSchema } from '@financing-checkout/contract/reconciliation';
import { expect, test, vi } from 'vitest';
import { systemClock } from '@financing-checkout/kit';
import { configure, run, startShop } from '../program.fixture.ts';
import { anna, ben, openBooks } from '../periods/periods.fixture.ts';
import { operations } from '../http/operations.ts';
import { ProblemError } from '../platform/problem.ts';
import { ofPage, signIn, TOKENS } from '../http/session.fixture.ts';
import { addressBlock, NOT_SIGNED_IN } from './trail.ts';

/** A program, and a browser that signs in from a given address. */
async function setUp() {
  let later = 0;
  const clock = { ...systemClock, now: () => Date.now() + later };
  const config = configure(await startShop(0), { RECONCILIATION_TOKENS: TOKENS });
  const { app, engine } = await run(config, { clock });
  const trail = async () => {
    const headers = { authorization: 'Bearer reader-token-000001' };
    const answer = await app.request('/trail?limit=1000&by=people', { headers });
    return trailSchema.parse(await answer.json()).entries;
  };
  const fail = (remoteAddress: string) => {
    const body = JSON.stringify({ token: 'mistyped-token-0001' });
    const init = { method: 'POST', headers: ofPage, body };
    return app.request('/console/session', init, { incoming: { socket: { remoteAddress } } });
  };
  const events = async () => (await engine.facts.trailHead()).seq;
  return { app, engine, trail, fail, events, nextHour: () => void (later += 3_600_000) };
}

test('records sign-ins and sign-outs with the name of the token', async () => {
  const { app, trail } = await setUp();
  const { cookie } = await signIn(app, 'worker');
  await app.request('/console/session', { method: 'DELETE', headers: { ...ofPage, cookie } });
  expect(await trail()).toMatchObject([
    { kind: 'sign-out', actor: 'worker', subject: 'worker', outcome: 'done' },
    { kind: 'sign-in', actor: 'worker', subject: 'worker', outcome: 'done' },
  ]);
});

test('records failed sign-ins by address block, without the presented token', async () => {
  const { trail, fail, nextHour } = await setUp();
  for (let count = 0; count < 12; count++) {
    expect((await fail(`203.0.113.${count}`)).status).toBe(401);
  }
  await fail('2001:db8:1:2::3');
  nextHour();
  await fail('203.0.113.9');
  const failed = { kind: 'sign-in', actor: NOT_SIGNED_IN, outcome: 'token-invalid' };
  const actions = await trail();
  expect(actions).toMatchObject([
    { ...failed, subject: '203.0.113.0/24', detail: { attempts: 1 } },
    { ...failed, subject: '2001:db8:1::/48', detail: { attempts: 1 } },
    { ...failed, subject: '203.0.113.0/24', detail: { attempts: 10 } },
  ]);
  expect(JSON.stringify(actions)).not.toContain('mistyped');
});

test('adds few events during a flood of failed sign-ins from many addresses', async () => {
  const { trail, fail, events } = await setUp();
  for (let index = 0; index < 600; index++) await fail(`10.0.${index % 200}.1`);
  expect(await events()).toBeLessThan(60);
  expect(new Set((await trail()).map(({ subject }) => subject)).size).toBe(51);
});

test('records each export before it is made, with its filters', async () => {
  const { app, trail } = await setUp();
  const headers = { authorization: 'Bearer reader-token-000001' };
  const answer = await app.request('/exports/orders?format=ndjson&currency=USD', { headers });
  expect(answer.status).toBe(200);
  expect((await app.request('/exports/orders?format=xls', { headers })).status).toBe(400);
  expect(await trail()).toMatchObject([
    {
      kind: 'export',
      actor: 'reader',
      subject: 'orders',
      outcome: 'done',
      detail: { format: 'ndjson', currency: 'USD' },
    },
  ]);
});

/** Closed books with an exported journal, and the actions since. */
async function closedBooks() {
  const books = await openBooks();
  await books.close('P1');
  const asked = await books.program.post('/periods/P1/journal', { format: 'csv' }, ben);
  expect(asked.status).toBe(201);
  const path = '/trail?limit=1000&by=people';
  const actions = async () => trailSchema.parse(await books.get(path)).entries;
  const { length } = await actions();
  const request = (path: string, method = 'GET') =>
    books.program.app.request(path, { method, headers: anna });
  return { request, since: async () => (await actions()).slice(0, -length) };
}

test('records who downloads which file of a walk, a seal, a journal or a list', async () => {
  const { request, since } = await closedBooks();
  const files = [
    ['/walk?format=csv&bom=true', 'walk', { format: 'csv', bom: 'true' }],
    ['/walk?format=xlsx&currency=USD', 'walk', { format: 'xlsx', currency: 'USD' }],
    ['/walk?format=csv&period=P1', 'walk', { format: 'csv', period: 'P1' }],
    ['/periods/P1/seal', 'seal', { period: 'P1', part: 'statements', seq: 1 }],
    ['/periods/P1/seal?part=flows', 'seal', { period: 'P1', part: 'flows', seq: 1 }],
    ['/journals/1/file', 'journal', { export: 1, period: 'P1', format: 'csv' }],
    ['/periods/P1/adjustments?format=csv', 'periods-adjustments', { period: 'P1', format: 'csv' }],
    [
      '/periods/P1/orders?step=net&format=xlsx',
      'periods-orders',
      { period: 'P1', step: 'net', format: 'xlsx' },
    ],
    ['/trail?format=ndjson&by=people', 'trail-list', { format: 'ndjson', by: 'people' }],
    ['/alerts?format=csv', 'cases-alerts', { format: 'csv' }],
  ] as const;
  for (const [path] of files) {
    const answer = await request(path);
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get('content-disposition'), path).toContain('attachment');
    await answer.arrayBuffer();
    // HEAD downloads nothing.
    expect((await request(path, 'HEAD')).status, path).toBe(200);
  }
  const taken = files.map(([, subject, detail]) => ({ subject, detail }));
  const recorded = (await since()).toReversed();
  expect(recorded.map(({ subject, detail }) => ({ subject, detail }))).toEqual(taken);
  for (const action of recorded) {
    expect(action).toMatchObject({ kind: 'export', actor: 'anna', outcome: 'done' });
  }
});

test('refuses a download that it cannot record', async () => {
  const { app, engine } = await setUp();
  vi.spyOn(engine.facts, 'beginAction').mockRejectedValue(new ProblemError('store-unavailable'));
  const headers = { authorization: 'Bearer reader-token-000001' };
  expect((await app.request('/walk?format=csv', { headers })).status).toBe(503);
  expect((await app.request('/walk', { headers })).status).toBe(200);
});

test('does not record pages, polling and refused files', async () => {
  const { request, since } = await closedBooks();
  const asked = {
    '/walk': 200,
    '/walk?period=P1': 200,
    '/walk/months': 200,
    '/orders': 200,
    '/cases': 200,
    '/periods': 200,
    '/periods/P1': 200,
    '/periods/P1/orders?step=expected': 200,
    '/periods/P1/journal?format=csv': 200,
    '/journals': 200,
    '/journals/1/orders': 200,
    '/trail': 200,
    '/status': 200,
    '/today': 200,
    '/walk?format=pdf': 400,
    '/walk?format=csv&period=P1&from=2026-01-01': 400,
    '/periods/P9/seal': 404,
    '/periods/P1/seal?seq=9': 404,
    '/journals/9/file': 404,
  };
  for (const [path, status] of Object.entries(asked)) {
    expect([path, (await request(path)).status]).toEqual([path, status]);
  }
  expect(await since()).toEqual([]);
});

test('control: no other operation answers with a file', () => {
  // Programs poll text/plain: the metrics.
  const pages = ['application/json', 'text/event-stream', 'text/plain'];
  const answersFile = ({ answers }: (typeof operations)[number]) =>
    Object.values(answers).some(({ contentTypes = [] }) =>
      contentTypes.some((type) => !pages.includes(type)),
    );
  // All tables are served by the same function, which records each file.
  const others = operations.filter((one) => answersFile(one) && !('table' in one));
  expect(others.map(({ path }) => path)).toEqual([
    '/walk',
    '/periods/:period/seal',
    '/journals/:export/file',
    '/exports/:table',
    '/migration',
  ]);
});

test.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8::6', '2001:db8:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['::1', '0:0:0::/48'],
  [undefined, 'unknown'],
  ['a text', 'unknown'],
])('reduces the address %s to its block', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});
