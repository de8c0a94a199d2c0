import { expect, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion } from '../companion.fixture.ts';
import { charged, gatewayTimeout, application } from '../scripted-service.fixture.ts';

type Companion = Awaited<ReturnType<typeof createCompanion>>;

/** Returns the request ids in the log of the service calls of `work`. */
async function idsOfCalls({ log }: Companion, work: () => Promise<unknown>) {
  const before = log.length;
  await work();
  const calls = log.slice(before).filter(({ event }) => event === 'service-call');
  expect(calls.length).toBeGreaterThan(0);
  return [...new Set(calls.map(({ requestId }) => requestId))];
}

const later = (companion: Companion) => () => {
  companion.clock.advance(185_000);
  return companion.background.runOnce();
};

test('looks up a charge under the id of the request that created it', async () => {
  const companion = await createCompanion();
  companion.service.on('POST /v2/post-sale/charges', gatewayTimeout);
  const id = await companion.open();
  const ids = await idsOfCalls(companion, () => companion.confirm(id));
  const [attempt] = await companion.attempts(id, 'charge');
  expect(ids).toEqual([attempt?.requestId]);
  expect(await idsOfCalls(companion, later(companion))).toEqual(ids);
  // The charge is absent, and is looked up at intervals in case it appears late.
  expect(await idsOfCalls(companion, later(companion))).toEqual(ids);
});

test('reverses a mismatched charge under the id of its request', async () => {
  const companion = await createCompanion();
  const charge = new ChargeAtService(companion.service, { total: 100, settled: 100 });
  companion.service.on('POST /v2/post-sale/charges', { status: 201, body: charge.wire() });
  charge.faults = ['lost-before'];
  const id = await companion.open();
  const ids = await idsOfCalls(companion, () => companion.confirm(id));
  expect(charge.refunded).toBe(0);
  expect(await idsOfCalls(companion, later(companion))).toEqual(ids);
  expect([charge.settled, charge.refunded]).toEqual([100, 100]);
});

test('looks up a charge operation under the id of its request', async () => {
  const companion = await createCompanion();
  const charge = new ChargeAtService(companion.service, { settled: 27_499 });
  companion.service.on('POST /v2/post-sale/charges', charged);
  await companion.confirm(await companion.open());
  charge.faults = ['lost-before'];
  const ids = await idsOfCalls(companion, () =>
    companion.officePost('/charges/charge-1/refunds', { amount: 100 }, { 'idempotency-key': 'k' }),
  );
  const operation = await companion.store.findChargeOperation('k');
  expect(ids).toEqual([operation?.requestId]);
  expect(await idsOfCalls(companion, later(companion))).toEqual(ids);
});

test('names the operation in the log of a repeated request, and in no problem', async () => {
  const companion = await createCompanion();
  const charge = new ChargeAtService(companion.service, { settled: 27_499 });
  charge.faults = ['lost-after'];
  companion.service.on('POST /v2/post-sale/charges', charged);
  await companion.confirm(await companion.open());
  const refund = () =>
    companion.officePost('/charges/charge-1/refunds', { amount: 100 }, { 'idempotency-key': 'k' });
  const answers = [await refund(), await refund()];
  const operation = await companion.store.findChargeOperation('k');
  const lines = companion.log.filter(({ code, event }) => event === 'request' && code);
  const expected = { code: 'outcome-unknown', operationId: operation?.id };
  expect(lines).toMatchObject([expected, expected]);
  expect(JSON.stringify(answers)).not.toContain(operation?.id);
  companion.clock.advance(3_000);
  await companion.background.runOnce();
  expect((await refund()).body.id).toBe(operation?.id);
  expect(companion.log.at(-1)).toMatchObject({ status: 201, operationId: operation?.id });
});

test('looks up a pending application under the id of the request that opened it', async () => {
  const companion = await createCompanion();
  const path = 'GET /v2/checkout/applications/application-1/status';
  companion.service.on(path, application('PendingLender'));
  const id = await companion.open();
  await companion.post(`/checkout/${id}/cancellation`);
  const [attempt] = await companion.attempts(id, 'prime');
  expect(await idsOfCalls(companion, later(companion))).toEqual([attempt?.requestId]);
});

test('makes the calls of a request under its own id, not under an earlier one', async () => {
  const companion = await createCompanion();
  const path = 'GET /v2/checkout/applications/application-1/status';
  companion.service.on(path, application('PendingLender'));
  const id = await companion.open();
  let own: string | null = null;
  const cancelled = await idsOfCalls(companion, async () => {
    own = (await companion.post(`/checkout/${id}/cancellation`)).headers.get('x-request-id');
  });
  expect(cancelled).toEqual([own]);
  companion.clock.advance(185_000);
  const read = await idsOfCalls(companion, async () => {
    own = (await companion.get(`/checkout/${id}`)).headers.get('x-request-id');
  });
  expect(read).toEqual([own]);
});
