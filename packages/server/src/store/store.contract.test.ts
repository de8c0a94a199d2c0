import fc from 'fast-check';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterAll, describe, expect, test } from 'vitest';
import { firstId, randomId } from '../platform/id.ts';
import { closeSharedStores, databaseKinds, type TestDatabase } from './databases.fixture.ts';
import type { NewLedgerEntry } from './ledger.ts';
import { migrations } from './schema.ts';
import type { CheckoutChange, CheckoutRow, NewAttempt, Store } from './store.ts';

afterAll(closeSharedStores);

const START = Date.UTC(2026, 10, 20, 12);

function checkout(change: Partial<CheckoutRow> = {}): CheckoutRow {
  return {
    id: 'chk_1',
    environment: 'sandbox',
    merchantOrderId: 'order-1',
    amount: { value: 27_499, currency: 'USD' },
    status: 'open',
    retrySafe: undefined,
    revision: 1,
    sessionToken: 'session-1',
    secretHash: 'f'.repeat(64),
    applicationId: 'application-1',
    origin: 'https://shop.example',
    returnUrl: undefined,
    locale: 'en',
    confirmationHash: undefined,
    orderHash: 'e'.repeat(64),
    ticketHash: undefined,
    orderChanged: false,
    chargeId: undefined,
    chargeState: undefined,
    refundedAmount: undefined,
    taxAmount: 2_001,
    shippingTaxAmount: 0,
    charged: undefined,
    createdAt: START,
    updatedAt: START,
    expiresAt: START + 3_600_000,
    attentionAt: START + 3_600_000,
    attentionTries: 0,
    shown: undefined,
    items: [],
    ...change,
  };
}

const attempt = (id: string, kind: NewAttempt['kind'], checkoutId?: string): NewAttempt => ({
  id,
  kind,
  checkoutId,
  merchantTransactionId: kind === 'charge' ? `txn-${id}` : undefined,
});

/**
 * Returns an id with the timestamp START, because attempts are removed by the timestamp in their
 * id.
 */
const attemptId = (key: string) => `${firstId('att', START)}-${key}`;

const begin = (key: string, change: Record<string, unknown> = {}) => ({
  key,
  fingerprint: 'f'.repeat(64),
  attempt: attempt(attemptId(key), 'prime'),
  order: { environment: 'sandbox' as const, merchantOrderId: `order-of-${key}` },
  now: START,
  leaseUntil: START + 30_000,
  ...change,
});

/** Stores a checkout like a prime does. */
async function put(store: Store, row: CheckoutRow): Promise<CheckoutRow> {
  expect(await store.beginPrime(begin(row.id))).toEqual({ kind: 'begun' });
  await store.finishPrime({
    key: row.id,
    attempt: { id: attemptId(row.id), state: 'accepted', serviceRequestId: 'svc-1' },
    now: START,
    end: { checkout: row },
  });
  return row;
}

const change = (row: CheckoutRow, more: Partial<CheckoutChange> = {}): CheckoutChange => ({
  id: row.id,
  revision: row.revision,
  now: START + 1_000,
  set: {},
  ...more,
});

