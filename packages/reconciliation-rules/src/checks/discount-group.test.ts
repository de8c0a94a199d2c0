import { expect, it, test } from 'vitest';
import { agreedDiscounts } from '../sums/discount-audit.ts';
import { auditDiscounts } from '../sums/discount-audit.fixture.ts';
import type { FundingLine, LedgerLine } from '../order/lines.ts';
import { funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1' });
const paid = (discountAmount: number, other: Partial<FundingLine> = {}) =>
  funding('Settle', 10_000, { transactionId: 'T1', discountAmount, ...other });
const found = (ledger: readonly LedgerLine[], fundings: readonly FundingLine[], terms = policy) =>
  reconcileOrder(order(ledger, fundings), terms).exceptions.map(({ code, amount }) => [
    code,
    amount,
  ]);

it.each([
  // 2.9 percent of 10,000 is 290 exactly.
  [289, [['MDR_VARIANCE', -1]]],
  [290, []],
  [291, [['MDR_VARIANCE', 1]]],
])('reports a discount that is off by a whole unit: %i', (discount, findings) => {
  expect(found([settle], [paid(discount)])).toEqual(findings);
});

test('reports a refund without any returned discount, unless rounded totals explain it', () => {
  // 2.9 percent of 20 is 0.58, rounded one unit. For both together it is 1.16, also one unit.
  const refund = (transactionId: string) => line('Refund', 20, { transactionId });
  const taken = (transactionId: string, discountAmount: number) =>
    funding('Refund', 20, { transactionId, discountAmount });
  expect(found([settle, refund('T2')], [paid(290), taken('T2', 0)])).toEqual([
    ['MDR_NOT_RETURNED', 1],
  ]);
  const ledger = [settle, refund('T2'), refund('T3')];
  expect(found(ledger, [paid(290), taken('T2', 1), taken('T3', 0)])).toEqual([]);
  expect(found(ledger, [paid(290), taken('T2', 0), taken('T3', 0)])).toEqual([
    ['MDR_NOT_RETURNED', 2],
  ]);
  // A discount that another lender returned proves nothing about this lender.
  const other = { lenderName: 'Tamberley', transactionId: 'T3', discountAmount: 1 };
  const terms = {
    ...policy,
    contracts: ['Quillmoor', 'Tamberley'].map((lender) => ({
      lender,
      basisPoints: 290,
      returnedOnRefund: true,
    })),
  };
  const both = [paid(290), taken('T2', 0), funding('Refund', 20, other)];
  expect(found(ledger, both, terms)).toEqual([['MDR_NOT_RETURNED', 1]]);
  // On such a small settle, a discount of zero is rounding, whether or not there are refunds.
  const small = line('Settle', 20, { transactionId: 'T1' });
  const kept = funding('Settle', 20, { transactionId: 'T1', discountAmount: 0 });
  expect(found([small, refund('T2')], [kept, taken('T2', 1)])).toEqual([]);
});

const twice = [paid(290), paid(100)];
const mistyped = [funding('Refund', 10_000, { transactionId: 'T1', discountAmount: 0 })];

test.each([
  ['twice', twice, [['DUPLICATE_FUNDING', 10_000]]],
  ['under a wrong type', mistyped, [['TYPE_MISMATCH', 10_000]]],
])('does not check the discount of fundings that were posted %s', (_, fundings, findings) => {
  expect(found([settle], fundings)).toEqual(findings);
});

test('the audit excludes duplicates and fundings of a wrong type', () => {
  const once = auditDiscounts(new Map(), order([settle], [paid(290)]), policy);
  expect(auditDiscounts(new Map(), order([settle], twice), policy)).toEqual(once);
  expect([...once.values()]).toMatchObject([{ settles: { count: 1, discount: 290 } }]);
  expect(auditDiscounts(new Map(), order([settle], mistyped), policy)).toEqual(new Map());
});

test('the audit shows the kept and the returned discount of refunds', () => {
  const refund = line('Refund', 4_000, { transactionId: 'T2' });
  const back = funding('Refund', 4_000, { transactionId: 'T2', discountAmount: 100 });
  const keptOf = (returnedOnRefund: boolean) => {
    const contracts = policy.contracts.map((contract) => ({ ...contract, returnedOnRefund }));
    const lines = order([settle, refund], [paid(290), back]);
    const sums = auditDiscounts(new Map(), lines, { ...policy, contracts });
    return [...sums.values()].map(({ refunds }) => refunds);
  };
  const told = { count: 1, amount: 4_000, returned: 100, kept: 16 };
  expect(keptOf(true)).toEqual([{ ...told, variance: 16 }]);
  expect(keptOf(false)).toEqual([{ ...told, variance: -100 }]);
});

test('accepts the discount of the expected amount for a wrong amount, but not for a part under its own contract', () => {
  const [usual] = policy.contracts;
  if (!usual) throw new Error('there is one');
  const terms = {
    ...policy,
    contracts: [usual, { ...usual, productType: 'Installments', basisPoints: 400 }],
  };
  const part = (amount: number, discountAmount: number, productType?: string) =>
    funding('Settle', amount, { transactionId: 'T1', discountAmount, productType });
  expect(found([settle], [part(9_000, 290)], terms)).toEqual([['AMOUNT_MISMATCH', -1_000]]);
  // 2.9 percent of 4,000 is 116, 4 percent of 6,000 is 240.
  const fundings = [part(4_000, 290), part(6_000, 240, 'Installments')];
  expect(found([settle], fundings, terms)).toEqual([['MDR_VARIANCE', 174]]);
  // The two parts are rounded as one amount, under the second contract too.
  const halves = [part(3_000, 121, 'Installments'), part(3_000, 119, 'Installments')];
  expect(found([settle], [part(4_000, 290), ...halves], terms)).toEqual([['MDR_VARIANCE', 174]]);
  expect(agreedDiscounts(order([settle], fundings), terms)).toMatchObject([
    { amount: 4_000, agreed: 116, kept: 174 },
    { amount: 6_000, agreed: 240, kept: 0 },
  ]);
});
