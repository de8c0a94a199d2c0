import type {
  CaseRecord,
  CaseSummary,
  Claims,
  Forecast,
  OrderStatusRecord,
  ReconciliationSummary,
  ShareSum,
  Today,
} from '@financing-checkout/contract/reconciliation';
import { beforeAll, expect, test } from 'vitest';
import { commandsOf } from '../cli/cli.fixture.ts';
import { settle, startCompanion } from '../companion/companion.fixture.ts';
import { shareProgram } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

const shared = shareProgram(async (atEnd) => {
  const shop = await startCompanion(atEnd);
  const post = (index: number, order: string, change: Record<string, unknown>) => {
    const ids = ['transactionId', 'merchantTransactionId', 'lenderReferenceId'] as const;
    shop.records.push({
      ...wireRecord(index, ago(18)),
      merchantOrderId: order,
      chargeId: null,
      discountAmount: 0,
      ...Object.fromEntries(ids.map((name) => [name, `${order} ${index}`])),
      ...change,
    });
  };
  const posted = (amount: number) => ({ transactionAmount: amount, netAmount: amount });
  // Three of four equal settles are paid in one sum, and nothing shows which three.
  for (const part of [1, 2, 3, 4]) {
    const ids = { transactionId: `txn-${part}`, merchantTransactionId: `mtx-${part}` };
    const amount = { value: 164_793, currency: 'CAD' };
    shop.entries.push(settle(10 + part, 'parts', 0, { ...ids, amount, occurredAt: ago(20) }));
  }
  post(90, 'parts', posted(4_943.79));
  // Refunded in part, and charged back as a whole: 40.00 is taken twice.
  const paid = { transactionId: 'both 91', merchantTransactionId: 'both 91' };
  shop.entries.push(settle(20, 'both', 10_000, { ...paid, occurredAt: ago(20) }), {
    ...settle(21, 'both', 4_000, { occurredAt: ago(19) }),
    type: 'Refund',
  });
  post(91, 'both', posted(100));
  post(92, 'both', { ...posted(40), transactionType: 'Refund' });
  post(93, 'both', { ...posted(100), transactionType: 'Chargeback', fundedAt: ago(10) });
  // An order without a ledger line, so that no source states its currency.
  post(94, 'unknown', posted(15.09));
  return shop;
});

beforeAll(() => shared.program.sync({ from: ago(21).slice(0, 10), to: ago(0).slice(0, 10) }));

interface Aging {
  cells: { currency: string; amount: number }[];
}
type Sums = Record<string, number>;
const sumsOf = (list: readonly { amount: number | null; currency: string }[] = []): Sums => {
  const sums: Sums = {};
  for (const { amount, currency } of list) {
    if (amount !== 0) sums[currency] = (sums[currency] ?? 0) + (amount ?? Number.NaN);
  }
  return sums;
};
const stakeOf = ({ amount, atStake }: CaseRecord) => atStake ?? Math.abs(amount);
/** The unpaid parts in CAD and the chargeback in USD. The order without a currency is in no sum. */
const expected: Sums = { CAD: 164_793, USD: 10_000 };

