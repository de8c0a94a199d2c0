import type {
  CaseRecord,
  OrderExplanation,
  OrderStatusRecord,
  ReconciliationSummary,
  Walk,
} from '@financing-checkout/contract/reconciliation';
import { expect, test } from 'vitest';
import { commandsOf } from './cli/cli.fixture.ts';
import { settle, startCompanion } from './companion/companion.fixture.ts';
import { configure, dayBefore, run } from './program.fixture.ts';
import { wireRecord } from './sync/history.fixture.ts';

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const nameless = { transactionId: null, merchantTransactionId: null, lenderReferenceId: null };
const days = () => ({ from: dayBefore(20), to: dayBefore(0) });

/**
 * Starts a shop with one order in two currencies, settled 17 days ago, and a funding that may be in
 * either.
 */
async function startTwoCurrencies(posted: number) {
  const shop = await startCompanion();
  for (const [index, currency] of ['USD', 'JPY'].entries()) {
    shop.entries.push({
      ...settle(index + 1, 'A-1', 0, { amount: { value: 30_000, currency } }),
      transactionId: `t-${currency}`,
      merchantTransactionId: `m-${currency}`,
      occurredAt: ago(17),
    });
  }
  shop.records.push(
    wireRecord(1, ago(16), {
      ...nameless,
      chargeId: null,
      merchantOrderId: 'A-1',
      transactionAmount: posted,
      discountAmount: 0,
      netAmount: posted,
    }),
  );
  return shop;
}

test('reports an order in two currencies as late in both despite a funding that may be in either', async () => {
  const shop = await startTwoCurrencies(55);
  const program = await run(configure(shop));
  await program.sync(days());
  const { orders } = await program.get<{ orders: OrderStatusRecord[] }>('/orders');
  expect(orders).toMatchObject([
    { currency: '', headline: 'CURRENCY_UNKNOWN', funded: { settle: 0 }, net: 0 },
    { currency: 'JPY', headline: 'MISSING_AT_LENDER', awaiting: 0 },
    { currency: 'USD', headline: 'MISSING_AT_LENDER', awaiting: 0 },
  ]);
  expect(orders[0]?.reasons[0]).toMatch(/^One funding of 55 \(currency not known\) belongs to/);
  const summary = await program.get<ReconciliationSummary>('/summary');
  expect(summary.exceptions).toMatchObject([
    { code: 'CURRENCY_UNKNOWN', currency: '', open: 1, count: 1, amount: null },
    { code: 'MISSING_AT_LENDER', currency: 'JPY', open: 1, count: 1, amount: 30_000 },
    { code: 'MISSING_AT_LENDER', currency: 'USD', open: 1, count: 1, amount: 30_000 },
  ]);
  const walk = await program.get<Walk>('/walk');
  expect(walk).toMatchObject({
    withoutCurrency: 1,
    statements: [
      { currency: 'JPY', expected: 30_000, short: -30_000, awaiting: 0, net: 0, unexplained: 0 },
      { currency: 'USD', expected: 30_000, short: -30_000, awaiting: 0, net: 0, unexplained: 0 },
    ],
  });
  const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases?state=open');
  expect(cases.map(({ code, currency }) => [code, currency]).sort()).toEqual([
    ['CURRENCY_UNKNOWN', ''],
    ['MISSING_AT_LENDER', 'JPY'],
    ['MISSING_AT_LENDER', 'USD'],
  ]);
  const aging = await program.get('/cases/aging');
  expect(aging).toMatchObject({
    cells: [{ currency: '', money: '10–100', amount: null }, {}, {}],
  });
  const { currencies } = await program.get<OrderExplanation>('/orders/order%3AA-1');
  expect(currencies).toMatchObject([
    { currency: '', fundings: [{ transactionAmount: 550_000 }], ledger: [] },
    { currency: 'JPY', fundings: [] },
    { currency: 'USD', fundings: [] },
  ]);
  const { run: command } = commandsOf(program);
  const listed = await command('exceptions');
  expect(listed.code).toBe(2);
  expect(listed.out).toMatch(/^CURRENCY_UNKNOWN +1 +1 +currency not known$/m);
  expect(listed.out).toMatch(/^A-1 +CURRENCY_UNKNOWN +55 \(currency not known\)/m);
  // A fully explained sum does not include a funding that no sum includes.
  const shown = await command('walk');
  expect(shown.out).toMatch(/^Unexplained, with 1 funding in no sum +0 JPY$/m);
  expect(shown.out).toMatch(/^Unexplained, with 1 funding in no sum +0\.00 USD$/m);
  const file = await command('export', 'exceptions');
  expect(file.out).toMatch(/^A-1,order:A-1,,CURRENCY_UNKNOWN,55,55,1,/m);
});

test('assigns a funding to the currency in which a line has its amount', async () => {
  const shop = await startTwoCurrencies(300);
  const program = await run(configure(shop));
  await program.sync(days());
  const { orders } = await program.get<{ orders: OrderStatusRecord[] }>('/orders');
  // 300.00 USD is the amount of a line: that line is paid, and the other one is late.
  expect(orders).toMatchObject([
    { currency: 'JPY', headline: 'MISSING_AT_LENDER' },
    { currency: 'USD', headline: 'FUNDED' },
  ]);
});
