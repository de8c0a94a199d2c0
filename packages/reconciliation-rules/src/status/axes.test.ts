import { describe, expect, it } from 'vitest';
import { lenient } from '../exceptions.fixture.ts';
import { day, funding, line, order } from '../order.fixture.ts';
import { reconcileOrder } from './order-status.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1', occurredAt: day(99) });
const paid = funding('Settle', 10_000, { transactionId: 'T1' });
const refunded = (amount: number) => funding('Refund', amount, { transactionId: 'T2' });
const chargedBack = (amount: number) => funding('Chargeback', amount, { fundedAt: day(40) });
const reversed = (amount: number) => funding('Reversal', amount, { fundedAt: day(50) });

describe('within a tolerance of ten units', () => {
  it.each([
    ['UNFUNDED', 10],
    ['PARTIALLY_FUNDED', 11],
    ['PARTIALLY_FUNDED', 9_989],
    ['FUNDED', 9_990],
    ['FUNDED', 10_010],
    ['OVER_FUNDED', 10_011],
  ])('%s: %i of 10,000 are paid', (axis, amount) => {
    const lines = order([settle], [funding('Settle', amount, { transactionId: 'T1' })]);
    expect(reconcileOrder(lines, lenient(10)).funding).toBe(axis);
  });

  it.each([
    ['NONE', 'a refund of 10', [refunded(10)]],
    ['PARTIALLY_REFUNDED', 'a refund of 11', [refunded(11)]],
    ['PARTIALLY_REFUNDED', 'a refund of all but 11', [refunded(9_989)]],
    ['REFUNDED', 'a refund of all but 10', [refunded(9_990)]],
    ['NONE', 'a chargeback of 10', [chargedBack(10)]],
    ['PARTIALLY_CHARGED_BACK', 'a chargeback of all but 11', [chargedBack(9_989)]],
    ['CHARGED_BACK', 'a chargeback of all but 10', [chargedBack(9_990)]],
    ['CHARGED_BACK', 'of all that a refund left', [refunded(4_000), chargedBack(6_000)]],
    ['PARTIALLY_CHARGED_BACK', 'of a part of it', [refunded(4_000), chargedBack(5_000)]],
    ['CHARGEBACK_REVERSED', 'all but 10 given again', [chargedBack(6_000), reversed(5_990)]],
    ['PARTIALLY_CHARGED_BACK', 'all but 11 given again', [chargedBack(6_000), reversed(5_989)]],
    ['NONE', 'a chargeback of 10, given again', [chargedBack(10), reversed(10)]],
    ['NONE', 'more given again than was taken', [chargedBack(6_000), reversed(6_500)]],
  ])('%s: %s', (returns, _, debits) => {
    const lines = order([settle], [paid, ...debits]);
    expect(reconcileOrder(lines, lenient(10)).returns).toBe(returns);
  });
});

it('treats a refund of an unpaid order as partial', () => {
  for (const terms of [lenient(0), lenient(10)]) {
    const lines = order([settle], [refunded(4_000)]);
    expect(reconcileOrder(lines, terms).returns).toBe('PARTIALLY_REFUNDED');
  }
});