test('counts each amount of an order once in each answer, export and command', async () => {
  const { program } = shared;
  const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases');
  const known = cases.filter(({ currencyAssumed }) => currencyAssumed !== true);
  expect(sumsOf(known.map((one) => ({ ...one, amount: stakeOf(one) })))).toEqual(expected);
  const stakes = (order: string) =>
    Object.fromEntries(
      cases.flatMap((one) => (one.merchantOrderId === order ? [[one.code, stakeOf(one)]] : [])),
    );
  expect(stakes('parts')).toEqual({ MISSING_AT_LENDER: 164_793, AMBIGUOUS_PAYMENT: 0 });
  expect(stakes('both')).toEqual({ DOUBLE_DEBIT: 4_000, CHARGEBACK_OPEN: 6_000 });

  const summary = await program.get<CaseSummary>('/cases/summary?state=open');
  expect(sumsOf(summary.amounts)).toEqual(expected);
  expect(summary).toMatchObject({ count: 5, assumedCurrency: 1, countedWithOthers: 1 });
  const aging = await program.get<Aging>('/cases/aging');
  expect(sumsOf(aging.cells)).toEqual(expected);
  const { exceptions } = await program.get<ReconciliationSummary>('/summary');
  expect(sumsOf(exceptions)).toEqual(expected);

  const today = await program.get<Today>('/today');
  const { exception = [], 'late-funding': late = [] } = today.amounts;
  expect(sumsOf([...exception, ...late])).toEqual(expected);
  const items = today.items.filter(({ currencyAssumed }) => currencyAssumed !== true);
  expect(sumsOf(items.map(({ amount = 0, currency = '' }) => ({ amount, currency })))).toEqual(
    expected,
  );
  expect(today.assumed).toEqual({ exception: 1, 'late-funding': 0 });

  const forecast = await program.get<Forecast>('/forecast');
  expect(sumsOf(forecast.late)).toEqual(sumsOf(late));
  const due = await program.get<{ shares: ShareSum[] }>('/orders?due=late');
  expect(sumsOf(due.shares)).toEqual(sumsOf(late));

  const { run: command } = commandsOf(program);
  const csv = async (words: readonly string[], column: string) => {
    const { out } = await command(...words, '--format', 'csv');
    const [head = [], ...lines] = out
      .trim()
      .split('\r\n')
      // No quoted text is needed.
      .map((line) => line.replaceAll(/"[^"]*"/g, '').split(','));
    const rows = lines.map((line) => new Map(head.map((name, at) => [name, line[at] ?? ''])));
    const counted = rows.filter((row) => row.get('currency_assumed') !== 'yes');
    return sumsOf(
      counted.map((row) => ({
        currency: row.get('currency') ?? '',
        amount: Math.round(Number(row.get(column)) * 100),
      })),
    );
  };
  expect(await csv(['export', 'cases', '--state', 'open'], 'at_stake')).toEqual(expected);
  expect(await csv(['export', 'exceptions'], 'at_stake')).toEqual(expected);
  expect(await csv(['today'], 'amount')).toEqual(expected);
  expect(await csv(['cases', 'aging'], 'amount')).toEqual(expected);
  const ndjson = await command('export', 'cases', '--format', 'ndjson');
  const records = ndjson.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Pick<CaseRecord, 'id'> & { atStake: number | null });
  expect(records.map(({ id, atStake }) => [id, atStake ?? undefined]).toSorted()).toEqual(
    cases.map(({ id, atStake }) => [id, atStake]).toSorted(),
  );
  const printed = (await command('cases', 'aging', '--json')).out.trim().split('\n');
  const cells = printed.map((line) => JSON.parse(line) as Aging['cells'][number]);
  expect(sumsOf(cells)).toEqual(expected);
});

test('counts unposted amounts, regardless of which settles the fundings may pay', async () => {
  const { orders } = await shared.program.get<{ orders: OrderStatusRecord[] }>('/orders');
  const parts = orders.find(({ orderKey }) => orderKey === 'order:parts');
  const open = (parts?.expected.settle ?? 0) - (parts?.funded.settle ?? 0);
  expect(open).toBe(expected.CAD);
});

test('counts the whole amount once the case that counted a part is decided', async () => {
  const { program } = shared;
  const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases?code=MISSING_AT_LENDER');
  const [{ id } = { id: '' }] = cases;
  const act = (verb: string) =>
    program.post(`/cases/${id}/${verb}`, { reason: 'agreed' }, { 'idempotency-key': `${verb}-1` });
  await act('ignore');
  const sums = async () =>
    sumsOf((await program.get<CaseSummary>('/cases/summary?state=open')).amounts);
  expect(await sums()).toEqual({ ...expected, CAD: 494_379 });
  const forecast = await program.get<Forecast>('/forecast');
  expect(forecast.late).toEqual([]);
  await act('reopen');
  expect(await sums()).toEqual(expected);
});

test('lists the open cases of a lender with the ledger lines and this lender’s fundings', async () => {
  const { program } = shared;
  const lender = 'Northway Credit';
  const read = (more = '') =>
    program.get<Claims>(`/cases/claims?lender=${encodeURIComponent(lender)}${more}`);
  const { claims, next, sums } = await read();
  expect(next).toBeUndefined();
  const ofBoth = claims.filter(({ merchantOrderId }) => merchantOrderId === 'both');
  const [{ caseId } = { caseId: '' }] = ofBoth;
  expect(
    ofBoth
      .filter((one) => one.caseId === caseId)
      .map(({ amount, side, transactionId, type }) => [side, type, amount, transactionId]),
  ).toEqual([
    ['sent', 'Settle', 10_000, 'both 91'],
    ['sent', 'Refund', 4_000, expect.any(String)],
    ['posted', 'Settle', 10_000, 'both 91'],
    ['posted', 'Refund', 4_000, 'both 92'],
    ['posted', 'Chargeback', 10_000, 'both 93'],
  ]);
  expect(sums).toContainEqual({
    code: 'CHARGEBACK_OPEN',
    currency: 'USD',
    difference: 10_000,
    cases: 1,
    count: 1,
  });
  const first = await read('&limit=1');
  const second = await read(`&limit=1&after=${first.next}`);
  expect(second.sums).toBeUndefined();
  const ids = (list: Claims) => [...new Set(list.claims.map((one) => one.caseId))];
  expect([...ids(first), ...ids(second)]).toEqual(ids({ claims }).slice(0, 2));
});
