import {
  type DiscountAuditRecord,
  type Forecast,
  type Lags,
  type RadarRecord,
  type Walk,
  type WalkAmount,
  type orderStatusesSchema,
  walkAmounts,
} from '@financing-checkout/contract/reconciliation';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { settle, startCompanion } from '../../companion/companion.fixture.ts';
import { readConfiguration } from '../../config/config.ts';
import { dayBefore, run, shareProgram, startShop, variablesOf } from '../../program.fixture.ts';
import { wireRecord } from '../../sync/history.fixture.ts';

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const order = (id: string) => ({ merchantOrderId: id, transactionId: `txn-${id}` });

/** A shop with paid, waiting, short, refunded and unknown money. */
const shared = shareProgram(
  async (atEnd) => {
    const shop = await startCompanion(atEnd);
    const ledger = (id: string, value: number, days: number, change = {}) =>
      shop.entries.push(
        settle(shop.entries.length + 1, id, value, {
          occurredAt: ago(days),
          merchantTransactionId: `mtx-${id}`,
          ...change,
        }),
      );
    const fund = (index: number, id: string, days: number, change = {}) =>
      shop.records.push(
        wireRecord(index, ago(days), {
          ...order(id),
          merchantTransactionId: `mtx-${id}`,
          chargeId: `chg-${id}`,
          ...change,
        }),
      );
    ledger('paid', 10_000, 12);
    fund(0, 'paid', 10);
    ledger('slow', 10_001, 12);
    fund(1, 'slow', 4, { lenderName: 'Tardy Bank' });
    ledger('waiting', 30_000, 1);
    ledger('missing', 40_000, 20);
    ledger('refunded', 10_002, 12);
    ledger('refunded', 10_003, 6, {
      type: 'Refund',
      merchantTransactionId: 'mtx-back',
      transactionId: 'txn-back',
      amount: { value: 2_000, currency: 'USD' },
    });
    fund(2, 'refunded', 10);
    fund(3, 'refunded', 5, {
      transactionType: 'Refund',
      transactionId: 'txn-back',
      merchantTransactionId: 'mtx-back',
      transactionAmount: 20,
      discountAmount: 0,
      netAmount: 20,
    });
    fund(4, 'unknown', 3);
    return shop;
  },
  { RECONCILIATION_DEFAULT_CURRENCY: 'USD' },
);

/** Reads and judges everything, once. */
async function synced() {
  const { program } = shared;
  await program.sync({ from: dayBefore(21), to: dayBefore(0) });
  return program;
}

