import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { EndChargeOperation, NewChargeOperation } from './charge-operations.ts';
import { closeSharedStores, databaseKinds } from './databases.fixture.ts';
import type { NewLedgerEntry } from './ledger.ts';
import type { Store } from './store.ts';

const START = Date.UTC(2026, 10, 20, 12);

const operation = (id: string, change: Partial<NewChargeOperation> = {}): NewChargeOperation => ({
  id,
  environment: 'sandbox',
  chargeId: 'charge-1',
  merchantOrderId: 'order-1',
  kind: 'refund',
  amount: { value: 500, currency: 'USD' },
  merchantTransactionId: `txn-${id}`,
  key: `key-${id}`,
  fingerprint: 'f',
  progressBefore: 0,
  ...change,
});

const entry = (id: string): NewLedgerEntry => ({
  environment: 'sandbox',
  merchantOrderId: 'order-1',
  chargeId: 'charge-1',
  type: 'Refund',
  amount: { value: 99_999_999_999_999, currency: 'USD' },
  merchantTransactionId: `txn-${id}`,
  transactionId: undefined,
  state: 'accepted',
  occurredAt: START,
});

afterAll(closeSharedStores);

/** Returns the two companions in turn. */
const either = ([first, second]: [Store, Store], index: number) =>
  index % 2 === 0 ? first : second;