describe.each(databaseKinds)('the store on $name', (kind) => {
  async function migrated(): Promise<{ store: Store; place: TestDatabase }> {
    const place = await kind.migrated();
    return { store: place.open(), place };
  }

  test('reads back a checkout with the largest amount and all optional fields', async () => {
    const { store } = await migrated();
    const full = checkout({
      amount: { value: Number.MAX_SAFE_INTEGER, currency: 'KWD' },
      merchantOrderId: 'Bestellung № 7 — 木の椅子',
      status: 'unavailable',
      retrySafe: false,
      returnUrl: 'https://shop.example/back?a=%C3%A9',
      orderHash: 'e'.repeat(64),
      ticketHash: 'd'.repeat(64),
      chargeId: 'charge-1',
      chargeState: 'Settled',
      taxAmount: Number.MAX_SAFE_INTEGER,
      shippingTaxAmount: 1,
      charged: {
        amount: { value: Number.MAX_SAFE_INTEGER - 1, currency: 'KWD' },
        reason: 'lease-to-own-sales-tax',
      },
      confirmationHash: 'c'.repeat(64),
      attentionTries: 3,
    });
    await put(store, full);
    expect(await store.findCheckout(full.id)).toEqual(full);
    const bare = checkout({
      id: 'chk_2',
      applicationId: undefined,
      attentionAt: undefined,
    });
    await put(store, bare);
    expect(await store.findCheckout('chk_2')).toEqual(bare);
    expect(await store.findCheckout('chk_3')).toBeUndefined();
  });

  describe('idempotency keys', () => {
    test('one of many concurrent requests takes a key, and only its attempt is recorded', async () => {
      const { store } = await migrated();
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store.beginPrime(begin('key', { attempt: attempt(`att-${index}`, 'prime') })),
        ),
      );
      const begun = taken.map(({ kind }) => kind);
      expect(begun.filter((kind) => kind === 'begun')).toHaveLength(1);
      expect(begun.filter((kind) => kind === 'known')).toHaveLength(7);
      const known = await store.findIdempotency('key');
      expect(known).toMatchObject({ state: 'in-flight', leaseUntil: START + 30_000 });
      expect(known?.attemptId).toBe(`att-${begun.indexOf('begun')}`);
    });

    test('a finished key keeps its checkout or problem and is not taken again', async () => {
      const { store } = await migrated();
      await put(store, checkout());
      expect(await store.findIdempotency('chk_1')).toMatchObject({
        state: 'finished',
        checkoutId: 'chk_1',
        problem: undefined,
      });
      expect(await store.findAttempts('chk_1')).toMatchObject([
        { id: attemptId('chk_1'), kind: 'prime', state: 'accepted', serviceRequestId: 'svc-1' },
      ]);
      const again = await store.beginPrime(begin('chk_1', { attempt: attempt('x', 'prime') }));
      expect(again).toMatchObject({ kind: 'known', row: { checkoutId: 'chk_1' } });

      const problem = { code: 'outcome-unknown' as const, detail: 'It is not known.' };
      await store.beginPrime(begin('key'));
      await store.finishPrime({
        key: 'key',
        attempt: { id: attemptId('key'), state: 'unknown', reason: 'timeout' },
        now: START,
        end: { problem },
      });
      expect(await store.findIdempotency('key')).toMatchObject({ state: 'finished', problem });
    });

    test('a released key is taken again by the same request only', async () => {
      const { store } = await migrated();
      await store.beginPrime(begin('key'));
      await store.finishPrime({
        key: 'key',
        attempt: { id: attemptId('key'), state: 'not-sent', reason: 'unreachable' },
        now: START,
        end: 'released',
      });
      const other = { fingerprint: '0'.repeat(64), attempt: attempt('att-2', 'prime') };
      expect(await store.beginPrime(begin('key', other))).toMatchObject({ kind: 'known' });
      expect(await store.beginPrime(begin('key', { attempt: attempt('att-3', 'prime') }))).toEqual({
        kind: 'begun',
      });
      expect(await store.findIdempotency('key')).toMatchObject({
        state: 'in-flight',
        attemptId: 'att-3',
      });
    });

    test('an earlier attempt does not finish a key of a later one', async () => {
      const { store } = await migrated();
      await store.beginPrime(begin('key'));
      const released = {
        key: 'key',
        attempt: { id: attemptId('key'), state: 'not-sent' as const },
        now: START,
        end: 'released' as const,
      };
      await store.finishPrime(released);
      await store.beginPrime(begin('key', { attempt: attempt('att-2', 'prime') }));
      await store.finishPrime(released);
      expect(await store.findIdempotency('key')).toMatchObject({
        state: 'in-flight',
        attemptId: 'att-2',
      });
    });
  });

  describe('the budget of an order', () => {
    const order = { environment: 'sandbox' as const, merchantOrderId: 'order-1' };
    const since = START - 600_000;
    test.each([
      ['primes', { openCheckouts: 0, primes: 3, since }],
      ['open checkouts', { openCheckouts: 3, primes: 0, since }],
    ])('of %s holds for two companions that prime concurrently', async (_, budget) => {
      const { store, place } = await migrated();
      const stores = [store, place.open()];
      const prime = async (index: number) =>
        stores[index % 2]?.beginPrime(begin(`key-${index}`, { order, budget }));
      const begun = await Promise.all(Array.from({ length: 10 }, (__, index) => prime(index)));
      const kinds = begun.map((one) => one?.kind);
      expect(kinds.filter((one) => one === 'begun')).toHaveLength(3);
      expect(kinds.filter((one) => one === 'above-budget')).toHaveLength(7);
    });
  });

  describe('changing a checkout', () => {
    test('only one of many changes to the same revision succeeds', async () => {
      const { store } = await migrated();
      const row = await put(store, checkout());
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store.changeCheckout(
            change(row, {
              set: { status: 'confirming' },
              insertAttempt: attempt(`charge-${index}`, 'charge', row.id),
            }),
          ),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'stale')).toHaveLength(7);
      const attempts = await store.findAttempts(row.id);
      expect(attempts.filter(({ kind }) => kind === 'charge')).toHaveLength(1);
      expect(await store.findCheckout(row.id)).toMatchObject({
        status: 'confirming',
        revision: 2,
        updatedAt: START + 1_000,
      });
    });

    test('lists attempts of one millisecond in the order of creation', async () => {
      const { store } = await migrated();
      const { id } = await put(store, checkout());
      const made = Array.from({ length: 20 }, () => randomId('att'));
      for (const name of made) {
        const row = (await store.findCheckout(id)) ?? expect.fail('The checkout is gone.');
        const insertAttempt = attempt(name, 'charge', id);
        await store.changeCheckout(change(row, { set: {}, insertAttempt }));
      }
      const charges = (rows: readonly { id: string; kind: string }[]) =>
        rows.filter(({ kind }) => kind === 'charge').map((row) => row.id);
      expect(charges(await store.findAttempts(id))).toEqual(made);
      expect(charges((await store.trace(id)).attempts)).toEqual(made);
    });

    test('any interleaving of changes loses none and leaves no gap in the revisions', async () => {
      const { store } = await migrated();
      let id = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }),
          async (writers) => {
            const row = await put(
              store,
              checkout({ id: `chk_p${id}`, merchantOrderId: `order-p${id++}` }),
            );
            // Each writer makes its changes sequentially and retries stale ones.
            await Promise.all(
              writers.map(async (changes) => {
                for (let made = 0; made < changes;) {
                  const current = await store.findCheckout(row.id);
                  if (!current) throw new Error('The checkout is gone.');
                  const result = await store.changeCheckout(
                    change(current, { set: { attentionTries: current.attentionTries + 1 } }),
                  );
                  if (result.kind === 'changed') made++;
                }
              }),
            );
            const total = writers.reduce((sum, changes) => sum + changes, 0);
            expect(await store.findCheckout(row.id)).toMatchObject({
              revision: 1 + total,
              attentionTries: total,
            });
          },
        ),
        { numRuns: 5 },
      );
    });

    test('writes a change completely or not at all', async () => {
      const { store } = await migrated();
      const first = await put(store, checkout());
      const second = await put(store, checkout({ id: 'chk_2' }));
      await store.changeCheckout(change(first, { order: 'claim', set: { status: 'confirming' } }));
      const refused = await store.changeCheckout(
        change(second, {
          order: 'claim',
          set: { status: 'confirming' },
          insertAttempt: attempt('charge', 'charge', 'chk_2'),
        }),
      );
      expect(refused).toEqual({ kind: 'order-taken' });
      expect(await store.findCheckout('chk_2')).toEqual(second);
      expect(await store.findAttempts('chk_2')).toHaveLength(1);
      const messages = await store.claimDeliveries('sandbox', START + 9_000, START + 19_000, 10);
      expect(messages.map(({ body }) => (JSON.parse(body) as { data: object }).data)).toMatchObject(
        [{ checkoutId: 'chk_1', status: 'confirming', revision: 2 }],
      );
    });

    test('a change does not reset an attention time that was claimed in between', async () => {
      const { store } = await migrated();
      const row = await put(store, checkout({ attentionAt: START }));
      expect(await store.claimAttention(row.id, START, START + 5_000)).toBe(true);
      await store.changeCheckout(change(row, { set: { status: 'cancelled' } }));
      expect(await store.findCheckout(row.id)).toMatchObject({
        status: 'cancelled',
        attentionAt: START + 5_000,
        attentionTries: 1,
      });
    });

    test('counts attempts until one is answered', async () => {
      const { store } = await migrated();
      const row = await put(store, checkout({ attentionAt: START }));
      await store.claimAttention(row.id, START, START + 1);
      await store.claimAttention(row.id, START + 1, START + 2);
      expect(await store.findCheckout(row.id)).toMatchObject({ attentionTries: 2 });
      expect(await store.claimAttention(row.id, START + 1, START + 9, true)).toBe(false);
      expect(await store.claimAttention(row.id, START + 2, START + 9, true)).toBe(true);
      expect(await store.findCheckout(row.id)).toMatchObject({
        attentionAt: START + 9,
        attentionTries: 0,
      });
    });

    test('a change based on an older attention time does not clear a newer one', async () => {
      const { store } = await migrated();
      const row = await put(store, checkout({ attentionAt: START }));
      const answered = change(row, { set: { attentionAt: undefined }, attentionSeen: START });
      await store.claimAttention(row.id, START, START + 5_000);
      expect(await store.changeCheckout(answered)).toEqual({ kind: 'stale' });
      expect(await store.findCheckout(row.id)).toMatchObject({ attentionAt: START + 5_000 });
      const seen = { ...answered, attentionSeen: START + 5_000 };
      expect(await store.changeCheckout(seen)).toMatchObject({ kind: 'changed' });
      expect((await store.findCheckout(row.id))?.attentionAt).toBeUndefined();
    });
  });

  describe('one order, one charge', () => {
    test('one of many checkouts of an order claims it, confirmed concurrently by two companions', async () => {
      const { store, place } = await migrated();
      const stores = [store, place.open()];
      const rows = [];
      for (let index = 0; index < 8; index++) {
        rows.push(await put(store, checkout({ id: `chk_${index}` })));
      }
      const results = await Promise.all(
        rows.map((row, index) =>
          (stores[index % 2] ?? store).changeCheckout(
            change(row, { order: 'claim', set: { status: 'confirming' } }),
          ),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'order-taken')).toHaveLength(7);
      expect(await store.isOrderTaken('sandbox', 'order-1')).toBe(true);
      expect(await store.isOrderTaken('production', 'order-1')).toBe(false);
    });

    test('a released order can be claimed by another checkout; the holder may claim twice', async () => {
      const { store } = await migrated();
      const first = await put(store, checkout());
      const second = await put(store, checkout({ id: 'chk_2' }));
      await store.changeCheckout(change(first, { order: 'claim' }));
      const again = await store.changeCheckout(
        change({ ...first, revision: 2 }, { order: 'claim' }),
      );
      expect(again.kind).toBe('changed');
      await store.changeCheckout(change({ ...first, revision: 3 }, { order: 'release' }));
      expect(await store.isOrderTaken('sandbox', 'order-1')).toBe(false);
      expect(await store.changeCheckout(change(second, { order: 'claim' }))).toMatchObject({
        kind: 'changed',
      });
    });

    test('two checkouts never hold an order at the same time', async () => {
      const { store, place } = await migrated();
      const stores = [store, place.open()];
      const rows = [await put(store, checkout()), await put(store, checkout({ id: 'chk_2' }))];
      let holders = 0;
      await Promise.all(
        rows.map(async (row, index) => {
          const mine = stores[index] ?? store;
          let { revision } = row;
          for (let round = 0; round < 15; round++) {
            const taken = await mine.changeCheckout(
              change({ ...row, revision }, { order: 'claim' }),
            );
            if (taken.kind !== 'changed') continue;
            expect(++holders).toBe(1);
            holders--;
            await mine.changeCheckout(
              change({ ...row, revision: revision + 1 }, { order: 'release' }),
            );
            revision += 2;
          }
        }),
      );
      expect(await store.isOrderTaken('sandbox', 'order-1')).toBe(false);
    });
  });

  test('lists due checkouts oldest first, and one companion claims each', async () => {
    const { store, place } = await migrated();
    const other = place.open();
    await put(store, checkout({ attentionAt: START + 2 }));
    await put(store, checkout({ id: 'chk_2', attentionAt: START + 1 }));
    await put(store, checkout({ id: 'chk_3', attentionAt: START + 9 }));
    await put(store, checkout({ id: 'chk_4', attentionAt: undefined }));
    expect(await store.dueCheckouts('sandbox', START + 5, 10)).toEqual(['chk_2', 'chk_1']);
    expect(await store.dueCheckouts('sandbox', START + 5, 1)).toEqual(['chk_2']);
    const claims = await Promise.all(
      [store, other, store, other].map((each) =>
        each.claimAttention('chk_2', START + 1, START + 99),
      ),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await store.dueCheckouts('sandbox', START + 5, 10)).toEqual(['chk_1']);
  });

  test('leases a message to one companion and keeps it until delivered', async () => {
    const { store, place } = await migrated();
    const other = place.open();
    const row = await put(store, checkout());
    for (let revision = 1; revision <= 10; revision++) {
      const status = revision % 2 === 0 ? 'open' : 'confirming';
      await store.changeCheckout(change({ ...row, revision }, { now: START, set: { status } }));
    }
    const both = await Promise.all(
      [store, other, store].map((each) =>
        each.claimDeliveries('sandbox', START, START + 30_000, 50),
      ),
    );
    const ids = both.flat().map(({ id }) => id);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
    expect(await store.claimDeliveries('sandbox', START + 29_999, START + 60_000, 50)).toEqual([]);

    const [first = '', second = '', ...rest] = ids;
    await store.finishDelivery(first, 1, { kind: 'delivered' }, START);
    await store.finishDelivery(second, 1, { kind: 'dead', reason: 'status 500' }, START);
    const again = await store.claimDeliveries('sandbox', START + 30_000, START + 60_000, 50);
    expect(again.map(({ id }) => id).sort()).toEqual(rest.sort());
    expect(new Set(again.map(({ tries }) => tries))).toEqual(new Set([2]));
    const retried = again[0]?.id ?? '';
    await store.finishDelivery(
      retried,
      2,
      { kind: 'retry', at: START + 40_000, reason: 'timeout' },
      START,
    );
    expect(
      await store.claimDeliveries('sandbox', START + 40_000, START + 70_000, 50),
    ).toMatchObject([{ id: retried, tries: 3, createdAt: START }]);
  });

  test('a late outcome of an attempt does not undo a replay', async () => {
    const { store } = await migrated();
    const row = await put(store, checkout());
    await store.changeCheckout(change(row, { now: START, set: { status: 'confirming' } }));
    const [message] = await store.claimDeliveries('sandbox', START, START + 30_000, 50);
    const id = message?.id ?? '';
    expect(await store.replayDelivery('sandbox', id, START + 1)).toBe(true);
    await store.finishDelivery(id, 1, { kind: 'dead', reason: 'timeout' }, START + 2);
    const again = await store.claimDeliveries('sandbox', START + 2, START + 30_000, 50);
    expect(again).toMatchObject([{ id, tries: 1 }]);
  });

  test('reads the currencies of more orders than one statement can hold', async () => {
    const { store } = await migrated();
    const row = await put(store, checkout({ amount: { value: 5, currency: 'EUR' } }));
    const ids = Array.from({ length: 1_200 }, (_, index) => `order-${index}`);
    const found = new Map([['order-1', 'EUR']]);
    expect(await store.currenciesOfOrders('sandbox', ids)).toEqual(found);
    // The same order number in another environment is another order.
    expect(await store.currenciesOfOrders('production', ids)).toEqual(new Map());
    const entry = (merchantOrderId: string, currency: string): NewLedgerEntry => ({
      environment: 'sandbox',
      merchantOrderId,
      chargeId: 'charge-1',
      type: 'Settle',
      amount: { value: 5, currency },
      merchantTransactionId: `txn-${merchantOrderId}-${currency}`,
      transactionId: undefined,
      state: 'accepted',
      occurredAt: START,
    });
    const ledger = [entry('order-1', 'JPY'), entry('order-2', 'JPY'), entry('order-2', 'USD')];
    await store.changeCheckout(change(row, { now: START, set: { status: 'confirming' }, ledger }));
    // The ledger takes precedence; an order with two currencies has none.
    const currencies = new Map([['order-1', 'JPY']]);
    expect(await store.currenciesOfOrders('sandbox', ids)).toEqual(currencies);
  });

  test('removes old records that have ended and keeps all others', async () => {
    const { store } = await migrated();
    const row = await put(store, checkout());
    await store.changeCheckout(
      change(row, {
        now: START,
        set: { status: 'confirming' },
        insertAttempt: attempt('charge', 'charge', row.id),
      }),
    );
    await store.changeCheckout(
      change({ ...row, revision: 2 }, { now: START, set: { status: 'open' } }),
    );
    const [delivered, dead] = await store.claimDeliveries('sandbox', START, START + 1, 10);
    await store.finishDelivery(delivered?.id ?? '', 1, { kind: 'delivered' }, START);
    await store.finishDelivery(dead?.id ?? '', 1, { kind: 'dead', reason: 'status 500' }, START);

    const all = {
      keys: START + 40_000,
      refusals: START + 1,
      linkMessages: START + 1,
      messages: START + 1,
      checkouts: START + 1,
      attempts: START + 1,
    };
    const none = {
      keys: START,
      refusals: START,
      linkMessages: START,
      messages: START,
      checkouts: START,
      attempts: START,
    };
    expect(await store.prune(none, 10)).toBe(0);
    expect(await store.prune(all, 10)).toBe(3);
    expect(await store.prune(all, 10)).toBe(0);
    expect(await store.findIdempotency(row.id)).toBeUndefined();
    // A charge that may exist can still be looked up, and so can its checkout.
    expect(await store.findAttempts(row.id)).toMatchObject([{ id: 'charge', state: 'recorded' }]);
    expect(await store.findCheckout(row.id)).toBeDefined();
    expect(await store.replayDelivery('uat', dead?.id ?? '', START)).toBe(false);
    expect(await store.replayDelivery('sandbox', dead?.id ?? '', START)).toBe(true);
    expect(await store.replayDelivery('sandbox', delivered?.id ?? '', START)).toBe(false);
  });

  test('removes old checkouts without a confirmation and keeps confirmed ones', async () => {
    const { store } = await migrated();
    const nothing = ['expired', 'cancelled', 'declined'] as const;
    const ended = { attentionAt: undefined, updatedAt: START };
    const rows: CheckoutRow[] = nothing.map((status) =>
      checkout({ ...ended, id: `chk_${status}`, status }),
    );
    const kept: CheckoutRow[] = [
      checkout({ ...ended, id: 'chk_open', status: 'open' }),
      checkout({ ...ended, id: 'chk_looked_at', status: 'expired', attentionAt: START + 1 }),
      checkout({ ...ended, id: 'chk_failed', status: 'failed', confirmationHash: 'hash' }),
      checkout({ ...ended, id: 'chk_confirmed', status: 'cancelled', confirmationHash: 'hash' }),
      checkout({ ...ended, id: 'chk_recent', status: 'expired', updatedAt: START + 1 }),
    ];
    for (const row of [...rows, ...kept]) await put(store, row);
    // Its webhook is not delivered yet.
    const untold = await put(store, checkout({ id: 'chk_untold', attentionAt: undefined }));
    kept.push(untold);
    await store.changeCheckout(change(untold, { now: START, set: { status: 'expired' } }));
    const before = { keys: 0, refusals: 0, linkMessages: 0, messages: 0, attempts: 0 };
    expect(await store.prune({ ...before, checkouts: START }, 10)).toBe(0);
    expect(await store.prune({ ...before, checkouts: START + 1 }, 2)).toBe(2);
    expect(await store.prune({ ...before, checkouts: START + 1 }, 10)).toBe(1);
    for (const { id } of rows) expect(await store.findCheckout(id)).toBeUndefined();
    for (const { id } of kept) expect(await store.findCheckout(id)).toBeDefined();
  });

  describe('migrations', () => {
    test('several companions that start concurrently migrate one store once', async () => {
      const place = await kind.unmade();
      const stores = [place.open(), place.open(), place.open(), place.open()];
      const applied = await Promise.all(stores.map((store) => store.migrate()));
      expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
      const [store] = stores;
      expect(await store?.version()).toMatchObject({ pending: [], unknown: [] });
      expect(await store?.migrate()).toEqual([]);
    });

    test('lists the pending migrations of an empty store without changing it', async () => {
      const store = (await kind.unmade()).open();
      const before = await store.version();
      expect(before).toMatchObject({ applied: [], unknown: [] });
      expect(before.pending).toEqual(Object.keys(migrations));
      expect(await store.version()).toEqual(before);
    });

    test.each([
      ['of 0.2.0', ['0001-baseline']],
      ['before the baseline', ['0001-baseline', '0007-lock-rows', '0008-lost-records']],
    ])('refuses a store with the migrations %s and leaves it unchanged', async (_, names) => {
      const place = await kind.unmade();
      const db = new Kysely<unknown>({ dialect: place.dialect() });
      const up = () => Promise.resolve();
      const earlier = Object.fromEntries(names.map((name) => [name, { up }]));
      const provider = { getMigrations: () => Promise.resolve(earlier) };
      await new Migrator({ db, provider }).migrateToLatest();
      await db.destroy();
      const store = place.open();
      await expect(store.migrate()).rejects.toThrow(
        'The store was written by a version of the companion before 0.3.0, which this version does not read: name a new, empty store in COMPANION_STORE.',
      );
      expect((await store.version()).applied).toEqual(names);
    });

    test('refuses a store of a newer version, names its migration and leaves it unchanged', async () => {
      const place = await kind.unmade();
      const store = place.open();
      await store.migrate();
      const db = new Kysely<unknown>({ dialect: place.dialect() });
      await sql`insert into kysely_migration (name, timestamp)
        values ('9999-of-tomorrow', '2030-01-01T00:00:00.000Z')`.execute(db);
      await db.destroy();
      await expect(store.migrate()).rejects.toThrow(
        'The store was migrated by a newer version of the companion (9999-of-tomorrow)',
      );
      expect((await store.version()).unknown).toEqual(['9999-of-tomorrow']);
    });
  });
});
