import { orderExplanationSchema } from '@financing-checkout/contract';
import type { LedgerState, LedgerType } from '@financing-checkout/contract';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { START } from '../../companion.fixture.ts';
import { appendToLedger } from '../../store/ledger.ts';
import { chainEvents } from '../../reconciliation/cases/trail.ts';
import { DAY_MS, reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';
import { get, iso, names, orders, withOrders } from './reconciliation.fixture.ts';

describe('GET /reconciliation/orders', () => {
  test('gives each order its status, its exceptions and its sums', async () => {
    const companion = await withOrders();
    const { orders: all, next } = await orders(companion);
    expect(next).toBeUndefined();
    const headlines = all.map(({ headline, merchantOrderId }) => [merchantOrderId, headline]);
    expect(headlines).toEqual([
      [undefined, 'MISSING_IN_SERVICE'],
      ['A-funded', 'FUNDED'],
      ['B-short', 'AMOUNT_MISMATCH'],
      ['C-missing', 'MISSING_AT_LENDER'],
      ['D-awaiting', 'AWAITING_FUNDING'],
      ['E-yen', 'FUNDED'],
      ['F-charged-back', 'CHARGEBACK_OPEN'],
    ]);
    expect(all[2]).toMatchObject({
      orderKey: 'order:B-short',
      expected: { settle: 10_000, refund: 0 },
      funded: { settle: 8_500 },
      exceptions: [{ code: 'AMOUNT_MISMATCH', amount: -1_500, count: 1 }],
    });
  });

  test.each([
    ['headline=FUNDED', ['A-funded', 'E-yen']],
    ['headline=AMOUNT_MISMATCH', ['B-short']],
    ['exception=CHARGEBACK_OPEN', ['F-charged-back']],
    ['exception=MISSING_AT_LENDER&currency=JPY', []],
    ['currency=JPY', ['E-yen']],
    ['lender=Harbor%20Bank', ['E-yen']],
    ['lender=Nobody', []],
    [`from=${iso(START - 3 * DAY_MS)}`, ['D-awaiting', 'E-yen']],
    [`from=${iso(START - 3 * DAY_MS)}&to=${iso(START - 2 * DAY_MS)}`, []],
    ['merchantOrderId=A-funded', ['A-funded']],
    ['merchantOrderId=E-yen&merchantOrderId=A-funded&merchantOrderId=Z', ['A-funded', 'E-yen']],
  ])('?%s', async (query, expected) => {
    expect(names(await orders(await withOrders(), `?${query}`))).toEqual(expected);
  });

  test.each([
    'headline=GOOD',
    'currency=usd',
    'from=yesterday',
    'limit=0',
    'limit=1001',
    'after=x',
    'after=WzFd',
    'lender=a&lender=b',
    'colour=red',
  ])('?%s is refused, with the field named', async (query) => {
    const { status, body } = await (
      await reconciledCompanion()
    ).office(`/reconciliation/orders?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid-request']);
    expect(body.errors).toHaveLength(1);
  });

  test('pages hold each order once, though orders come in before, between and behind', async () => {
    const companion = await reconciledCompanion();
    for (let index = 10; index < 20; index++) await companion.put({ order: `o-${index}` });
    const seen: (string | undefined)[] = [];
    let query = '?limit=3';
    for (let page = 0; ; page++) {
      const answer = await orders(companion, query);
      seen.push(...names(answer));
      if (answer.next === undefined) break;
      query = `?limit=3&after=${answer.next}`;
      await companion.put({ order: `o-${10 + page}-new` });
      await companion.put({ order: `n-${page}` });
    }
    expect(new Set(seen).size).toBe(seen.length);
    const old = Array.from({ length: 10 }, (_, index) => `o-${10 + index}`);
    expect(seen.filter((name) => old.includes(name ?? ''))).toEqual(old);
  });

  test('a filter that matches little still comes to its end, in bounded looks', async () => {
    const companion = await reconciledCompanion();
    const row = await companion.put({ order: 'z-last', currency: 'JPY' });
    expect(row.headline).toBe('FUNDED');
    // Raw: 4,500 copies of it in another currency.
    await sql`insert into order_statuses
      select environment, 'order:' || (10000 + value), 'USD', merchant_order_id, funding, returns,
        headline, expected_settle, expected_refund, funded_settle, funded_refund, funded_chargeback,
        funded_reversal, discount, net, awaiting, recheck_at, lines_hash, computed_at, changed_at
      from order_statuses, json_each(${JSON.stringify([...Array(4_500).keys()])})`.execute(
      companion.db,
    );
    expect(names(await orders(companion, '?currency=JPY'))).toEqual(['z-last']);
    const found = await orders(companion, '?currency=USD&limit=1000');
    expect([found.orders.length, found.next === undefined]).toEqual([1_000, false]);
  });

  test('an ETag spares the answer that one has already, until something changes', async () => {
    const companion = await withOrders();
    const first = await companion.office('/reconciliation/orders');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/);
    const again = (header: string) =>
      companion.office('/reconciliation/orders', { 'if-none-match': header });
    expect([(await again(etag)).status, (await again(etag)).body]).toEqual([304, {}]);
    expect((await again(`"other", ${etag.slice(2)}`)).status).toBe(304);
    expect((await again('"other"')).status).toBe(200);
    await companion.put({ order: 'B-short' });
    expect((await again(etag)).status).toBe(200);
  });

  test('needs the token', async () => {
    const companion = await reconciledCompanion();
    for (const path of ['orders', 'cases', 'walk', 'exports/orders']) {
      const headers = { authorization: 'Bearer wrong' };
      expect((await companion.office(`/reconciliation/${path}`, headers)).status).toBe(401);
    }
  });
});

describe('GET /reconciliation/orders/:orderKey', () => {
  test('explains an order: lines, reasons in words, cases and what happened when', async () => {
    const companion = await withOrders();
    await companion.follow();
    const order = orderExplanationSchema.parse(await get(companion, '/orders/order%3AB-short'));
    expect(order.merchantOrderId).toBe('B-short');
    const [usd] = order.currencies;
    expect(usd?.reasons[0]).toBe(
      'A transaction was funded with 15.00 USD less than the ledger says. Compare with the statement of the lender, and have put right what is wrong.',
    );
    expect(usd?.ledger).toMatchObject([{ type: 'Settle', amount: 10_000, source: 'import' }]);
    expect(usd?.fundings).toMatchObject([{ lenderName: 'Meadow Credit', netAmount: 8_253 }]);
    expect(order.cases.map(({ code }) => code)).toContain('AMOUNT_MISMATCH');
    expect(order.timeline.map(({ source, what }) => `${source} ${what}`).slice(0, 3)).toEqual([
      'ledger Settle',
      'funding Settle',
      'case AMOUNT_MISMATCH opened',
    ]);
  });

  test('tells of an order that cannot be judged that it will not be, and why', async () => {
    const companion = await reconciledCompanion();
    const { db } = companion;
    const reasons = async () => {
      const order = orderExplanationSchema.parse(await get(companion, '/orders/order%3AA'));
      return order.currencies.map(({ reasons }) => reasons[0]);
    };
    await companion.put({ order: 'A', fundings: [{ id: '2026-11-11:1' }, { id: '2026-11-11:2' }] });
    const amount = { transaction_amount: Number.MAX_SAFE_INTEGER, net_amount: 0 };
    await db.updateTable('fundings').set(amount).execute();
    // What stood before its lines changed may be there still.
    expect(await reasons()).toHaveLength(1);
    await db.deleteFrom('order_statuses').execute();
    expect(await reasons()).toEqual([expect.stringContaining('too large to be summed exactly')]);
    await db.updateTable('fundings').set({ transaction_amount: 1 }).execute();
    expect(await reasons()).toEqual(['Its lines have changed and are not computed yet.']);
    await sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 50001)
      insert into ledger_lines (environment, id, order_key, currency, merchant_order_id, type, amount,
        occurred_at, source, created_at)
      select 'sandbox', n, 'order:A', 'USD', 'A', 'Settle', 1, 1, 'import', 1 from numbers`.execute(
      db,
    );
    expect(await reasons()).toEqual([expect.stringContaining('more than 50000 lines')]);
  });

  test('says that the companion’s own charge was never settled, whatever else is known', async () => {
    const companion = await reconciledCompanion();
    const append = (type: LedgerType, state: LedgerState, merchantTransactionId = 'mtx-1') =>
      companion.db.transaction().execute(async (tx) => {
        const amount = { value: 12_500, currency: 'USD' };
        const what = { type, state, merchantTransactionId, amount, occurredAt: START };
        const whose = { environment: 'sandbox', merchantOrderId: 'A', chargeId: 'chg-1' } as const;
        await appendToLedger(tx, [{ ...whose, ...what, transactionId: undefined }], START);
      });
    const explained = async () =>
      orderExplanationSchema.parse(await get(companion, '/orders/order%3AA')).currencies;
    await append('Authorize', 'accepted');
    const told = '125.00 USD is authorised and was never settled: no lender owes it before that.';
    expect(await explained()).toMatchObject([{ currency: 'USD', reasons: [told], ledger: [] }]);
    // A funding that names no order is of no charge.
    await companion.put({ order: undefined });
    const nameless = orderExplanationSchema.parse(await get(companion, '/orders/funding:nameless'));
    expect(nameless.currencies.flatMap(({ reasons }) => reasons)).not.toContain(told);
    // A lender paid it all the same.
    await companion.put({ order: 'A', ledger: [] });
    const [usd] = await explained();
    expect(usd?.status?.headline).toBe('NOT_IN_LEDGER');
    expect(usd?.reasons.at(-1)).toBe(told);
    // It may be settled, or it is not; it is; it is void.
    await append('Settle', 'unknown', 'mtx-2');
    expect((await explained())[0]?.reasons).not.toContain(told);
    await append('Settle', 'absent', 'mtx-2');
    expect((await explained())[0]?.reasons).toContain(told);
    // It was settled past the companion, and the merchant's own books say so.
    await companion.put({ order: 'A', ledger: [{ amount: 12_500 }] });
    expect((await explained())[0]?.reasons).not.toContain(told);
    await companion.put({ order: 'A', ledger: [] });
    await append('Void', 'accepted', 'mtx-3');
    expect((await explained())[0]?.reasons).not.toContain(told);
  });

  test('tells all that was done to its cases, however much that is', async () => {
    const companion = await withOrders();
    await companion.follow();
    const { store } = companion;
    const environment = 'sandbox';
    const [row] = await store.findCases({ environment, orderKey: 'order:B-short', limit: 1 });
    if (row === undefined) throw new Error('There is no case.');
    const events = 2_500;
    for (let at = 0; at < events; at += 500) {
      const seen = await store.caseChain(environment);
      const notes = Array.from({ length: 500 }, (_, index) => ({
        caseId: row.id,
        kind: 'noted' as const,
        actor: 'Ines',
        detail: { note: String(at + index) },
      }));
      const now = START + at;
      const chained = await chainEvents(environment, seen, notes, now);
      await store.writeCases({ environment, seen, ...chained, cases: [row], now });
    }
    const order = orderExplanationSchema.parse(await get(companion, '/orders/order%3AB-short'));
    const notes = order.timeline.filter(({ what }) => what === `${row.code} noted`);
    expect(notes).toHaveLength(events);
  });

  test('says of breaks that cancel each other what they are, and not that 0.00 is wrong', async () => {
    const companion = await reconciledCompanion();
    const settle = (id: string) => ({ id, transactionId: id });
    await companion.put({
      order: 'A-1',
      ledger: [settle('t1'), settle('t2')],
      fundings: [
        { ...settle('t1'), transactionAmount: 9_000 },
        { ...settle('t2'), transactionAmount: 11_000, netAmount: 10_681 - 7 },
        { ...settle('t3'), transactionType: 'Refund', transactionAmount: 0, netAmount: 7 },
      ],
    });
    const order = orderExplanationSchema.parse(await get(companion, '/orders/order%3AA-1'));
    expect(
      order.currencies[0]?.status?.exceptions.map(({ code, amount }) => [code, amount]),
    ).toEqual([
      ['AMOUNT_MISMATCH', 0],
      ['NET_MISMATCH', 0],
    ]);
    expect(order.currencies[0]?.reasons).toEqual([
      'Transactions were funded otherwise than the ledger says, though together with as much. Compare with the statement of the lender, and have put right what is wrong.',
      'Gross less discount is not net in 2 fundings, though it is in their sum. Ask the lender what else it kept or added.',
    ]);
  });

  test('does not say of a funding that it is in no sum when only its status is not known', async () => {
    const companion = await reconciledCompanion();
    await companion.put({ order: 'A-1', fundings: [{ status: 'PENDING_REVIEW' }] });
    const order = orderExplanationSchema.parse(await get(companion, '/orders/order%3AA-1'));
    expect(order.currencies[0]?.status).toMatchObject({
      headline: 'UNKNOWN_TYPE',
      funded: { settle: 10_000 },
    });
    expect(order.currencies[0]?.reasons).toEqual([
      'One funding of 100.00 USD has a type or a status not known here; what is of an unknown type counts neither as paid nor as taken back. Ask the service what it means.',
    ]);
  });

  test.each([
    [['Settle'], 'Lenders posted 100.00 USD for an order'],
    [['Refund'], 'Lenders took back 100.00 USD for an order'],
    [['Settle', 'Refund'], 'Lenders posted, and took back as much, for an order'],
  ])('says which way money of an unknown order went: %s', async (types, beginning) => {
    const companion = await reconciledCompanion();
    const fundings = types.map((transactionType) => ({ transactionType, discountAmount: 0 }));
    await companion.put({ order: 'X', ledger: [], fundings });
    const order = orderExplanationSchema.parse(await get(companion, '/orders/order%3AX'));
    expect(order.currencies[0]?.reasons[0]).toContain(beginning);
  });

  test('does not ask for the lines of an order where a funding names none', async () => {
    const companion = await reconciledCompanion();
    await companion.put({ order: undefined, fundings: [{}] });
    const order = orderExplanationSchema.parse(await get(companion, '/orders/funding%3Anameless'));
    expect(order.currencies[0]?.reasons[0]).toBe(
      'Lenders posted 100.00 USD without naming an order. Ask the service, or the lender, which order it is for.',
    );
  });

  test('says that a refund came ahead of its settle, which is no exception', async () => {
    const companion = await reconciledCompanion();
    await companion.put({
      order: 'A-1',
      ledger: [{ occurredAt: START }, { type: 'Refund', amount: 3_000, occurredAt: START }],
      fundings: [{ transactionType: 'Refund', transactionAmount: 3_000, fundedAt: START }],
    });
    const order = orderExplanationSchema.parse(await get(companion, '/orders/order%3AA-1'));
    expect(order.currencies[0]?.status?.exceptions).toEqual([]);
    expect(order.currencies[0]?.reasons).toContain(
      '30.00 USD was taken back before what it belongs to was posted.',
    );
  });

  test('suggests whose money it may be, for a person to decide', async () => {
    const companion = await withOrders();
    const suggestionsOf = async (key: string) =>
      orderExplanationSchema.parse(await get(companion, `/orders/${encodeURIComponent(key)}`))
        .currencies[0]?.suggestions;
    expect(await suggestionsOf('funding:nameless')).toEqual([
      { orderKey: 'order:C-missing', merchantOrderId: 'C-missing', open: 10_000, daysApart: -1 },
      { orderKey: 'order:D-awaiting', merchantOrderId: 'D-awaiting', open: 10_000, daysApart: 8 },
    ]);
    expect(await suggestionsOf('order:C-missing')).toEqual([
      { orderKey: 'funding:nameless', open: -10_000, daysApart: 1 },
    ]);
    expect(await suggestionsOf('order:A-funded')).toEqual([]);
  });

  test('an order nobody knows is 404, whatever its name', async () => {
    const companion = await withOrders();
    for (const [key, advice] of [
      ['order%3Anone', 'No line of the ledger'],
      ['..%2F..%2Fcases', 'order key'],
      ['%27%20or%201%3D1', 'order key'],
    ]) {
      const { status, body } = await companion.office(`/reconciliation/orders/${key}`);
      expect([status, body.code]).toEqual([404, 'order-not-found']);
      expect(body.detail).toContain(advice);
    }
  });
});
