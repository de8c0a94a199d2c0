import {
  ageingSchema,
  caseHistorySchema,
  casesSchema,
  discountAuditSchema,
  exceptionsSchema,
  orderExplanationSchema,
  orderStatusesSchema,
  radarSchema,
  reconciliationSummarySchema,
  trailVerificationSchema,
  walkSchema,
} from '@financing-checkout/contract';
import type { LedgerState, LedgerType } from '@financing-checkout/contract';
import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { BACK_OFFICE_TOKEN, START } from '../../companion.fixture.ts';
import { appendToLedger } from '../../store/ledger.ts';
import { chainEvents } from '../../reconciliation/cases/trail.ts';
import { plainAmount } from '../../reconciliation/ledger/notation.ts';
import { parsePolicy } from '../../reconciliation/policy.ts';
import { DAY_MS, reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';

type Companion = Awaited<ReturnType<typeof reconciledCompanion>>;
const iso = (time: number) => new Date(time).toISOString();

const get = async (companion: Companion, path: string) => {
  const { status, body } = await companion.office(`/reconciliation${path}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
const orders = async (companion: Companion, query = '') =>
  orderStatusesSchema.parse(await get(companion, `/orders${query}`));
const names = (page: ReturnType<typeof orderStatusesSchema.parse>) =>
  page.orders.map(({ merchantOrderId }) => merchantOrderId);
const cases = async (companion: Companion, query = '') =>
  casesSchema.parse(await get(companion, `/cases${query}`)).cases;

/** An order of each kind. */
async function withOrders(): Promise<Companion> {
  const companion = await reconciledCompanion();
  await companion.put({ order: 'A-funded' });
  await companion.put({ order: 'B-short', fundings: [{ transactionAmount: 8_500 }] });
  await companion.put({ order: 'C-missing', fundings: [] });
  await companion.put({
    order: 'D-awaiting',
    ledger: [{ occurredAt: START - DAY_MS }],
    fundings: [],
  });
  await companion.put({
    order: 'E-yen',
    currency: 'JPY',
    fundings: [{ lenderName: 'Harbor Bank', fundedAt: START - 2 * DAY_MS }],
  });
  await companion.put({
    order: 'F-charged-back',
    fundings: [{}, { transactionType: 'Chargeback', transactionAmount: 4_000 }],
  });
  await companion.put({ order: undefined, fundings: [{ status: 'MISSING' }] });
  return companion;
}

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

describe('cases', () => {
  const post = (companion: Companion, path: string, body: unknown, key?: string) =>
    companion.officePost(
      `/reconciliation/cases/${path}`,
      body,
      key === undefined ? {} : { 'idempotency-key': key },
    );

  test('are listed with their age, filtered, and paged', async () => {
    const companion = await withOrders();
    await companion.follow();
    const all = await cases(companion);
    expect(new Set(all.map(({ code }) => code))).toContain('MISSING_AT_LENDER');
    const missing = await cases(companion, '?code=MISSING_AT_LENDER');
    expect(missing).toMatchObject([{ merchantOrderId: 'C-missing', state: 'open' }]);
    expect(await cases(companion, '?state=closed')).toEqual([]);
    expect((await cases(companion, '?least=10001')).length).toBeLessThan(all.length);
    const ids: string[] = [];
    let after = '';
    for (;;) {
      const page = casesSchema.parse(await get(companion, `/cases?limit=2${after}`));
      ids.push(...page.cases.map(({ id }) => id));
      if (page.next === undefined) break;
      after = `&after=${page.next}`;
    }
    expect(ids).toEqual(all.map(({ id }) => id));
    const ageing = ageingSchema.parse(await get(companion, '/cases/ageing'));
    expect(ageing.cells.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
  });

  test('are assigned, noted, ignored and opened again, each once by its key', async () => {
    const companion = await withOrders();
    await companion.follow();
    const [row] = await cases(companion, '?code=AMOUNT_MISMATCH');
    const id = row?.id ?? '';
    const assign = { by: 'Ines', assignee: 'Tomas' };
    expect((await post(companion, `${id}/assign`, assign, 'k1')).body).toMatchObject({
      assignee: 'Tomas',
    });
    expect((await post(companion, `${id}/assign`, assign, 'k1')).status).toBe(200);
    expect((await post(companion, `${id}/note`, { by: 'Ines', note: 'x' }, 'k1')).body.code).toBe(
      'idempotency-key-reused',
    );
    expect((await post(companion, `${id}/note`, { by: 'Ines', note: 'x' })).body.code).toBe(
      'idempotency-key-missing',
    );
    const ignored = await post(companion, `${id}/ignore`, { by: 'Ines', reason: 'small' }, 'k2');
    expect(ignored.body).toMatchObject({ state: 'ignored', reason: 'small' });
    await companion.put({ order: 'B-short', fundings: [{ transactionAmount: 8_400 }] });
    await companion.follow();
    const history = caseHistorySchema.parse(await get(companion, `/cases/${id}`));
    expect(history.case).toMatchObject({ state: 'open', amount: -1_600, assignee: 'Tomas' });
    expect(history.events.map(({ kind, actor }) => `${kind} ${actor}`)).toEqual([
      'opened reconciliation',
      'assigned Ines',
      'ignored Ines',
      'reopened reconciliation',
    ]);
  });

  test('show their trail page by page, to its end', async () => {
    const companion = await withOrders();
    await companion.follow();
    const [row] = await cases(companion, '?code=AMOUNT_MISMATCH');
    const path = `/cases/${row?.id ?? ''}`;
    for (const note of ['1', '2', '3', '4']) {
      await post(companion, `${row?.id ?? ''}/note`, { by: 'Ines', note }, `k${note}`);
    }
    const whole = caseHistorySchema.parse(await get(companion, path));
    expect([whole.events.length, whole.next]).toEqual([5, undefined]);
    const events: unknown[] = [];
    const lengths: number[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = caseHistorySchema.parse(await get(companion, `${path}?limit=2${after}`));
      expect(page.case.id).toBe(row?.id);
      events.push(...page.events);
      lengths.push(page.events.length);
      after = page.next === undefined ? undefined : `&after=${page.next}`;
    }
    expect([events, lengths]).toEqual([whole.events, [2, 2, 1]]);
    for (const query of ['after=WyJ4Il0', 'limit=0', 'page=2']) {
      expect((await companion.office(`/reconciliation${path}?${query}`)).status).toBe(400);
    }
  });

  test.each([
    ['note', {}],
    ['note', { by: 'Ines', note: '' }],
    ['note', { by: 'Ines', note: 'x'.repeat(4_001) }],
    // A text that was cut in the middle of a sign comes back as another one, and the trail would not hold.
    ['note', { by: 'Ines\ud83d', note: 'x' }],
    ['assign', { by: 'Ines', assignee: 'a\u0000' }],
    ['assign', { by: 'Ines' }],
    ['resolve', { by: 'Ines', reason: '  ' }],
    ['resolve', { by: 'Ines', reason: 'x', state: 'open' }],
  ])('%s with %j is refused', async (verb, body) => {
    const companion = await reconciledCompanion();
    const answer = await post(companion, `case_1/${verb}`, body, 'k');
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid-request']);
  });

  test.each([
    '/cases?assignee=a%00',
    '/cases/case_1%00',
    '/orders/order%3AA%00',
    `/cases?after=${Buffer.from('["a\\u0000"]').toString('base64url')}`,
  ])('an address with a NUL in it is no question: %s', async (path) => {
    const companion = await reconciledCompanion();
    const { status, body } = await companion.office(`/reconciliation${path}`);
    expect([status, (body as { code?: string }).code]).toEqual([400, 'invalid-request']);
  });

  test('the trail is verified; tampering is found and named', async () => {
    const companion = await withOrders();
    await companion.follow();
    const verify = async (query = '') =>
      trailVerificationSchema.parse(await get(companion, `/cases/verification${query}`));
    const { head, valid } = await verify();
    expect(valid).toBe(true);
    const anchor = `?anchor=${head.seq}:${head.hash}`;
    expect((await verify(anchor)).valid).toBe(true);
    expect((await verify(`?anchor=1:${'0'.repeat(64)}`)).broken).toMatchObject({ seq: 1 });
    await companion.db
      .updateTable('case_events')
      .set({ actor: 'Mallory' })
      .where('seq', '=', 2)
      .execute();
    expect((await verify()).broken).toMatchObject({ seq: 2, reason: 'is not as it was written' });
  });

  test('exceptions name their case; the summary counts what is open', async () => {
    const companion = await withOrders();
    await companion.prove();
    await companion.follow();
    const { exceptions } = exceptionsSchema.parse(
      await get(companion, '/exceptions?code=MISSING_AT_LENDER'),
    );
    expect(exceptions).toMatchObject([
      { merchantOrderId: 'C-missing', amount: 10_000, case: { state: 'open' } },
    ]);
    const id = exceptions[0]?.case?.id ?? '';
    const counts = async () => {
      const summary = reconciliationSummarySchema.parse(await get(companion, '/summary'));
      expect([summary.complete, summary.unprovenDays]).toEqual([true, 0]);
      return summary.exceptions.find(({ code }) => code === 'MISSING_AT_LENDER');
    };
    expect(await counts()).toMatchObject({ open: 1, count: 1, amount: 10_000 });
    await post(companion, `${id}/resolve`, { by: 'Ines', reason: 'paid by cheque' }, 'k1');
    expect(await counts()).toMatchObject({ open: 0, count: 1 });
  });

  test('days that are not proved are counted: nothing is complete that nobody has read', async () => {
    const companion = await withOrders();
    expect(await get(companion, '/summary')).toMatchObject({ complete: false, unprovenDays: 11 });
    await companion.prove(4);
    expect(await get(companion, '/summary')).toMatchObject({ complete: false, unprovenDays: 7 });
  });
});

const download = async (companion: Companion, path: string) => {
  const response = await companion.backOffice.request(`/reconciliation/exports/${path}`, {
    headers: { authorization: 'Bearer back-office-token-0123456789' },
  });
  return { response, text: await response.text() };
};

describe('answers over all orders', () => {
  test('the cash walk comes to unexplained 0, in each currency and for each lender', async () => {
    const companion = await withOrders();
    const walk = walkSchema.parse(await get(companion, '/walk'));
    expect(walk.statements.map(({ currency }) => currency)).toEqual(['JPY', 'USD']);
    for (const statement of walk.statements) expect(statement.unexplained).toBe(0);
    expect(walk.statements[1]).toMatchObject({
      opening: 0,
      expected: 50_000,
      awaiting: -20_000 - 1_500,
      chargebacks: -4_000,
      other: 10_000,
    });
    const harbor = walkSchema.parse(await get(companion, '/walk?lender=Harbor%20Bank'));
    expect(harbor.statements).toMatchObject([{ currency: 'JPY', unexplained: 0 }]);
  });

  test('sums that cannot be exact are refused with what to ask for instead, and not as a fault', async () => {
    const companion = await reconciledCompanion();
    const amount = 6_000_000_000_000_000;
    for (const back of [10, 20]) {
      const occurredAt = START - back * DAY_MS;
      const fundings = [{ transactionAmount: amount, discountAmount: 0, fundedAt: occurredAt }];
      await companion.put({ order: `A-${back}`, ledger: [{ amount, occurredAt }], fundings });
    }
    const { status, body } = await companion.office('/reconciliation/walk');
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid-request',
      detail: expect.stringContaining('ask for a shorter period') as string,
    });
    const from = new Date(START - 15 * DAY_MS).toISOString().slice(0, 10);
    const walk = walkSchema.parse(await get(companion, `/walk?from=${from}`));
    expect(walk.statements).toMatchObject([{ expected: amount, net: amount, unexplained: 0 }]);
  });

  test.each(['discounts', 'radar'])('so are those of %s', async (answer) => {
    const companion = await reconciledCompanion();
    const amount = 6_000_000_000_000_000;
    for (const order of ['A', 'B']) {
      const fundings = [{ transactionAmount: amount, discountAmount: 0 }];
      await companion.put({ order, ledger: [{ amount }], fundings });
    }
    const { status, body } = await companion.office(`/reconciliation/${answer}`);
    expect([status, body]).toMatchObject([
      400,
      { detail: 'Its sums are too large to be exact: ask for one currency or one lender.' },
    ]);
  });

  test.each(['walk', 'discounts', 'radar'])(
    'an order that cannot be summed any more is not in the sums of the %s, and spoils none',
    async (answer) => {
      const companion = await reconciledCompanion();
      await companion.put({ order: 'A' });
      const before = await get(companion, `/${answer}`);
      await companion.put({ order: 'B' });
      // Its lines have changed, and what stood before stands until it is computed again.
      await companion.db
        .updateTable('fundings')
        .set({ net_amount: Number.MAX_SAFE_INTEGER })
        .where('order_key', '=', 'order:B')
        .execute();
      await companion.db
        .insertInto('fundings')
        .columns([
          'environment',
          'order_key',
          'currency',
          'id',
          'slice_day',
          'status',
          'transaction_type',
          'lender_name',
          'transaction_amount',
          'discount_amount',
          'net_amount',
          'funded_at',
          'updated_at',
          'hash',
          'version',
        ])
        .expression((eb) =>
          eb
            .selectFrom('fundings')
            .select([
              'environment',
              'order_key',
              'currency',
              sql<string>`id || '~2'`.as('id'),
              'slice_day',
              'status',
              'transaction_type',
              'lender_name',
              'transaction_amount',
              'discount_amount',
              'net_amount',
              'funded_at',
              'updated_at',
              'hash',
              'version',
            ])
            .where('order_key', '=', 'order:B'),
        )
        .execute();
      expect(await get(companion, `/${answer}`)).toEqual(before);
    },
  );

  test.each(['from=2026-12-01&to=2026-11-01', 'from=2026-11-01&to=2026-11-01'])(
    'a walk of no day is refused, and not called explained: %s',
    async (query) => {
      const companion = await reconciledCompanion();
      const { status, body } = await companion.office(`/reconciliation/walk?${query}`);
      expect([status, (body as { code?: string }).code]).toEqual([400, 'invalid-request']);
    },
  );

  test('periods follow on each other: what one leaves in transit the next begins with', async () => {
    const companion = await withOrders();
    const day = iso(START - 9 * DAY_MS).slice(0, 10);
    const before = walkSchema.parse(await get(companion, `/walk?to=${day}&currency=USD`));
    const after = walkSchema.parse(await get(companion, `/walk?from=${day}&currency=USD`));
    expect(after.statements[0]?.opening).toBe(-(before.statements[0]?.awaiting ?? 0));
    expect(after.statements[0]?.unexplained).toBe(0);
  });

  test('as CSV, and as a picture that is marked while data is incomplete', async () => {
    const companion = await withOrders();
    const ask = async (format: string) => {
      const path = `/reconciliation/walk?format=${format}&currency=USD`;
      const response = await companion.backOffice.request(path, {
        headers: { authorization: 'Bearer back-office-token-0123456789' },
      });
      return { type: response.headers.get('content-type'), text: await response.text() };
    };
    const csv = await ask('csv');
    expect(csv.type).toBe('text/csv; charset=utf-8');
    expect(csv.text.split('\r\n')[0]).toBe('currency,step,amount,lender,from,to,complete,zone');
    expect(csv.text).toContain('USD,Unexplained,0.00,,,,no,UTC');
    const svg = await ask('svg');
    expect(svg.type).toBe('image/svg+xml');
    expect(svg.text).toContain('unexplained 0.00 USD');
    expect(svg.text).toContain('url(#hatch)');
    await companion.prove();
    expect((await ask('svg')).text).not.toContain('url(#hatch)');
  });

  test('the discount audit compares with the contract, by any name of the lender', async () => {
    const policy = parsePolicy(
      JSON.stringify({
        aliases: { 'Meadow Credit Inc': 'Meadow Credit' },
        contracts: [
          {
            lender: 'Meadow Credit',
            basisPoints: 290,
            returnedOnRefund: true,
            from: '2020-01-01',
          },
        ],
      }),
    );
    const unused = () => Promise.reject(new Error('unused'));
    const reconciliation = { policy, work: [], catchUp: unused, stop: unused };
    const companion = await reconciledCompanion({ reconciliation }, policy);
    await companion.put({ order: 'a' });
    await companion.put({
      order: 'b',
      fundings: [{ discountAmount: 390, lenderName: 'Meadow Credit Inc' }],
    });
    await companion.put({
      order: 'c',
      ledger: [{}, { type: 'Refund' }],
      fundings: [{}, { transactionType: 'Refund', discountAmount: 0, netAmount: 10_000 }],
    });
    for (const lender of ['Meadow%20Credit', 'Meadow%20Credit%20Inc']) {
      const { rows } = discountAuditSchema.parse(
        await get(companion, `/discounts?lender=${lender}`),
      );
      expect(rows).toMatchObject([
        {
          agreedBasisPoints: 290,
          agreedFrom: '2020-01-01T00:00:00.000Z',
          effectiveBasisPoints: 323.33,
          settles: { count: 3, amount: 30_000, discount: 970, variance: 100 },
          refunds: { count: 1, returned: 0, variance: 290, kept: 290 },
        },
      ]);
    }
  });

  test('explains each discount by the contract it goes by', async () => {
    const contract = { lender: 'Meadow Credit', basisPoints: 290, returnedOnRefund: true };
    const contracts = [contract, { ...contract, basisPoints: 310, from: '2020-01-01' }];
    const policy = parsePolicy(JSON.stringify({ contracts }));
    const unused = () => Promise.reject(new Error('unused'));
    const reconciliation = { policy, work: [], catchUp: unused, stop: unused };
    const companion = await reconciledCompanion({ reconciliation }, policy);
    await companion.put({
      order: 'a',
      ledger: [{}, { type: 'Refund' }],
      fundings: [
        {},
        {
          transactionType: 'Refund',
          discountAmount: 310,
          netAmount: 9_690,
          fundedAt: START - DAY_MS,
        },
      ],
    });
    const { currencies } = orderExplanationSchema.parse(await get(companion, '/orders/order:a'));
    const agreed = {
      lender: 'Meadow Credit',
      amount: 10_000,
      agreedBasisPoints: 310,
      agreedFrom: '2020-01-01T00:00:00.000Z',
      agreed: 310,
    };
    expect(currencies.map(({ discounts }) => discounts)).toEqual([
      [
        { ...agreed, kind: 'settle', discount: 290, variance: -20 },
        { ...agreed, kind: 'refund', discount: 310, variance: 0 },
      ],
    ]);
  });

  test('the radar counts what the service calls RECONCILED and is not', async () => {
    const companion = await withOrders();
    await companion.prove();
    const { rows } = radarSchema.parse(await get(companion, '/radar?currency=USD'));
    const reconciled = rows.find(({ status }) => status === 'RECONCILED');
    expect(reconciled).toMatchObject({
      lender: 'Meadow Credit',
      wrong: { count: 1, amount: 8_500 },
    });
  });

  test('fundings without a currency are listed, and in no sum, whatever their order is called', async () => {
    const companion = await withOrders();
    for (const order of ['', 'B-unknown', 'Z-unknown']) {
      await companion.put({ order, currency: '', ledger: [], fundings: [{ id: `id-${order}` }] });
    }
    // As a recompute leaves it: there is no status of a currency that nobody knows.
    await companion.db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    const walk = walkSchema.parse(await get(companion, '/walk'));
    expect(walk.withoutCurrency).toBe(3);
    expect(walk.statements.map(({ currency }) => currency)).toEqual(['JPY', 'USD']);
    const { text } = await download(companion, 'lines');
    expect(text.match(/unknown,order:.-unknown,,funding/g)).toHaveLength(2);
    const path = '/orders/order%3AZ-unknown';
    const { currencies } = orderExplanationSchema.parse(await get(companion, path));
    expect(currencies).toMatchObject([
      { currency: '', reasons: [expect.stringMatching(/^Nobody knows the currency/)] },
    ]);
  });

  test('a walk of a part counts those of its own orders, whatever they are called', async () => {
    const companion = await reconciledCompanion();
    for (const order of ['A', 'C', 'E']) await companion.put({ order });
    // Settled in two currencies, so that nobody knows in which one they are funded.
    for (const order of ['B', 'D', 'F']) {
      for (const currency of ['EUR', 'GBP']) {
        await companion.put({
          order,
          currency,
          ledger: [{ id: `${order}-${currency}` }],
          fundings: [],
        });
      }
      await companion.put({ order, currency: '', ledger: [] });
      await companion.db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    }
    const counted = async (query: string) =>
      walkSchema.parse(await get(companion, `/walk?${query}`)).withoutCurrency;
    expect(await counted('')).toBe(3);
    expect(await counted('currency=GBP')).toBe(3);
    expect(await counted('currency=USD')).toBe(0);
  });

  test('an order of which a record is in no sum is not said to be short', async () => {
    const companion = await reconciledCompanion();
    await companion.prove();
    for (const order of ['A', 'B', 'C']) await companion.put({ order, fundings: [] });
    // As a recompute leaves it: there is no status of a currency that nobody knows.
    await companion.put({ order: 'B', currency: '', ledger: [], fundings: [{}, { id: 'other' }] });
    await companion.db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    await companion.db
      .insertInto('funding_quarantine')
      .values({
        ...{ environment: 'sandbox', id: 'f', slice_day: '2026-11-11', order_key: 'order:C' },
        ...{ reason: 'netAmount: amount-invalid', raw: '{}', seen_at: companion.clock.now() },
      })
      .execute();
    const walk = walkSchema.parse(await get(companion, '/walk'));
    expect(walk.withoutCurrency).toBe(2);
    expect(walk.statements).toMatchObject([
      { expected: 30_000, short: -10_000, awaiting: -20_000 },
    ]);
  });
});

test.each([
  '/walk?lender=Meadow+Credit&lender=Harbor+Bank',
  '/exceptions?currency=USD&currency=JPY',
  '/exports/orders?currency=USD&currency=JPY',
  '/cases?state=open&state=resolved',
])('a parameter that is given twice is refused: %s', async (path) => {
  const companion = await reconciledCompanion();
  const { status, body } = await companion.office(`/reconciliation${path}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'invalid-request' });
  expect(body).toHaveProperty('errors.0.path', expect.stringMatching(/lender|currency|state/));
});