test('finds the orders that contribute to each amount of a walk', async () => {
  const program = await synced();
  const answer = (step: WalkAmount, query: string) =>
    program.get<z.infer<typeof orderStatusesSchema>>(`/orders?step=${step}&${query}`);
  const orders = async (step: WalkAmount, query: string) =>
    (await answer(step, query)).orders.map(({ merchantOrderId }) => merchantOrderId);
  const all = `to=${dayBefore(0)}`;
  expect(await orders('expected', all)).toEqual([
    ...['missing', 'paid', 'refunded', 'slow', 'waiting'],
  ]);
  expect(await orders('awaiting', all)).toEqual(['waiting']);
  expect(await orders('short', all)).toEqual(['missing']);
  expect(await orders('refunds', all)).toEqual(['refunded']);
  expect(await orders('other', all)).toEqual(['unknown']);
  expect(await orders('unexplained', all)).toEqual([]);
  expect(await orders('net', `${all}&lender=Tardy%20Bank`)).toEqual(['slow']);
  // In transit at the beginning and at the end of a period in the past.
  const past = `from=${dayBefore(9)}&to=${dayBefore(7)}`;
  expect(await orders('opening', past)).toEqual(['slow']);
  expect(await orders('awaiting', past)).toEqual(['slow']);
  expect(await orders('expected', past)).toEqual([]);
  expect((await program.app.request('/orders?step=funded')).status).toBe(400);
  const file = await program.app.request(`/exports/orders?step=awaiting&${past}`);
  const lines = (await file.text()).trim().split('\r\n');
  expect(lines.map((line) => line.split(',')[0])).toEqual(['order', 'slow']);
  expect((await program.app.request('/exports/lines?step=awaiting')).status).toBe(400);
  expect(lines.map((line) => line.split(',')[16])).toEqual(['share', '-100.01']);
  const records = await program.app.request(`/exports/orders?step=awaiting&${past}&format=ndjson`);
  expect(JSON.parse(await records.text())).toMatchObject({ share: -10_001 });
  const parquet = await program.app.request(`/exports/orders?step=awaiting&${past}&format=parquet`);
  expect(parquet.status).toBe(200);
  await parquet.arrayBuffer();
  const shown = await program.app.request('/exports/orders?currency=USD');
  expect((await shown.text()).split('\r\n')[0]).not.toContain('share');
  // Only the first page has the totals, which cover all pages.
  const first = await answer('expected', `${all}&limit=2`);
  expect(first.shares).toEqual([{ currency: 'USD', amount: 100_003, count: 5 }]);
  const second = await answer('expected', `${all}&limit=2&after=${first.next ?? ''}`);
  expect([second.orders.length, second.shares]).toEqual([2, undefined]);
  // An amount is the sum of the shares of its orders, and is zero if and only if no order has a
  // share.
  for (const query of [all, past]) {
    const { statements } = await program.get<Walk>(`/walk?${query}`);
    for (const step of walkAmounts) {
      const found = await answer(step, query);
      const amount = statements[0]?.[step] ?? 0;
      const shares = found.orders.map(({ share = 0 }) => share);
      expect([step, shares.reduce((sum, share) => sum + share, 0)]).toEqual([step, amount]);
      expect([step, found.orders.length > 0]).toEqual([step, amount !== 0]);
      expect(found.shares).toEqual(
        amount === 0 ? [] : [{ currency: 'USD', amount, count: shares.length }],
      );
    }
  }
});

test('reports how long each lender takes', async () => {
  const program = await synced();
  const lags = await program.get<Lags>('/lags');
  expect(lags.lenders).toEqual([
    { lender: 'Northway Credit', currency: 'USD', count: 2, p50Days: 2, p95Days: 2 },
    { lender: 'Tardy Bank', currency: 'USD', count: 1, p50Days: 8, p95Days: 8 },
  ]);
  const late = await program.get<Lags>(`/lags?from=${dayBefore(5)}&currency=USD`);
  expect(late.lenders.map(({ lender }) => lender)).toEqual(['Tardy Bank']);
  expect((await program.get<Lags>('/lags?currency=EUR')).lenders).toEqual([]);
});

test('expects each open settle on its lender’s posting day', async () => {
  const program = await synced();
  const forecast = await program.get<Forecast>('/forecast');
  expect(forecast.days).toEqual([
    { day: dayBefore(-4), currency: 'USD', amount: 30_000, count: 1 },
  ]);
  expect(forecast.late).toEqual([{ currency: 'USD', amount: 40_000, count: 1 }]);
  // No funding of these orders has named the lender.
  expect(forecast.lenders).toEqual([
    { due: 'late', currency: 'USD', amount: 40_000, count: 1 },
    { due: 'expected', day: dayBefore(-4), currency: 'USD', amount: 30_000, count: 1 },
  ]);
});

test('finds the orders that add up to each amount of the forecast', async () => {
  const program = await synced();
  const sharesOf = async (query: string) => {
    const { orders, shares } = await program.get<z.infer<typeof orderStatusesSchema>>(
      `/orders?${query}`,
    );
    return [orders.map(({ merchantOrderId, share }) => [merchantOrderId, share]), shares];
  };
  const waiting = [[['waiting', 30_000]], [{ currency: 'USD', amount: 30_000, count: 1 }]];
  const missing = [[['missing', 40_000]], [{ currency: 'USD', amount: 40_000, count: 1 }]];
  expect(await sharesOf(`due=${dayBefore(-4)}`)).toEqual(waiting);
  expect(await sharesOf(`due=${dayBefore(0)}..${dayBefore(-6)}&lenderUnknown=true`)).toEqual(
    waiting,
  );
  expect(await sharesOf(`due=${dayBefore(-5)}..${dayBefore(-6)}`)).toEqual([[], []]);
  expect(await sharesOf('due=late&currency=USD')).toEqual(missing);
  expect(await sharesOf('due=late&lender=Tardy%20Bank')).toEqual([[], []]);
  const file = await (await program.app.request('/exports/orders?due=late')).text();
  expect(
    file
      .trim()
      .split('\r\n')
      .map((line) => line.split(',')[16]),
  ).toEqual(['share', '400.00']);
  for (const wrong of [
    'due=soon',
    'due=late&step=awaiting',
    'lenderUnknown=true',
    'due=late&lenderUnknown=true&lender=Tardy%20Bank',
  ]) {
    expect((await program.app.request(`/orders?${wrong}`)).status).toBe(400);
  }
});

