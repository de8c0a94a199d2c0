import { describe, expect, test } from 'vitest';
import { ledgerSchema } from '@financing-checkout/contract/back-office';
import { createCompanion } from '../companion.fixture.ts';
import {
  authorized,
  charged,
  created,
  foundCharge,
  foundTransaction,
  gatewayTimeout,
  START,
} from '../scripted-service.fixture.ts';

const CHARGE = 'POST /v2/post-sale/charges';
const LOOKUP = 'GET /v2/post-sale/transactions/lookup';
const GET_CHARGE = 'GET /v2/post-sale/charges/charge-1';

type Companion = Awaited<ReturnType<typeof createCompanion>>;
const ledger = async (companion: Companion, query = '') =>
  ledgerSchema.parse((await companion.office(`/ledger${query}`)).body);
const shape = ({ entries }: Awaited<ReturnType<typeof ledger>>) =>
  entries.map(({ type, state, amount }) => [type, state, amount?.value]);

describe('the ledger', () => {
  test('records the transactions of a charge in the commit that approves its checkout', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, charged);
    const id = await companion.open();
    await companion.confirm(id);
    const { entries } = await ledger(companion);
    const [attempt] = await companion.attempts(id, 'charge');
    const common = {
      merchantOrderId: 'order-1001',
      chargeId: 'charge-1',
      amount: { value: 27_499, currency: 'USD' },
      merchantTransactionId: attempt?.merchantTransactionId,
      state: 'accepted',
      occurredAt: new Date(START).toISOString(),
    };
    expect(entries).toEqual([
      { id: 1, type: 'Authorize', ...common, lenderReferenceId: 'lender-authorize-1' },
      { id: 2, type: 'Settle', ...common, lenderReferenceId: 'lender-settle-1' },
    ]);
  });

  test.each([
    ['later', 201],
    ['on-approval', 202],
  ] as const)('records no settlement that did not happen (%s, %i)', async (settle, status) => {
    const companion = await createCompanion({ settle });
    companion.service.on(CHARGE, created({ settleTransactionState: null }, status));
    await companion.confirm(await companion.open());
    expect(shape(await ledger(companion))).toEqual([['Authorize', 'accepted', 27_499]]);
  });

  test('records an unknown outcome and later its resolution', async () => {
    const companion = await createCompanion({ settle: 'later' });
    companion.service.on(CHARGE, gatewayTimeout);
    const id = await companion.open();
    await companion.confirm(id);
    companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
    companion.clock.advance(2_000);
    await companion.background.runOnce();
    expect(shape(await ledger(companion))).toEqual([
      ['Authorize', 'unknown', 27_499],
      ['Authorize', 'accepted', 27_499],
    ]);
  });

  test('cancels an entry when its transaction is proved absent', async () => {
    const companion = await createCompanion({ settle: 'later' });
    companion.service.on(CHARGE, gatewayTimeout);
    await companion.confirm(await companion.open());
    companion.clock.advance(181_000);
    await companion.background.runOnce();
    expect(shape(await ledger(companion))).toEqual([
      ['Authorize', 'unknown', 27_499],
      ['Authorize', 'absent', 27_499],
    ]);
  });

  test.each(['AUTHORIZED', 'VOIDED'])(
    'cancels a settlement that was not made with its charge, which is %s',
    async (state) => {
      const companion = await createCompanion();
      companion.service.on(CHARGE, gatewayTimeout);
      await companion.confirm(await companion.open());
      companion.service
        .on(LOOKUP, foundTransaction())
        .on(GET_CHARGE, foundCharge({ ...authorized, state }));
      companion.clock.advance(2_000);
      await companion.background.runOnce();
      expect(shape(await ledger(companion))).toEqual([
        ['Authorize', 'unknown', 27_499],
        ['Settle', 'unknown', 27_499],
        ['Authorize', 'accepted', 27_499],
        ['Settle', 'absent', 27_499],
      ]);
    },
  );

  test.each([
    ['on-approval', 'later'],
    ['later', 'on-approval'],
  ] as const)(
    'keeps the settlement requested with a charge (%s) when a companion with another setting (%s) looks it up',
    async (settle, otherwise) => {
      const companion = await createCompanion({ settle });
      companion.service.on(CHARGE, gatewayTimeout);
      const id = await companion.open();
      await companion.confirm(id);
      const { store, clock, options } = companion;
      const other = await createCompanion({
        settle: otherwise,
        store,
        clock,
        service: options.service,
      });
      clock.advance(181_000);
      await other.background.runOnce();
      const absent = shape(await ledger(companion));
      companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
      clock.advance(181_000);
      await other.background.runOnce();
      const types = settle === 'later' ? ['Authorize'] : ['Authorize', 'Settle'];
      const each = (state: string) => types.map((type) => [type, state, 27_499]);
      expect(absent).toEqual([...each('unknown'), ...each('absent')]);
      expect(shape(await ledger(companion))).toEqual([...absent, ...each('accepted')]);
      expect((await store.findCheckout(id))?.status).toBe('approved');
    },
  );

  test('records nothing for a refused charge', async () => {
    const companion = await createCompanion();
    companion.service.on(CHARGE, { status: 400, body: { errors: [{ code: '2004' }] } });
    await companion.confirm(await companion.open());
    expect((await ledger(companion)).entries).toEqual([]);
  });
});