test('a file that breaks off is no fault of the companion, and nothing of it is taken', async () => {
  const companion = await withOrders();
  const before = await get(companion, '/summary');
  const pieces = ['merchantOrderId,type,amount,date\n', 'X-1,Settle,1.00,2026-11-01\n'].values();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value } = pieces.next();
      if (value === undefined) controller.error(new Error('The connection was reset.'));
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
  const answer = await companion.backOffice.request('/reconciliation/ledger?units=major', {
    method: 'POST',
    headers: { authorization: `Bearer ${BACK_OFFICE_TOKEN}`, 'content-type': 'text/csv' },
    body,
    duplex: 'half',
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { code: 'invalid-request', detail: 'The body did not arrive whole.' },
  ]);
  expect(companion.log.some(({ event }) => event === 'request-failed')).toBe(false);
  await companion.follow();
  expect(await get(companion, '/summary')).toEqual(before);
});

test('a second import is refused while one is under way, and may be sent again', async () => {
  const companion = await reconciledCompanion();
  const other = { environment: 'sandbox' as const, id: 'other' };
  const now = companion.clock.now();
  const begin = { action: 'add', source: 'import' } as const;
  expect(await companion.store.beginImport(other, begin, now, now + 60_000)).toBe(true);
  const answer = await companion.backOffice.request('/reconciliation/ledger', {
    method: 'POST',
    headers: { authorization: `Bearer ${BACK_OFFICE_TOKEN}`, 'content-type': 'text/csv' },
    body: 'merchantOrderId,type,amount,currency,date\n',
  });
  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({ code: 'import-busy', retrySafe: true });
});

