import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { prequalificationSchema } from '@financing-checkout/contract/storefront';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCompanion, keyOf } from '../companion.fixture.ts';
import { networkError } from '../scripted-service.fixture.ts';
import { sqliteDialect } from '@financing-checkout/kit/sqlite';
import { PAGE_READ_MS } from '../service/page-reads.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import { applied, HOUR, offers, setUp, STATUS, TOKEN } from './prequalification.fixture.ts';

describe('reads', () => {
  test.each([
    [null, 'open'],
    ['New', 'open'],
    ['CHECKOUT_IN_PROGRESS', 'open'],
    ['OfTomorrow', 'open'],
    ['PendingConsumer', 'pending'],
    ['PendingLender', 'pending'],
  ])('%s as %s, with a new token for any page of the shop', async (word, status) => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(word));
    const answer = await read();
    expect(answer.status).toBe(status);
    expect(answer.presentation?.sessionToken).toBe('session-token-2');
    expect(answer.presentation?.hosted?.url).toContain('s=session-token-2&');
    expect(answer.applicationId).toBe('application-1');
  });

  test('Cancelled as open until it expires, without a token if the service issues none', async () => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied('Cancelled'));
    service.on(TOKEN, { status: 200, body: { sessionToken: null } });
    const answer = await read();
    expect(answer.status).toBe('open');
    expect(answer).not.toHaveProperty('presentation');
  });

  test.each([
    ['Declined', 'declined'],
    ['Expired', 'expired'],
  ])('%s as %s, permanently and without a way to continue', async (word, status) => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(word), applied('Approved'));
    expect(await read()).toMatchObject({ status });
    const again = await read();
    expect(again.status).toBe(status);
    expect(again).not.toHaveProperty('presentation');
    expect(service.callsTo(STATUS)).toHaveLength(1);
    expect(service.callsTo(TOKEN)).toEqual([]);
  });

  test.each([
    [
      'Prequalified',
      { account: { creditInfo: { availableCredit: 1500, maxAmount: 2000 } } },
      150_000,
    ],
    ['Approved', offers(1499.99, '2500.50', 12), 250_050],
    ['Authorized', { ...offers(900), confirmedOffer: { amount: 1200 } }, 120_000],
    [
      'Prequalified',
      { account: { creditInfo: { availableCredit: 3000 } }, ...offers(900) },
      300_000,
    ],
    ['Prequalified', { account: { creditInfo: null }, offers: null }, undefined],
    ['Prequalified', offers(0), undefined],
    ['Prequalified', { account: 'changed', offers: { A: 1 } }, undefined],
    ['Prequalified', offers(1.234, 'much', null), undefined],
  ])('%s with %j as prequalified for %s', async (word, change, value) => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(word, change));
    const answer = await read();
    expect(answer.status).toBe('prequalified');
    expect(answer.amount).toEqual(value === undefined ? undefined : { value, currency: 'USD' });
    expect(answer).not.toHaveProperty('presentation');
  });

  test('a session that ended before it reached a lender as not found', async () => {
    const { begun, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(null, { sessionStatus: 'COMPLETED' }));
    expect(await read()).toMatchObject({ status: 'not-found' });
  });

  test('a session whose token is gone, without a way to continue', async () => {
    const { begun, clock, service } = await setUp();
    const read = await begun();
    service.on(TOKEN, { status: 200, body: { sessionToken: null } });
    expect(await read()).not.toHaveProperty('presentation');
    clock.advance(PAGE_READ_MS);
    service.on(TOKEN, { status: 400, body: {} });
    expect(await read()).not.toHaveProperty('presentation');
  });

  test('with the initial token while the service issues no new one', async () => {
    const { begin, companion, read } = await setUp();
    const { id } = (await begin()).body;
    companion.service.on(TOKEN, networkError('ECONNREFUSED'));
    const { body } = await companion.patiently(read(id));
    expect(prequalificationSchema.parse(body).presentation?.sessionToken).toBe('session-token-1');
  });
});

describe('repeated reads', () => {
  test('of a hundred requests at once share one call to the service', async () => {
    const { begun, service } = await setUp();
    const read = await begun();
    const answers = await Promise.all(Array.from({ length: 100 }, read));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.presentation?.sessionToken).toBe('session-token-2');
    expect([service.callsTo(STATUS).length, service.callsTo(TOKEN).length]).toEqual([1, 1]);
  });

  test('get a response that is at most two seconds old', async () => {
    const { begun, clock, service } = await setUp();
    const read = await begun();
    await read();
    service.on(STATUS, applied('Prequalified'));
    clock.advance(PAGE_READ_MS - 1);
    expect((await read()).status).toBe('open');
    clock.advance(1);
    expect((await read()).status).toBe('prequalified');
    expect(service.callsTo(STATUS)).toHaveLength(2);
  });

  test('need the secret even for a response that another request has already received', async () => {
    const { begin, read } = await setUp();
    const { id } = (await begin()).body;
    expect((await read(id)).status).toBe(200);
    expect((await read(id, keyOf('key-2'))).body.code).toBe('not-found');
  });

  test('try again immediately after a failure', async () => {
    const { begin, companion, read } = await setUp();
    const { id } = (await begin()).body;
    companion.service.on(STATUS, networkError('ECONNREFUSED'));
    expect((await companion.patiently(read(id))).status).toBe(503);
    companion.service.on(STATUS, applied('Declined'));
    expect((await read(id)).body.status).toBe('declined');
  });
});

