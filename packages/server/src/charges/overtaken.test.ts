import { expect, test } from 'vitest';
import { ledgerSchema } from '@financing-checkout/contract';
import { charged, createCompanion } from '../companion.fixture.ts';
import { ChargeAtService } from './charge.fixture.ts';

const LOOKUP = 'GET /v2/post-sale/transactions/lookup';
const REFUNDS = 'POST /v2/post-sale/charges/charge-1/refunds';

/** A refund of 5.00 whose answer is lost before it is done. */
async function withUnknown() {
  const companion = await createCompanion();
  const atService = new ChargeAtService(companion.service, { settled: 27_499 });
  const refund = (key: string, amount = 500) =>
    companion.officePost('/charges/charge-1/refunds', { amount }, { 'idempotency-key': key });
  atService.faults = ['lost-before'];
  await refund('key-1');
  const row = await companion.store.findChargeOperation('key-1');
  const id = row?.id ?? '';
  const resolve = (outcome: 'done' | 'not-done') =>
    companion.officePost(`/charge-operations/${id}/resolution`, {
      outcome,
      by: 'Ines Quill',
      note: 'portal',
    });
  const found = async () => companion.store.findChargeOperation('key-1');
  const states = async () =>
    ledgerSchema
      .parse((await companion.office('/ledger')).body)
      .entries.map(({ state, amount }) => [state, amount?.value]);
  return { companion, atService, refund, resolve, found, states };
}

test.each(['done', 'not-done'] as const)(
  'a key that was sent again meanwhile is not ended by what is said (%s) of the time before',
  async (outcome) => {
    const { companion, refund, resolve, found, states } = await withUnknown();
    companion.clock.advance(150_000);
    const slow = Promise.withResolvers<undefined>();
    const asked = Promise.withResolvers<undefined>();
    const absent = { status: 404, body: {} };
    companion.service.on(
      LOOKUP,
      async () => {
        asked.resolve(undefined);
        await slow.promise;
        return outcome === 'done' ? { status: 403, text: '' } : absent;
      },
      absent,
    );
    const late = resolve(outcome);
    await asked.promise;
    expect((await resolve('not-done')).body.detail).toContain('it is not-sent');
    const sent = Promise.withResolvers<undefined>();
    const made = { id: 'transaction-1', chargeId: 'charge-1', state: 'Completed' };
    companion.service.on(REFUNDS, async () => {
      await sent.promise;
      return { status: 201, body: made };
    });
    companion.clock.advance(1);
    const again = refund('key-1');
    await expect.poll(() => companion.service.callsTo(REFUNDS).length).toBe(2);
    slow.resolve(undefined);
    expect([(await late).status, (await found())?.state]).toEqual([409, 'recorded']);
    expect((await refund('key-2')).body.code).toBe('charge-busy');
    sent.resolve(undefined);
    expect((await again).status).toBe(201);
    expect((await states()).at(-1)).toEqual(['accepted', 500]);
  },
);

test.each(['done', 'not-done'] as const)(
  'the shop hears of what was moved by hand once a person has said %s',
  async (outcome) => {
    const { companion, atService, resolve } = await withUnknown();
    companion.service.on('POST /v2/post-sale/charges', charged);
    await companion.confirm(await companion.open());
    atService.refunded = 700;
    companion.clock.advance(150_000);
    while ((await companion.background.runOnce()) > 0);
    expect(companion.told().at(-1)?.chargeState).toBe('Settled');
    expect((await resolve(outcome)).status).toBe(200);
    while ((await companion.background.runOnce()) > 0);
    expect(companion.told().at(-1)?.chargeState).toBe('SettledPartiallyRefunded');
  },
);
