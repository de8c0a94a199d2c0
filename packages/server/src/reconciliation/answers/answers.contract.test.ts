import { describe, expect, test } from 'vitest';
import { START } from '../../companion.fixture.ts';
import { exceptionRow, places } from '../places.fixture.ts';
import { booksOf, DAY_MS } from '../reconciled.fixture.ts';
import { countExceptions } from './counts.ts';
import type { OrderQuery } from './store.ts';

const environment = 'sandbox';

describe.each(places)('answers on %s', (_, open) => {
  async function setUp() {
    const place = await open();
    const books = booksOf(place.db);
    await books.put({ order: 'A' });
    await books.put({ order: 'B', fundings: [{ transactionAmount: 8_500 }] });
    await books.put({
      order: 'B',
      currency: 'CAD',
      ledger: [{ id: 'B-CAD' }],
      fundings: [{ lenderName: 'Harbor Bank' }],
    });
    await books.put({ order: 'C', fundings: [] });
    await books.put({ order: undefined, fundings: [{ status: 'MISSING' }] });
    const orders = async (query: Partial<OrderQuery> = {}) => {
      const found = await place.store.orderStatuses({ environment, limit: 100, ...query });
      return found.rows.map(({ orderKey, currency }) => `${orderKey} ${currency}`);
    };
    return { ...place, ...books, orders };
  }
  const all = ['funding:nameless USD', 'order:A USD', 'order:B CAD', 'order:B USD', 'order:C USD'];

  test('orders come in the order of their places, of one environment', async () => {
    const { orders } = await setUp();
    expect(await orders()).toEqual(all);
    expect(await orders({ environment: 'uat' })).toEqual([]);
  });

  test.each([1, 2, 3])('pages of %i hold each once', async (limit) => {
    const { store } = await setUp();
    const seen: string[] = [];
    let after: OrderQuery['after'];
    do {
      const page = await store.orderStatuses({ environment, after, limit });
      seen.push(...page.rows.map(({ orderKey, currency }) => `${orderKey} ${currency}`));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(all);
  });

  test.each<[Partial<OrderQuery>, string[]]>([
    [{ headline: 'FUNDED' }, ['order:A USD', 'order:B CAD']],
    [{ headline: 'AMOUNT_MISMATCH' }, ['order:B USD']],
    [{ exception: 'MISSING_AT_LENDER' }, ['order:C USD']],
    [{ exception: 'MISSING_AT_LENDER', currency: 'CAD' }, []],
    [{ currency: 'CAD' }, ['order:B CAD']],
    [{ lenders: ['Harbor Bank', 'Nobody'] }, ['order:B CAD']],
    [{ orderKeys: ['order:B', 'order:Z'] }, ['order:B CAD', 'order:B USD']],
    [{ from: START - 9 * DAY_MS, to: START }, all.slice(0, 4)],
    [{ to: START - 10 * DAY_MS }, []],
  ])('%j', async (query, expected) => {
    const { orders } = await setUp();
    expect(await orders(query)).toEqual(expected);
  });

  test('a status comes back as it was written', async () => {
    const { store } = await setUp();
    const { rows } = await store.orderStatuses({ environment, orderKeys: ['order:B'], limit: 9 });
    expect(rows[1]).toEqual({
      orderKey: 'order:B',
      currency: 'USD',
      merchantOrderId: 'B',
      headline: 'AMOUNT_MISMATCH',
      funding: 'PARTIALLY_FUNDED',
      returns: 'NONE',
      expected: { settle: 10_000, refund: 0 },
      funded: { settle: 8_500, refund: 0, chargeback: 0, reversal: 0 },
      discount: 247,
      net: 8_253,
      awaiting: 0,
      recheckAt: undefined,
      computedAt: START,
      changedAt: START,
    });
  });

  test('exceptions are listed with their cases, counted, and paged', async () => {
    const { db, store } = await setUp();
    await db
      .insertInto('cases')
      .values({
        ...exceptionRow({ order_key: 'order:C', code: 'MISSING_AT_LENDER' }),
        id: 'case_1',
        state: 'ignored',
        opened_at: START,
        updated_at: START,
      })
      .execute();
    const first = await store.listExceptions({ environment, limit: 2 });
    const last = first.at(-1);
    const rest = await store.listExceptions({ environment, after: last, limit: 100 });
    const codes = [...first, ...rest].map(({ code, orderKey }) => `${orderKey} ${code}`);
    expect(codes).toEqual([...codes].sort());
    expect(new Set(codes).size).toBe(codes.length);
    expect([...first, ...rest].find(({ orderKey }) => orderKey === 'order:C')?.case).toEqual({
      id: 'case_1',
      state: 'ignored',
    });
    const counts = await countExceptions(store, environment);
    expect(counts.find(({ code }) => code === 'MISSING_AT_LENDER')).toEqual({
      code: 'MISSING_AT_LENDER',
      currency: 'USD',
      open: 0,
      count: 1,
      amount: 10_000,
    });
    expect(counts.find(({ code }) => code === 'AMOUNT_MISMATCH')).toMatchObject({
      open: 1,
      amount: 1_500,
    });
  });

  test('lines come with their order and currency, and with no other', async () => {
    const { store } = await setUp();
    const lines = await store.linesOfOrders(environment, ['order:A', 'order:B']);
    expect(
      lines.map(({ orderKey, currency, ledger, fundings }) => [
        `${orderKey} ${currency}`,
        ledger.length,
        fundings.length,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['order:A USD', 1, 1],
        ['order:B CAD', 1, 1],
        ['order:B USD', 1, 1],
      ]),
    );
    expect(lines).toHaveLength(3);
  });

  test('what is open is found by its amount, and what is not, by none', async () => {
    const { store } = await setUp();
    const open = async (least: number, most: number, currency = 'USD') => {
      const query = { environment, currency, least, most, near: START, limit: 9 };
      return (await store.openOrders(query)).map(({ orderKey }) => orderKey);
    };
    expect(await open(10_000, 10_000)).toEqual(['order:C']);
    expect(await open(1_500, 1_500)).toEqual(['order:B']);
    expect(await open(-10_000, -10_000)).toEqual(['funding:nameless']);
    expect(await open(-1, 1)).toEqual([]);
    expect(await open(10_000, 10_000, 'CAD')).toEqual([]);
  });

  test('of many that have as much open, the nearest in time come first', async () => {
    const { put, store } = await setUp();
    const first = START - 10 * DAY_MS;
    for (const days of [40, 3, 20]) {
      const line = { id: `C-${days}`, occurredAt: first + days * DAY_MS };
      await put({ order: `C-${days}`, ledger: [line], fundings: [] });
    }
    const nearest = async (near: number) => {
      const query = { environment, currency: 'USD', least: 10_000, most: 10_000, near, limit: 2 };
      return (await store.openOrders(query)).map(({ orderKey }) => orderKey);
    };
    expect(await nearest(first)).toEqual(['order:C', 'order:C-3']);
    expect(await nearest(first + 41 * DAY_MS)).toEqual(['order:C-40', 'order:C-20']);
  });

  test('there is something to do when a line, the hour or the ledger says so', async () => {
    const { db, store } = await setUp();
    const isDue = (now = START) => store.isReconciliationDue(environment, now);
    expect(await isDue()).toBe(false);
    await db
      .updateTable('order_statuses')
      .set({ recheck_at: START + 5 })
      .execute();
    expect([await isDue(START + 4), await isDue(START + 5)]).toEqual([false, true]);
    await db
      .insertInto('dirty_orders')
      .values({ environment, order_key: 'order:A', generation: 1 })
      .execute();
    expect(await isDue()).toBe(true);
    expect(await store.isReconciliationDue('uat', START)).toBe(false);
    await db.updateTable('ledger_head').set({ last_id: 1 }).execute();
    expect(await store.isReconciliationDue('uat', START)).toBe(true);
  });

  test('exceptions whose sum cannot be exact are counted, and not summed', async () => {
    const { db, store } = await setUp();
    const books = booksOf(db);
    const before = await countExceptions(store, environment);
    for (const order of ['X', 'Y', 'Z']) {
      const ledger = [{ amount: Number.MAX_SAFE_INTEGER }];
      await books.put({ order, currency: 'EUR', ledger, fundings: [] });
    }
    const counts = await countExceptions(store, environment);
    expect(counts).toHaveLength(before.length + 1);
    expect(counts.find(({ currency }) => currency === 'EUR')).toMatchObject({
      ...{ code: 'MISSING_AT_LENDER', open: 3, count: 3, amount: null },
    });
  });

  test('each day since the oldest line must be proved', async () => {
    const { db, store, ...books } = await setUp();
    const proof = () => store.proof(environment, START);
    expect(await proof()).toEqual({ complete: false, unprovenDays: 11 });
    await books.prove(11);
    expect(await proof()).toEqual({ complete: true, unprovenDays: 0 });
    await db
      .updateTable('funding_slices')
      .set({ state: 'stale' })
      .where('day', '=', '2026-11-15')
      .execute();
    expect(await proof()).toEqual({ complete: false, unprovenDays: 1 });
    expect(await store.proof('uat', START)).toEqual({ complete: false, unprovenDays: 0 });
  });

  test('where the zone was changed, and not every day is read again, hours may be in no day', async () => {
    const { db, store, ...books } = await setUp();
    await books.prove(11);
    await db
      .updateTable('funding_slices')
      .set({ zone: 'America/New_York' })
      .where('day', '>=', '2026-11-15')
      .execute();
    const proof = await store.proof(environment, START);
    expect(proof).toEqual({ complete: false, unprovenDays: 1 });
  });

  test.each([
    // Read at noon; what was due that day is late when it has ended, and may have been paid since.
    ['UTC', '2026-11-19T12:00Z', '2026-11-19T23:59Z', 0],
    ['UTC', '2026-11-19T12:00Z', '2026-11-20T00:01Z', 1],
    ['UTC', '2026-11-20T00:00Z', '2026-11-20T00:01Z', 0],
    // Days in New York end five hours after those on which lines become late.
    ['America/New_York', '2026-11-19T12:00Z', '2026-11-19T23:59Z', 0],
    ['America/New_York', '2026-11-19T12:00Z', '2026-11-20T00:01Z', 1],
    ['America/New_York', '2026-11-20T00:00Z', '2026-11-20T04:00Z', 0],
    ['America/New_York', '2026-11-20T00:00Z', '2026-11-20T06:00Z', 0],
  ])(
    'days of %s that were all read at %s: at %s %i is not proved',
    async (zone, read, now, most) => {
      const { store, db } = await open();
      const syncedAt = Date.parse(read);
      await booksOf(db).prove(3);
      await db.updateTable('funding_slices').set({ zone, synced_at: syncedAt }).execute();
      const { unprovenDays } = await store.proof(environment, Date.parse(now));
      expect(unprovenDays).toBe(most);
    },
  );
});