describe('ends an hour after it started', () => {
  test.each([
    [null, 'not-found'],
    ['New', 'expired'],
    ['PendingLender', 'expired'],
    ['Prequalified', 'expired'],
    ['Declined', 'declined'],
  ])('%s becomes %s', async (word, status) => {
    const { begun, clock, service } = await setUp();
    const read = await begun();
    service.on(STATUS, applied(word));
    clock.advance(HOUR - 1);
    expect((await read()).status).not.toBe('expired');
    clock.advance(1);
    const after = await read();
    expect(after.status).toBe(status);
    expect(after).not.toHaveProperty('presentation');
    expect(after).not.toHaveProperty('amount');
    const { length } = service.calls;
    expect(await read()).toEqual(after);
    expect(service.calls).toHaveLength(length);
  });

  test('an application that the service no longer knows is not found', async () => {
    const { begun, clock, service } = await setUp();
    const read = await begun();
    clock.advance(HOUR);
    service.on(STATUS, { status: 400, body: { requestId: 'svc-1', message: 'not found' } });
    expect(await read()).toMatchObject({ status: 'not-found' });
  });

  test('a repeated POST returns it without a way to continue', async () => {
    const { begin, clock } = await setUp();
    await begin();
    clock.advance(HOUR);
    const { body } = await begin();
    expect(body.status).toBe('expired');
    expect(body).not.toHaveProperty('presentation');
  });
});

test.each([
  ['with another secret', keyOf('key-2')],
  ['without a secret', ''],
])('answers %s as it answers an unknown id', async (_, secret) => {
  const { begin, read, service } = await setUp();
  const { id } = (await begin()).body;
  const unknown = await read('prq_unknown', secret);
  const refused = await read(id, secret);
  for (const answer of [unknown, refused]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'not-found']);
  }
  expect({ ...refused.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
  expect(service.callsTo(STATUS)).toEqual([]);
});

test('an application of another environment in a shared store is not found', async () => {
  const { begin, companion, store } = await setUp();
  const { id } = (await begin()).body;
  const other = await createCompanion({ environment: 'uat', store });
  const path = `/prequalifications/${String(id)}`;
  const headers = { 'financing-checkout-secret': keyOf('key-1') };
  expect((await companion.get(path, headers)).status).toBe(200);
  expect((await other.get(path, headers)).status).toBe(404);
});

test('keeps no amount of the lender and no secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prequalification-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'companion.db');
  const store = createKyselyStore({ dialect: sqliteDialect(file) });
  await store.migrate();
  const { begun, service } = await setUp({ store });
  const read = await begun();
  service.on(STATUS, applied('Prequalified', offers(76_543.21)));
  expect((await read()).amount?.value).toBe(7_654_321);
  await store.close();
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('select * from prequalifications').all();
  database.close();
  expect(rows).toMatchObject([{ status: 'prequalified', application_id: 'application-1' }]);
  for (const secret of ['7654321', '76543.21', keyOf('key-1')]) {
    expect(JSON.stringify(rows)).not.toContain(secret);
  }
});

test('is removed 90 days after it began', async () => {
  const { begin, background, clock, read } = await setUp();
  const { id } = (await begin()).body;
  clock.advance(90 * 86_400_000);
  await background.runOnce();
  expect((await read(id)).status).toBe(200);
  clock.advance(86_400_000);
  await background.runOnce();
  expect((await read(id)).status).toBe(404);
});

describe('when the service fails, the page gets the same problem as for a prime', () => {
  test.each([
    ['cannot be reached', networkError('ECONNREFUSED'), 503, 'service-unavailable'],
    ['refuses', { status: 400, body: { requestId: 'svc-1' } }, 502, 'service-rejected'],
    ['answers 401', { status: 401, text: '' }, 503, 'service-key-rejected'],
    [
      'answers something else',
      { status: 200, body: { hello: 'world' } },
      502,
      'service-answer-invalid',
    ],
  ])('%s', async (_, answer, status, code) => {
    const { begin, companion, read } = await setUp();
    const { id } = (await begin()).body;
    companion.service.on(STATUS, answer);
    const failed = await companion.patiently(read(id));
    expect([failed.status, failed.body.code]).toEqual([status, code]);
  });
});