test('finds the orders of the fundings in each number of the radar', async () => {
  const program = await synced();
  const lender = 'Tardy Bank';
  const periods = ['', `from=${dayBefore(6)}&to=${dayBefore(3)}&`, `lender=${lender}&`];
  let compared = 0;
  for (const period of periods) {
    const { rows } = await program.get<RadarRecord>(`/radar?${period}currency=USD`);
    for (const { all, currency, status, wrong, ...row } of rows) {
      const right = { count: all.count - wrong.count, amount: all.amount - wrong.amount };
      const own = `${period.replace(/^lender.*/, '')}claim=${status}&lender=${row.lender}&currency=${currency}`;
      const verdicts = [
        ['', all],
        ['&verdict=right', right],
        ['&verdict=wrong', wrong],
      ] as const;
      for (const [verdict, { amount, count }] of verdicts) {
        const { orders, shares = [] } = await program.get<z.infer<typeof orderStatusesSchema>>(
          `/orders?${own}${verdict}`,
        );
        const expected = { currency, amount, count: orders.length, fundings: count };
        expect(shares, own + verdict).toEqual(count === 0 ? [] : [expected]);
        expect(orders.reduce((sum, { share = 0 }) => sum + share, 0)).toBe(amount);
        compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(8);
  const file = await (await program.app.request('/exports/orders?claim=RECONCILED')).text();
  expect(file.split('\r\n')[0]).toMatch(/,share\b/);
  for (const wrong of ['verdict=wrong', 'claim=X&step=awaiting', 'claim=X&due=late']) {
    expect((await program.app.request(`/orders?${wrong}`)).status).toBe(400);
  }
});

test('finds the orders of the fundings in each discount of the audit', async () => {
  const program = await synced();
  let compared = 0;
  for (const period of ['', `from=${dayBefore(6)}&to=${dayBefore(3)}&`]) {
    const { rows } = await program.get<DiscountAuditRecord>(`/discounts?${period}currency=USD`);
    for (const { currency, lender, productType, promoCode, agreedFrom, settles, refunds } of rows) {
      const own = new URLSearchParams({ lender, currency });
      for (const [name, value] of Object.entries({ productType, promoCode, agreedFrom })) {
        if (value !== undefined) own.set(name, value);
      }
      for (const [part, count, amount] of [
        ['settles', settles.count, settles.discount],
        ['refunds', refunds.count, refunds.returned],
      ] as const) {
        const { orders, shares = [] } = await program.get<z.infer<typeof orderStatusesSchema>>(
          `/orders?${period}${own.toString()}&discount=${part}`,
        );
        const expected = { currency, amount, count: orders.length, fundings: count };
        expect(shares).toEqual(count === 0 ? [] : [expected]);
        compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(3);
  for (const wrong of [
    'productType=Loan',
    'discount=settles&claim=X',
    'discount=settles&due=late',
  ]) {
    expect((await program.app.request(`/orders?${wrong}`)).status).toBe(400);
  }
});

test('excludes orders with a guessed currency from every sum', async () => {
  const shop = await startShop(0);
  shop.entries.length = 0;
  const program = await run(readConfiguration(variablesOf(shop), () => ''));
  await program.sync({ from: dayBefore(4), to: dayBefore(0) });
  expect(await program.get<Lags>('/lags')).toMatchObject({ lenders: [], assumedCurrency: 1 });
  expect(await program.get<Forecast>('/forecast')).toMatchObject({
    days: [],
    late: [],
    assumedCurrency: 1,
  });
  expect(await program.get(`/orders?step=net`)).toMatchObject({ orders: [] });
});