describe('GET /ledger', () => {
  async function withOrders(count: number) {
    const companion = await createCompanion({ settle: 'later' });
    companion.service.on(CHARGE, ({ body }) => {
      const { merchantOrderId } = body as { merchantOrderId: string };
      const id = `charge-${merchantOrderId}`;
      return created({ merchantOrderId, id, settleTransactionState: null });
    });
    for (let index = 1; index <= count; index++) {
      await companion.confirm(
        await companion.open(`key-${index}`, { merchantOrderId: `o-${index}` }),
      );
      companion.clock.advance(1_000);
    }
    return companion;
  }
  const orders = ({ entries }: Awaited<ReturnType<typeof ledger>>) =>
    entries.map(({ merchantOrderId }) => merchantOrderId);

  test('pages by consecutive ids, so that a missing entry is visible', async () => {
    const companion = await withOrders(5);
    const first = await ledger(companion, '?limit=2');
    expect([orders(first), first.next]).toEqual([['o-1', 'o-2'], 2]);
    const second = await ledger(companion, '?limit=2&after=2');
    expect([orders(second), second.next]).toEqual([['o-3', 'o-4'], 4]);
    const third = await ledger(companion, '?limit=2&after=4');
    expect([orders(third), third.next]).toEqual([['o-5'], undefined]);
    const all = await ledger(companion);
    expect(all.entries.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  });

  test('filters by order and by time, with "from" inclusive and "to" exclusive', async () => {
    const companion = await withOrders(4);
    expect(orders(await ledger(companion, '?merchantOrderId=o-2'))).toEqual(['o-2']);
    const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();
    const window = `?from=${at(1)}&to=${at(3)}`;
    expect(orders(await ledger(companion, window))).toEqual(['o-2', 'o-3']);
  });

  test('lists only entries of its own environment', async () => {
    const companion = await withOrders(1);
    const other = await createCompanion({ store: companion.store, environment: 'uat' });
    expect((await ledger(other)).entries).toEqual([]);
  });

  test('accepts a limit of one thousand', async () => {
    const companion = await withOrders(1);
    expect((await ledger(companion, '?limit=1000')).entries).toHaveLength(1);
  });

  test.each(['limit=0', 'limit=1001', 'after=-1', 'from=yesterday', 'order=1', 'limit=1e3'])(
    'refuses ?%s and names the field',
    async (query) => {
      const companion = await createCompanion();
      const { status, body } = await companion.office(`/ledger?${query}`);
      expect([status, body.code]).toEqual([400, 'invalid-request']);
      expect(body.errors).toHaveLength(1);
    },
  );
});

test('lists the records that the store has lost', async () => {
  const companion = await createCompanion();
  expect((await companion.office('/lost-records')).body).toEqual({ records: [] });
  const lost = { kind: 'refund', merchantOrderId: 'order-1001', chargeId: 'charge-1' } as const;
  const record = { ...lost, environment: 'sandbox', merchantTransactionId: 'mtx-1' } as const;
  await companion.store.putLostRecord(record, START);
  await companion.store.putLostRecord({ ...record, environment: 'production' }, START);
  expect((await companion.office('/lost-records')).body).toEqual({
    records: [{ ...lost, foundAt: new Date(START).toISOString() }],
  });
});