describe.each(databaseKinds)('$name', ({ migrated }) => {
  /** Opens two companions on one store. */
  async function open(): Promise<[Store, Store]> {
    const place = await migrated();
    return [place.open(), place.open()];
  }

  describe('operations on a charge', () => {
    test('starts one of many concurrent operations and rolls back the others', async () => {
      const stores = await open();
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          either(stores, index).beginChargeOperation(operation(`${index}`), 0, START, START + 9),
        ),
      );
      expect(results.filter((result) => result === 'begun')).toHaveLength(1);
      expect(results.filter((result) => result === 'stale')).toHaveLength(7);
      expect(await stores[0].findChargeOperations('sandbox', 'charge-1')).toHaveLength(1);
      expect(await stores[1].chargeTurn('sandbox', 'charge-1')).toEqual({
        revision: 1,
        busy: true,
      });
      expect(await stores[1].chargeTurn('uat', 'charge-1')).toEqual({ revision: 0, busy: false });
    });

    test('finds an operation by its request id and by its own id', async () => {
      const [store] = await open();
      const asked = operation('opr_1', { requestId: 'req_1', amount: undefined, kind: 'void' });
      await store.beginChargeOperation(asked, 0, START, START + 9);
      for (const id of ['req_1', 'opr_1']) {
        const trace = await store.trace(id);
        expect(trace.operations).toMatchObject([
          { id: 'opr_1', kind: 'void', requestId: 'req_1', state: 'recorded' },
        ]);
        expect(trace.checkout).toBeUndefined();
      }
      expect((await store.trace('req_2')).operations).toEqual([]);
    });

    test('one key is one operation across all charges', async () => {
      const [store] = await open();
      await store.beginChargeOperation(operation('1'), 0, START, START + 9);
      const other = operation('2', { key: 'key-1', chargeId: 'charge-2' });
      expect(await store.beginChargeOperation(other, 0, START, START + 9)).toBe('key-taken');
      expect((await store.chargeTurn('sandbox', 'charge-2')).busy).toBe(false);
    });

    test('ending an operation releases the charge and writes its ledger entry once', async () => {
      const stores = await open();
      const [store] = stores;
      await store.beginChargeOperation(operation('1'), 0, START, START + 9);
      const ended = await Promise.all(
        stores.map((each) =>
          each.endChargeOperation({
            id: '1',
            sentAt: START,
            now: START + 1,
            state: 'accepted',
            transactionId: 'transaction-1',
            ledger: [entry('1')],
          }),
        ),
      );
      expect(ended.sort()).toEqual([false, true]);
      expect(await store.chargeTurn('sandbox', 'charge-1')).toEqual({ revision: 1, busy: false });
      const query = { environment: 'sandbox', after: 0, limit: 10 } as const;
      expect(await store.ledgerEntries(query)).toEqual([{ id: 1, ...entry('1') }]);
      expect(await store.findChargeOperation('key-1')).toMatchObject({
        state: 'accepted',
        transactionId: 'transaction-1',
        amount: { value: 500, currency: 'USD' },
      });
    });

    test('an unknown operation blocks the charge until it is resolved', async () => {
      const [store] = await open();
      await store.beginChargeOperation(operation('1'), 0, START, START + 9);
      const unknown = { id: '1', sentAt: START, now: START, state: 'unknown', ledger: [] } as const;
      expect(await store.endChargeOperation({ ...unknown, attentionAt: START + 5 })).toBe(true);
      expect(await store.endChargeOperation(unknown)).toBe(false);
      expect((await store.chargeTurn('sandbox', 'charge-1')).busy).toBe(true);
      expect(await store.dueChargeOperations('sandbox', START + 4, 10)).toEqual([]);
      expect(await store.dueChargeOperations('sandbox', START + 5, 10)).toMatchObject([
        { id: '1' },
      ]);
      const claims = [START + 9, START + 9].map((until) =>
        store.claimChargeOperation('1', START + 5, until),
      );
      expect((await Promise.all(claims)).sort()).toEqual([false, true]);
      const at = START + 9;
      expect(await store.dueChargeOperations('sandbox', at, 10)).toMatchObject([
        { attentionTries: 1 },
      ]);
      expect(await store.claimChargeOperation('1', at, at + 1, true)).toBe(true);
      expect(await store.dueChargeOperations('sandbox', at + 1, 10)).toMatchObject([
        { attentionTries: 0 },
      ]);
    });

    test('an operation proved not sent restarts under its key and transaction id', async () => {
      const [store] = await open();
      await store.beginChargeOperation(operation('1'), 0, START, START + 9);
      await store.endChargeOperation({
        id: '1',
        sentAt: START,
        now: START,
        state: 'not-sent',
        ledger: [],
      });
      const stranger = operation('2', { key: 'key-1' });
      expect(await store.beginChargeOperation(stranger, 1, START, START + 9)).toBe('key-taken');
      const again = operation('1', { merchantTransactionId: 'txn-other' });
      expect(await store.beginChargeOperation(again, 1, START + 1, START + 9)).toBe('begun');
      expect(await store.findChargeOperation('key-1')).toMatchObject({
        state: 'recorded',
        merchantTransactionId: 'txn-1',
        createdAt: START,
        sentAt: START + 1,
      });
      // A late outcome of the first request says nothing about the second.
      const late = {
        id: '1',
        sentAt: START,
        now: START + 2,
        state: 'not-sent',
        ledger: [],
      } as const;
      expect(await store.endChargeOperation(late)).toBe(false);
      expect((await store.chargeTurn('sandbox', 'charge-1')).busy).toBe(true);
      expect(await store.endChargeOperation({ ...late, sentAt: START + 1 })).toBe(true);
    });
  });

  describe('operations that await manual resolution', () => {
    async function withUnknown(ids: string[]): Promise<[Store, Store]> {
      const stores = await open();
      for (const [index, id] of ids.entries()) {
        const one = operation(id, { chargeId: `charge-${id}` });
        await stores[0].beginChargeOperation(one, 0, START + index, START + 9);
        const end = {
          id,
          sentAt: START + index,
          now: START,
          state: 'unknown',
          attentionAt: START + 5,
        } as const;
        await stores[0].endChargeOperation({ ...end, reason: 'timeout', ledger: [] });
      }
      return stores;
    }
    const query = { environment: 'sandbox', sentBy: START + 1, limit: 9 } as const;
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

    test('are unknown, old enough and of this environment, page by page', async () => {
      const [store] = await withUnknown(['a', 'b', 'c']);
      expect(ids(await store.unclearOperations(query))).toEqual(['a', 'b']);
      expect(ids(await store.unclearOperations({ ...query, limit: 1 }))).toEqual(['a']);
      expect(ids(await store.unclearOperations({ ...query, after: 'a' }))).toEqual(['b']);
      expect(await store.unclearOperations({ ...query, environment: 'uat' })).toEqual([]);
      const [first] = await store.unclearOperations(query);
      const created = first?.createdAt ?? expect.fail();
      const within = async (from: number, to: number) =>
        ids(await store.unclearOperations({ ...query, from, to }));
      expect(await within(created, created + 1)).toContain('a');
      expect(await within(created - 9, created)).not.toContain('a');
      expect((await store.findOperationById('sandbox', 'b'))?.key).toBe('key-b');
      expect(await store.findOperationById('uat', 'b')).toBeUndefined();
      const recorded = operation('0', { chargeId: 'charge-0' });
      await store.beginChargeOperation(recorded, 0, START, START + 9);
      expect(ids(await store.unclearOperations(query))).toEqual(['a', 'b']);
    });

    test('keep the reason why they are unknown, and an ended operation does not change', async () => {
      const [store] = await withUnknown(['a']);
      await store.markUnclear('a', 'charge-moved', START + 1);
      expect(await store.findOperationById('sandbox', 'a')).toMatchObject({
        state: 'unknown',
        reason: 'charge-moved',
        attentionAt: START + 5,
      });
      await store.endChargeOperation({
        id: 'a',
        sentAt: START,
        now: START,
        state: 'accepted',
        ledger: [],
      });
      await store.markUnclear('a', 'charge-moved', START + 2);
      expect((await store.findOperationById('sandbox', 'a'))?.reason).toBeUndefined();
    });

    test('ends a pending operation once and does not look up a manually resolved one', async () => {
      const stores = await withUnknown(['a', 'b']);
      const [store] = stores;
      const accepted = { sentAt: START, now: START, state: 'accepted', ledger: [] } as const;
      const pending = { ...accepted, reason: 'pending', attentionAt: START + 5 };
      expect(await store.endChargeOperation({ ...pending, id: 'a' })).toBe(true);
      expect(
        (await store.dueChargeOperations('sandbox', START + 5, 9)).map(({ id }) => id),
      ).toContain('a');
      const failed: EndChargeOperation = {
        id: 'a',
        sentAt: START,
        now: START + 6,
        state: 'rejected',
        follows: true,
        reason: 'transaction-failed',
        ledger: [{ ...entry('a'), state: 'absent' }],
      };
      // Two companions that saw it fail, and a second request.
      expect(await store.endChargeOperation({ ...failed, sentAt: START + 1 })).toBe(false);
      const ended = await Promise.all(stores.map((each) => each.endChargeOperation(failed)));
      expect(ended.filter(Boolean)).toHaveLength(1);
      expect(await store.findOperationById('sandbox', 'a')).toMatchObject({
        state: 'rejected',
        reason: 'transaction-failed',
        attentionAt: undefined,
      });
      const page = { environment: 'sandbox', after: 0, limit: 10 } as const;
      expect(await store.ledgerEntries(page)).toMatchObject([{ state: 'absent' }]);
      const resolution = { by: 'Ines', note: 'seen at the service' };
      await store.endChargeOperation({ ...accepted, id: 'b', resolution });
      expect(await store.endChargeOperation({ ...failed, id: 'b' })).toBe(false);
    });

    test('a concurrent resolution and lookup end an operation once with one ledger entry', async () => {
      const stores = await withUnknown(['a']);
      const resolution = { by: 'Ines', note: 'seen at the service' };
      const ended = await Promise.all([
        stores[0].endChargeOperation({
          id: 'a',
          sentAt: START,
          now: START + 1,
          state: 'rejected',
          resolution,
          ledger: [{ ...entry('a'), state: 'absent' }],
        }),
        stores[1].endChargeOperation({
          id: 'a',
          sentAt: START,
          now: START + 1,
          state: 'accepted',
          ledger: [entry('a')],
        }),
      ]);
      expect([...ended].sort()).toEqual([false, true]);
      const [said] = ended;
      const page = { environment: 'sandbox', after: 0, limit: 10 } as const;
      expect(await stores[0].ledgerEntries(page)).toMatchObject([
        { state: said ? 'absent' : 'accepted' },
      ]);
      expect((await stores[0].findOperationById('sandbox', 'a'))?.resolution).toEqual(
        said ? resolution : undefined,
      );
      expect((await stores[0].chargeTurn('sandbox', 'charge-a')).busy).toBe(false);
      expect(await stores[0].unclearOperations(query)).toEqual([]);
    });
  });

  test('paging by id during concurrent writes misses no ledger entry', async () => {
    const stores = await open();
    const count = 30;
    const read: number[] = [];
    const under = { way: true };
    const write = async (index: number) => {
      const store = either(stores, index);
      const id = `${index}`;
      const one = operation(id, { chargeId: `charge-${id}` });
      await store.beginChargeOperation(one, 0, START, START + 9);
      await store.endChargeOperation({
        id,
        sentAt: START,
        now: START,
        state: 'accepted',
        ledger: [entry(id)],
      });
    };
    const readOn = async () => {
      const page = { environment: 'sandbox', after: read.at(-1) ?? 0, limit: 5 } as const;
      const entries = await stores[0].ledgerEntries(page);
      read.push(...entries.map(({ id }) => id));
      return entries.length;
    };
    const reader = (async () => {
      while (under.way) {
        await readOn();
        // SQLite responds synchronously, so this yields to the writers.
        await setImmediate();
      }
      while ((await readOn()) > 0);
    })();
    await Promise.all(Array.from({ length: count }, (_, index) => write(index)));
    under.way = false;
    await reader;
    expect(read).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  test('stores a notification once, leases it to one companion, and deletes it when handled', async () => {
    const stores = await open();
    const notification = {
      id: 'n-1',
      environment: 'sandbox',
      event: 'application.checkout-confirmed',
      applicationId: 'application-1',
      confirmationToken: 'token',
      receivedAt: START,
      dueAt: START + 10,
    } as const;
    const kept = await Promise.all(stores.map((store) => store.putNotification(notification)));
    expect(kept.sort()).toEqual([false, true]);
    expect(await stores[0].claimNotifications('sandbox', START + 9, START + 99, 10)).toEqual([]);
    expect(await stores[0].claimNotifications('uat', START + 10, START + 99, 10)).toEqual([]);
    const claims = stores.map((store) =>
      store.claimNotifications('sandbox', START + 10, START + 99, 10),
    );
    const taken = (await Promise.all(claims)).flat();
    expect(taken).toMatchObject([{ id: 'n-1', confirmationToken: 'token', tries: 1 }]);
    await stores[0].finishNotification('n-1', { outcome: 'approved' }, START + 11);
    expect(await stores[0].claimNotifications('sandbox', START + 999, START + 9_999, 10)).toEqual(
      [],
    );
    await stores[0].pruneNotifications(START + 11);
    expect(await stores[0].putNotification(notification)).toBe(false);
    await stores[0].pruneNotifications(START + 12);
    expect(await stores[0].putNotification(notification)).toBe(true);
  });

  test('one of many requests claims a ticket and can claim it again', async () => {
    const stores = await open();
    const keys = Array.from({ length: 8 }, (_, index) => `key-${index}`);
    const claims = keys.map((key, index) => either(stores, index).claimTicket('jti-1', key, START));
    const taken = await Promise.all(claims);
    expect(taken.filter((one) => one)).toHaveLength(1);
    const holder = keys[taken.indexOf(true)] ?? '';
    expect(await stores[0].claimTicket('jti-1', holder, START)).toBe(true);
    expect(await stores[0].claimTicket('jti-1', 'another', START + 29_999)).toBe(false);
    // Its first owner never sent a request.
    expect(await stores[0].claimTicket('jti-1', 'another', START + 30_000)).toBe(true);
  });
});
