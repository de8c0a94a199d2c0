import { expect, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion } from '../companion.fixture.ts';
import {
  CHARGE,
  charged,
  foundCharge,
  foundTransaction,
  gatewayTimeout,
  LOOKUP,
} from '../scripted-service.fixture.ts';

const HOUR_MS = 3_600_000;

test('setting the clock forward does not prove a charge in flight absent', async () => {
  const companion = await createCompanion();
  const { background, clock, service, store } = companion;
  service.on(CHARGE, gatewayTimeout);
  const id = await companion.open();
  expect((await companion.confirm(id)).body.status).toBe('unavailable');
  clock.set(HOUR_MS);
  await background.runOnce();
  expect(await store.findCheckout(id)).toMatchObject({ retrySafe: false });
  // Neither a lookup nor another checkout of the order creates a second charge.
  expect((await companion.get(`/checkout/${id}`)).body).toMatchObject({ retrySafe: false });
  expect((await companion.prime('key-2')).body.code).toBe('checkout-not-open');

  service.on(LOOKUP, foundTransaction()).on('GET /v2/post-sale/charges/charge-1', foundCharge());
  clock.advance(10_000);
  await background.runOnce();
  expect((await store.findCheckout(id))?.status).toBe('approved');
});

test('the grace period restarts when the clock is set forward, and ends', async () => {
  const companion = await createCompanion();
  const { background, clock, store } = companion;
  companion.service.on(CHARGE, gatewayTimeout);
  const id = await companion.open();
  await companion.confirm(id);
  clock.set(HOUR_MS);
  for (let seconds = 0; seconds < 170; seconds += 5) {
    clock.advance(5_000);
    await background.runOnce();
  }
  expect(await store.findCheckout(id)).toMatchObject({ retrySafe: false });
  for (let seconds = 0; seconds < 190; seconds += 5) {
    clock.advance(5_000);
    await background.runOnce();
  }
  expect(await store.findCheckout(id)).toMatchObject({ status: 'unavailable', retrySafe: true });
});

test('setting the clock forward makes a charge in flight unknown, and its response approves it', async () => {
  const companion = await createCompanion();
  const answer = Promise.withResolvers<typeof charged>();
  companion.service.on(CHARGE, () => answer.promise);
  const id = await companion.open();
  const confirmed = companion.confirm(id);
  await expect.poll(() => companion.service.callsTo(CHARGE).length).toBe(1);
  companion.clock.set(HOUR_MS);
  await companion.background.runOnce();
  expect((await companion.prime('key-2')).body.code).toBe('checkout-not-open');
  answer.resolve(charged);
  expect((await confirmed).body.status).toBe('approved');
});

test('setting the clock forward does not prove a refund absent: its key sends nothing again', async () => {
  const companion = await createCompanion();
  const charge = new ChargeAtService(companion.service, { settled: 27_499 });
  charge.faults = ['lost-before'];
  const refund = () =>
    companion.officePost(
      '/charges/charge-1/refunds',
      { amount: 100, currency: 'USD' },
      { 'idempotency-key': 'refund-1' },
    );
  expect((await refund()).body.code).toBe('outcome-unknown');
  companion.clock.set(HOUR_MS);
  await companion.background.runOnce();
  expect((await refund()).body.code).toBe('outcome-unknown');
  expect(companion.service.callsTo('POST /v2/post-sale/charges/charge-1/refunds')).toHaveLength(1);
});

test('setting the clock back and forth delays nothing beyond the grace period', async () => {
  const companion = await createCompanion();
  const { background, clock, store } = companion;
  companion.service.on(CHARGE, gatewayTimeout);
  const id = await companion.open();
  await companion.confirm(id);
  clock.set(-HOUR_MS);
  await background.runOnce();
  clock.set(HOUR_MS);
  for (let seconds = 0; seconds < 500; seconds += 5) {
    clock.advance(5_000);
    await background.runOnce();
  }
  expect(await store.findCheckout(id)).toMatchObject({ status: 'unavailable', retrySafe: true });
});