describe('exports', () => {
  test('CSV has the order’s number first, decimals of the currency, and the zone', async () => {
    const companion = await withOrders();
    const { response, text } = await download(companion, 'orders?zone=America/New_York');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="orders.csv"');
    const [head = '', ...lines] = text.trimEnd().split('\r\n');
    expect(head.split(',').slice(0, 4)).toEqual(['order', 'order_key', 'currency', 'headline']);
    expect(lines).toHaveLength(7);
    expect(lines[2]).toBe(
      'B-short,order:B-short,USD,AMOUNT_MISMATCH,PARTIALLY_FUNDED,NONE,AMOUNT_MISMATCH,100.00,0.00,85.00,0.00,0.00,0.00,2.47,82.53,0.00,2026-11-20T07:00:00-05:00,2026-11-20T07:00:00-05:00,America/New_York',
    );
    expect(lines[5]).toContain(',JPY,FUNDED,FUNDED,NONE,,10000,0,');
  });

  test.each([
    '=HYPERLINK("http://evil.example","x")',
    '+1',
    '-2+3',
    '@SUM(A1)',
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    '＝1',
    '|calc',
    // Where lists are separated by semicolons, quotes in the middle of a line hide nothing.
    ['A;=1+1', "A;'=1+1"],
    ['A\n@SUM(A1)', "A\n'@SUM(A1)"],
  ])('no cell is a formula, whatever an order is called: %j', async (name) => {
    const [order = '', written = `'${order}`] = [name].flat();
    const companion = await reconciledCompanion();
    await companion.put({ order });
    for (const table of ['orders', 'lines', 'orders?decimal=comma', 'lines?decimal=comma']) {
      const { text } = await download(companion, table);
      expect(text).toContain(`"${written.replaceAll('"', '""')}"`);
      expect(text).not.toMatch(/(?:^|[;\n,]|,")[=+@＝|]/);
    }
  });

  test('with a decimal comma it is the same table, and its amounts are read again as they were', async () => {
    const companion = await withOrders();
    await companion.put({ order: 'A;B, "C"' });
    for (const path of ['orders', 'exceptions', 'cases', 'lines']) {
      const { text } = await download(companion, path);
      const { text: other } = await download(companion, `${path}?decimal=comma`);
      const cells = (csv: string, delimiter: string) => parse(csv, { delimiter });
      const written = cells(other, ';').map((row) =>
        row.map((cell) => (/^-?\d+,\d+$/.test(cell) ? cell.replace(',', '.') : cell)),
      );
      expect(written).toEqual(cells(text, ','));
    }
    const { text } = await download(companion, 'lines?decimal=comma');
    const amounts = text.match(/(?<=;)-?\d+,\d+(?=;)/g) ?? [];
    expect(amounts.length).toBeGreaterThan(10);
    for (const amount of amounts) {
      expect(plainAmount(amount, { decimal: 'comma' })).toBe(amount.replace(',', '.'));
    }
    const walk = await companion.backOffice.request(
      '/reconciliation/walk?format=csv&decimal=comma',
      { headers: { authorization: 'Bearer back-office-token-0123456789' } },
    );
    expect(await walk.text()).toMatch(/^currency;step;amount;(?:.*\r\n)*USD;Settled;600,00;/);
  });

  test('NDJSON is a record of the API a line; every table has every row', async () => {
    const companion = await withOrders();
    await companion.follow();
    const lines = async (path: string) =>
      (await download(companion, path)).text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(await lines('orders?format=ndjson')).toEqual((await orders(companion)).orders);
    expect(await lines('cases?format=ndjson')).toEqual(await cases(companion));
    const { exceptions } = exceptionsSchema.parse(await get(companion, '/exceptions'));
    expect(exceptions).toMatchObject(await lines('exceptions?format=ndjson'));
    const all = await lines('lines?format=ndjson');
    expect(all).toHaveLength(12);
    const { currencies } = orderExplanationSchema.parse(
      await get(companion, '/orders/order:B-short'),
    );
    const [{ ledger, fundings } = { ledger: [], fundings: [] }] = currencies;
    const place = { orderKey: 'order:B-short', merchantOrderId: 'B-short', currency: 'USD' };
    expect(all.filter(({ orderKey }) => orderKey === 'order:B-short')).toEqual([
      ...ledger.map((line) => ({ ...place, source: 'ledger', line })),
      ...fundings.map((line) => ({ ...place, source: 'funding', line })),
    ]);
  });

  test('filters hold in exports too; an empty one has its head', async () => {
    const companion = await withOrders();
    const { text } = await download(companion, 'exceptions?exception=CHARGEBACK_OPEN');
    expect(text.trimEnd().split('\r\n')).toHaveLength(2);
    expect(text).toContain('F-charged-back,order:F-charged-back,USD,CHARGEBACK_OPEN,40.00');
    const none = await download(companion, 'cases?state=resolved');
    expect(none.text.trimEnd().split('\r\n')).toHaveLength(1);
  });

  test('of lines, the days of the zone say which; of an order there may be some only', async () => {
    const companion = await reconciledCompanion();
    const at = (iso: string) => Date.parse(iso);
    await companion.put({
      order: 'A-1',
      ledger: [{ occurredAt: at('2026-10-31T22:59:59Z') }],
      fundings: [{ fundedAt: at('2026-10-31T23:00:00Z') }],
    });
    const rows = async (query: string) =>
      (await download(companion, `lines?zone=Europe/Berlin&${query}`)).text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[3]);
    expect(await rows('from=2026-11-01&to=2026-12-01')).toEqual(['funding']);
    expect(await rows('from=2026-10-31&to=2026-11-01')).toEqual(['ledger']);
    expect(await rows('to=2026-11-01T00:00:01')).toEqual(['ledger', 'funding']);
    expect(await rows('from=2026-10-31T23:00:00Z&to=2026-10-31T23:00:01Z')).toEqual(['funding']);
    expect(await rows('from=2026-11-02')).toEqual([]);
  });

  test('lines come order by order, funded or not', async () => {
    const companion = await reconciledCompanion();
    for (const order of ['C', 'A']) await companion.put({ order, fundings: [] });
    await companion.put({ order: 'B' });
    const { text } = await download(companion, 'lines');
    const rows = text.trimEnd().split('\r\n').slice(1);
    expect(rows.map((row) => row.slice(0, 1)).join('')).toBe('ABBC');
  });

  test('lines whose currency nobody knows are there, too, in their month', async () => {
    const companion = await reconciledCompanion();
    await companion.put({ order: 'A', fundings: [], ledger: [{ occurredAt: START }] });
    const fundedAt = START + 30 * DAY_MS;
    await companion.put({ order: 'A', currency: '', ledger: [], fundings: [{ fundedAt }] });
    await companion.db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    const rows = async (query: string) =>
      (await download(companion, `lines?${query}`)).text.trimEnd().split('\r\n').slice(1);
    const [funding = '', ...others] = await rows('from=2026-12-01');
    expect(others).toEqual([]);
    expect(funding).toMatch(/^A,order:A,,funding,Settle,RECONCILED,Meadow Credit,10000,290,9710,/);
    expect(await rows('')).toHaveLength(2);
    expect(await rows('currency=USD')).toHaveLength(1);
    expect(await rows('headline=AWAITING_FUNDING')).toHaveLength(2);
  });

  test('so are those of orders of which nothing else is known, each once', async () => {
    const companion = await reconciledCompanion();
    const { db } = companion;
    await companion.put({ order: 'B', ledger: [{ occurredAt: START }], fundings: [] });
    // More orders of another month than are looked at in one go.
    await sql`
      with recursive numbers (n) as (select 10000 union all select n + 1 from numbers where n < 12500),
      others as (select * from order_statuses)
      insert into order_statuses
      select environment, 'order:C-' || n, currency, merchant_order_id, funding, returns, headline,
        expected_settle, expected_refund, funded_settle, funded_refund, funded_chargeback,
        funded_reversal, discount, net, awaiting, recheck_at, lines_hash, computed_at, changed_at
      from others cross join numbers`.execute(db);
    for (const order of ['A', 'C-11000', 'D']) {
      const fundings = [START, START + 30 * DAY_MS].map((fundedAt, n) => ({
        id: `${order}-${n}`,
        fundedAt,
      }));
      await companion.put({ order, currency: '', ledger: [], fundings });
    }
    await db.deleteFrom('order_statuses').where('currency', '=', '').execute();
    const orders = async (query: string) =>
      (await download(companion, `lines?${query}`)).text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((row) => row.split(',')[0]);
    expect((await orders('from=2026-12-01')).sort()).toEqual(['A', 'C-11000', 'D']);
    expect((await orders('to=2026-12-01')).sort()).toEqual(['A', 'B', 'C-11000', 'D']);
    expect(await orders('')).toHaveLength(7);
    expect(await orders('currency=USD')).toEqual(['B']);
  });

  test.each([
    ['orders?bom=true', '\uFEFForder,order_key'],
    ['orders?bom=true&decimal=comma', '\uFEFForder;order_key'],
    ['orders', 'order,order_key'],
    ['lines?bom=true&format=ndjson', '{'],
  ])('%s begins with %j', async (path, beginning) => {
    const companion = await withOrders();
    const response = await companion.backOffice.request(`/reconciliation/exports/${path}`, {
      headers: { authorization: 'Bearer back-office-token-0123456789' },
    });
    const text = Buffer.from(await response.arrayBuffer()).toString('utf8');
    expect(text.startsWith(beginning)).toBe(true);
    expect(text.lastIndexOf('\uFEFF')).toBe(beginning.indexOf('\uFEFF'));
  });

  test.each([
    ['secrets', 404],
    ['orders?zone=Moon/Sea', 400],
    ['lines?from=yesterday', 400],
    ['lines?from=2026-11-02&to=2026-11-02', 400],
    // A filter that a table does not have would be taken for one that holds.
    ['lines?state=open', 400],
    ['cases?from=2026-11-01', 400],
  ])('%s is %i', async (path, status) => {
    const companion = await reconciledCompanion();
    expect((await download(companion, path)).response.status).toBe(status);
  });
});
