import { expect, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { charged, createCompanion } from '../companion.fixture.ts';
import type { Store } from '../store/store.ts';

const CHARGE = 'POST /v2/post-sale/charges';
const REFUNDS = 'POST /v2/post-sale/charges/charge-1/refunds';
/** Half of what an attempt belongs to its companion. */
const LATE_MS = 15_000;

/** A companion that sleeps between the commit of an attempt and its sending, once. */
async function sleeper(ms: number) {
  const awake = await createCompanion();
  const { clock, store } = awake;
  let left = ms;
  const sleep = () => {
    clock.advance(left);
    left = 0;
  };
  const sleeping: Store = {
    ...store,
    async changeCheckout(change) {
      const result = await store.changeCheckout(change);
      if (change.insertAttempt?.kind === 'charge') sleep();
      return result;
    },
    async beginChargeOperation(...begin) {
      const begun = await store.beginChargeOperation(...begin);
      sleep();
      return begun;
    },
  };
  return createCompanion({ store: sleeping, clock });
}

test.each([
  [LATE_MS - 1, 200, 1],
  [LATE_MS, 503, 0],
])('a charge is sent %i ms after its attempt was recorded: %i', async (ms, status, sent) => {
  const companion = await sleeper(ms);
  companion.service.on(CHARGE, charged);
  const id = await companion.open();
  const answer = await companion.confirm(id);
  expect([answer.status, companion.service.callsTo(CHARGE).length]).toEqual([status, sent]);
  expect((await companion.confirm(id)).body.status).toBe('approved');
  expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
});

test.each([
  [LATE_MS - 1, 201, 1],
  [LATE_MS, 503, 0],
])('a refund is sent %i ms after it was recorded: %i', async (ms, status, sent) => {
  const companion = await sleeper(ms);
  new ChargeAtService(companion.service, { settled: 27_499 });
  const refund = () =>
    companion.officePost(
      '/charges/charge-1/refunds',
      { amount: 100 },
      { 'idempotency-key': 'key-1' },
    );
  const answer = await refund();
  expect([answer.status, companion.service.callsTo(REFUNDS).length]).toEqual([status, sent]);
  expect((await refund()).status).toBe(201);
  expect(companion.service.callsTo(REFUNDS)).toHaveLength(1);
});
