import type {
  CaseRecord,
  DiscountAuditRecord,
  OrderExplanation,
  OrderStatusRecord,
  RadarRecord,
  ReconciliationSummary,
  Walk,
} from '@financing-checkout/contract/reconciliation';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandsOf } from './cli/cli.fixture.ts';
import { settle, startCompanion, type TestCompanion } from './companion/companion.fixture.ts';
import type { CoverageRecord, FundingDayRecord } from './http/schemas.ts';
import {
  type AtEnd,
  configure,
  dayBefore,
  run,
  type Running,
  shareProgram,
} from './program.fixture.ts';
import { wireRecord } from './sync/history.fixture.ts';

const DAY_MS = 86_400_000;
const days = { from: dayBefore(5), to: dayBefore(0) };

/**
 * Starts a shop with fundings of an order in yen and one in dinars, whose ledger has not been read
 * yet.
 */
async function startUnread(atEnd?: AtEnd): Promise<TestCompanion> {
  const shop = await startCompanion(atEnd);
  const at = new Date(Date.now() - 2 * DAY_MS).toISOString();
  const record = (index: number, amount: number) =>
    wireRecord(index, at, { transactionAmount: amount, discountAmount: 0, netAmount: amount });
  shop.records.push(record(1, 288_799), record(2, 12.345));
  return shop;
}

/** Ends the set-up: imports a line in a currency, and withdraws it. */
async function beginLedger(program: Running, currency: string): Promise<void> {
  const date = `${dayBefore(5)}T00:00:00Z`;
  const line = { merchantOrderId: 'Z-1', type: 'settle', amount: 100, currency, date };
  for (const path of ['/ledger', '/ledger?options={"withdraw":true}']) {
    const answer = await program.app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify({ ...line, transactionId: 'txn-z' }),
    });
    expect(answer.status).toBe(200);
  }
}

