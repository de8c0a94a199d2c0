import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { notFound, transactionOf } from '../charges/charge.fixture.ts';
import { createCompanion } from '../companion.fixture.ts';
import { charged } from '../scripted-service.fixture.ts';

const CHARGE = 'POST /v2/post-sale/charges';

/** The error that SQLite throws. */
function fullError(): unknown {
  const database = new DatabaseSync(':memory:');
  database.exec('create table t (text); pragma max_page_count = 2');
  try {
    database.exec(`insert into t values ('${'x'.repeat(10_000)}')`);
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
  throw new Error('It is not full.');
}

/** Creates a companion whose disk can be full. */
async function setUp() {
  const companion = await createCompanion();
  let isFull = false;
  const error = fullError();
  const method = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'exec');
  const exec = method?.value as (statements: string) => void;
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
    this: DatabaseSync,
    statements,
  ) {
    if (isFull && statements === 'begin immediate') throw error;
    exec.call(this, statements);
  });
  onTestFinished(() => spy.mockRestore());
  companion.service
    .on(CHARGE, charged)
    .on('GET /v2/post-sale/transactions/lookup', () =>
      companion.service.callsTo(CHARGE).length === 0
        ? notFound
        : { status: 200, body: transactionOf({ type: 'Authorize' }) },
    )
    .on('GET /v2/post-sale/charges/charge-1', charged);
  const fill = (full: boolean) => void (isFull = full);
  const rounds = async () => {
    for (const seconds of [0, 31, 3, 61]) {
      companion.clock.advance(seconds * 1_000);
      while ((await companion.background.runOnce()) > 0);
    }
  };
  const unavailable = () =>
    companion.log.filter(({ event }) => event === 'store-unavailable').map(({ code }) => code);
  return { companion, fill, rounds, unavailable };
}

test('on a full disk nothing is sent, both listeners respond with 503, and the companion recovers by itself', async () => {
  const { companion, fill, rounds, unavailable } = await setUp();
  const id = await companion.open();
  fill(true);
  for (const answer of [await companion.confirm(id), await companion.prime('key-2')]) {
    expect([answer.status, answer.body.code]).toEqual([503, 'store-unavailable']);
    expect(answer.headers.get('retry-after')).toBe('5');
  }
  expect(companion.service.callsTo(CHARGE)).toEqual([]);
  expect(unavailable()).toEqual(['SQLITE_FULL', 'SQLITE_FULL']);
  expect((await companion.office('/readyz')).status).toBe(503);
  fill(false);
  expect((await companion.office('/readyz')).status).toBe(200);
  expect((await companion.confirm(id)).body.status).toBe('approved');
  await rounds();
  expect(companion.webhooks().at(-1)).toMatchObject({ checkoutId: id, status: 'approved' });
});

test('a disk that fills up during a charge: the charge is found, created once and reported', async () => {
  const { companion, fill, rounds, unavailable } = await setUp();
  const id = await companion.open();
  companion.service.on(CHARGE, () => {
    fill(true);
    return charged;
  });
  expect((await companion.confirm(id)).body.code).toBe('store-unavailable');
  companion.clock.advance(91_000);
  expect((await companion.get(`/checkout/${id}`)).body.code).toBe('store-unavailable');
  companion.background.start();
  await expect
    .poll(() => companion.log.map(({ event, code }) => [event, code]))
    .toContainEqual(['background-failed', 'SQLITE_FULL']);
  await companion.background.stop();
  expect(new Set(unavailable())).toEqual(new Set(['SQLITE_FULL']));
  fill(false);
  const { background } = await createCompanion(companion.options);
  for (const seconds of [0, 91, 3]) {
    companion.clock.advance(seconds * 1_000);
    while ((await background.runOnce()) > 0);
  }
  expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
  await rounds();
  expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  expect(companion.webhooks().at(-1)).toMatchObject({ checkoutId: id, status: 'approved' });
});
