import { expect, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion, PRIVATE_KEY } from '../companion.fixture.ts';
import { CHARGE, charged, REFUNDS, type Scripted } from '../scripted-service.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { createServiceClient } from '../service/client.ts';
import type { Store } from '../store/store.ts';

/** Half of an attempt's lease. */
const LATE_MS = 15_000;

/** Creates a companion that sleeps once between committing an attempt and sending it. */
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
])('sends a charge %i ms after recording its attempt: %i requests', async (ms, status, sent) => {
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
])('sends a refund %i ms after recording it: %i requests', async (ms, status, sent) => {
  const companion = await sleeper(ms);
  new ChargeAtService(companion.service, { settled: 27_499 });
  const refund = () =>
    companion.officePost(
      '/charges/charge-1/refunds',
      { amount: 100, currency: 'USD' },
      { 'idempotency-key': 'key-1' },
    );
  const answer = await refund();
  expect([answer.status, companion.service.callsTo(REFUNDS).length]).toEqual([status, sent]);
  expect((await refund()).status).toBe(201);
  expect(companion.service.callsTo(REFUNDS)).toHaveLength(1);
});

test('a companion respects the longer lease of another companion', async () => {
  const held = Promise.withResolvers<Scripted>();
  const patient = await createCompanion();
  const { clock, store, service: upstream } = patient;
  const serviceOf = (deadlineMs: number) =>
    createServiceClient({
      baseUrl: 'https://service.example/',
      keys: [new PrivateKey(PRIVATE_KEY)],
      transport: upstream.transport,
      clock,
      random: () => 0,
      deadlineMs,
    });
  const slow = await createCompanion({ store, clock, service: serviceOf(60_000) });
  const hasty = await createCompanion({ store, clock, service: serviceOf(500) });
  new ChargeAtService(upstream, { settled: 27_499 });
  const refuse = { status: 404, body: { errors: [{ code: 1002 }] } };
  upstream.on('GET /v2/post-sale/transactions/lookup', refuse);
  upstream.on(CHARGE, () => held.promise).on(REFUNDS, () => held.promise);
  const id = await slow.open();
  const refund = (companion: typeof slow) =>
    companion.officePost(
      '/charges/charge-1/refunds',
      { amount: 100, currency: 'USD' },
      { 'idempotency-key': 'key-1' },
    );
  const confirming = slow.confirm(id);
  const refunding = refund(slow);
  const sent = () => [upstream.callsTo(CHARGE).length, upstream.callsTo(REFUNDS).length];
  await expect.poll(sent).toEqual([1, 1]);
  const before = upstream.calls.length;
  for (let second = 0; second < 59; second++) {
    clock.advance(1_000);
    await hasty.background.runOnce();
  }
  expect((await hasty.get(`/checkout/${id}`)).body.status).toBe('confirming');
  expect((await hasty.confirm(id)).body.status).toBe('confirming');
  expect((await refund(hasty)).body.code).toBe('idempotency-in-flight');
  expect(upstream.calls).toHaveLength(before);
  held.resolve(charged);
  expect((await confirming).body.status).toBe('approved');
  expect((await refunding).status).toBe(201);
  expect(sent()).toEqual([1, 1]);
});