describe('an assumed currency', () => {
  const shared = shareProgram(startUnread);
  beforeAll(async () => {
    await beginLedger(shared.program, 'USD');
    await shared.program.sync(days);
  });

  it('is marked in each response and excluded from sums', async () => {
    const { program } = shared;
    const { orders } = await program.get<{ orders: OrderStatusRecord[] }>('/orders');
    expect(orders).toMatchObject([
      { currency: 'USD', currencyAssumed: true, headline: 'NOT_IN_LEDGER' },
    ]);
    expect(orders[0]?.reasons).toEqual([
      expect.stringContaining('288799.00 USD? for an order'),
      expect.stringMatching(/^The currency is assumed: .*RECONCILIATION_DEFAULT_CURRENCY/),
    ]);
    const assumed = await program.get<{ orders: [] }>('/orders?currencyAssumed=true');
    expect(assumed.orders).toEqual(orders);
    expect(await program.get('/orders?currencyAssumed=false')).toEqual({ orders: [] });
    const marked = { currency: 'USD', currencyAssumed: true };
    expect(await program.get('/exceptions')).toMatchObject({ exceptions: [marked] });
    expect(await program.get('/cases')).toMatchObject({ cases: [marked] });
    const uncounted = { count: 1, assumedCurrency: 1, countedWithOthers: 0, amounts: [] };
    expect(await program.get('/today')).toMatchObject({
      counts: { exception: 1, 'late-funding': 0 },
      amounts: { exception: [], 'late-funding': [] },
      assumed: { exception: 1, 'late-funding': 0 },
    });
    expect(await program.get('/cases/summary')).toEqual(uncounted);
    const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases');
    expect(await program.get(`/cases/${cases[0]?.id}`)).toMatchObject({ case: marked });
    const explanation = await program.get<OrderExplanation>('/orders/order%3AA-1');
    expect(explanation).toMatchObject({ currencies: [marked], timeline: [marked, {}] });
    const summary = await program.get<ReconciliationSummary>('/summary');
    expect(summary.exceptions).toMatchObject([
      { code: 'NOT_IN_LEDGER', currency: 'USD', open: 1, count: 1, amount: 0, assumed: 1 },
    ]);
    const walk = await program.get<Walk>('/walk');
    expect(walk).toMatchObject({ statements: [], withoutCurrency: 0, assumedCurrency: 1 });
    expect(await program.get<DiscountAuditRecord>('/discounts')).toMatchObject({
      rows: [],
      withoutCurrency: 0,
      assumedCurrency: 1,
    });
    expect(await program.get<RadarRecord>('/radar')).toMatchObject({
      rows: [],
      withoutCurrency: 0,
      assumedCurrency: 1,
    });
    expect(await program.get('/cases/aging')).toMatchObject({ cells: [], assumedCurrency: 1 });
    const { days: proven } = await program.get<{ days: FundingDayRecord[] }>('/days');
    expect(proven.find(({ records }) => records > 0)).toMatchObject({
      records: 2,
      quarantined: 1,
      assumedCurrency: 1,
      sums: {},
    });
    const coverage = await program.get<CoverageRecord>('/coverage');
    expect(coverage.quarantined[0]?.reason).toMatch(
      /^transactionAmount: amount-too-precise for USD, which is assumed/,
    );
  });

  it('is marked in tables and exports', async () => {
    const { run: command } = commandsOf(shared.program);
    const note = /^\? +The currency is assumed: .*RECONCILIATION_DEFAULT_CURRENCY/m;
    for (const words of [['orders'], ['exceptions'], ['cases', 'list'], ['explain', 'A-1']]) {
      const { out } = await command(...words);
      expect([words[0], out]).toEqual([words[0], expect.stringMatching(/288799\.00 USD\?/)]);
      expect([words[0], out]).toEqual([words[0], expect.stringMatching(note)]);
    }
    const listed = await command('exceptions');
    expect(listed.out).toMatch(/^NOT_IN_LEDGER +1 +1 +0\.00 USD +1 assumed$/m);
    for (const words of [['walk'], ['discounts'], ['radar'], ['cases', 'aging']]) {
      const { err } = await command(...words);
      expect([words[0], err]).toEqual([
        words[0],
        expect.stringMatching(
          /^1 (funding|case) is excluded from sums: its currency is assumed\./m,
        ),
      ]);
    }
    for (const table of ['orders', 'exceptions', 'cases', 'lines']) {
      const { out } = await command('export', table);
      const [head = '', line = ''] = out.split('\r\n').map((row) => row.split(','));
      const at = Array.from(head).indexOf('currency_assumed');
      expect([table, line[at]]).toEqual([table, 'yes']);
      const rows = await command('export', table, '--format', 'ndjson');
      expect([table, JSON.parse(rows.out)]).toMatchObject([table, { currencyAssumed: true }]);
    }
    const walk = await command('walk', '--format', 'csv');
    expect(walk.out.split('\r\n')[0]).toMatch(/,left_out/);
  });

  it('is marked in the comparison of operations and excluded from its amounts', async () => {
    const answer = await shared.program.app.request(`/migration?from=${days.from}&to=${days.to}`);
    const lines = (await answer.text()).trim().split('\n');
    const summary: unknown = JSON.parse(lines.at(-1) ?? '');
    const becomes = { records: 'RECONCILED', report: 'RECONCILED', count: 1 };
    expect(summary).toMatchObject({
      becomes: [1, 2].map((version) => ({ ...becomes, version, assumedCurrency: 1, amounts: {} })),
    });
  });

  it('is not assumed when the merchant configures it', async () => {
    const shop = await startUnread();
    const program = await run(configure(shop, { RECONCILIATION_DEFAULT_CURRENCY: 'JPY' }));
    await beginLedger(program, 'JPY');
    await program.sync(days);
    const { orders } = await program.get<{ orders: OrderStatusRecord[] }>('/orders');
    expect(orders).toMatchObject([{ currency: 'JPY', reasons: [expect.any(String)] }]);
    expect(orders[0]).not.toHaveProperty('currencyAssumed');
    expect(await program.get<Walk>('/walk')).toMatchObject({
      assumedCurrency: 0,
      statements: [{ currency: 'JPY', other: 288_799, unexplained: 0 }],
    });
    const summary = await program.get<ReconciliationSummary>('/summary');
    expect(summary.exceptions).toMatchObject([{ currency: 'JPY', amount: 288_799, assumed: 0 }]);
    const coverage = await program.get<CoverageRecord>('/coverage');
    expect(coverage.quarantined[0]?.reason).toBe('transactionAmount: amount-too-precise');
  });

  it('is replaced when the ledger contains the order’s currency', async () => {
    const { shop, program } = shared;
    for (const [index, [currency, value]] of [
      ['JPY', 288_799] as const,
      ['KWD', 12_345] as const,
    ].entries()) {
      const number = index + 1;
      const ids = { transactionId: `txn-${number}`, merchantTransactionId: `mtx-${number}` };
      shop.entries.push(settle(number, `A-${number}`, 0, { ...ids, amount: { value, currency } }));
    }
    await program.sync(days);
    const { orders } = await program.get<{ orders: OrderStatusRecord[] }>('/orders');
    expect(orders).toMatchObject([
      { currency: 'JPY', headline: 'FUNDED' },
      { currency: 'KWD', headline: 'FUNDED' },
    ]);
    expect(orders.filter((order) => 'currencyAssumed' in order)).toEqual([]);
    expect(await program.get<Walk>('/walk')).toMatchObject({ assumedCurrency: 0 });
    expect(await program.get('/cases?state=open')).toEqual({ cases: [] });
  });
});
