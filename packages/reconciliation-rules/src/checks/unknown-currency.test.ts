import { describe, expect, it } from 'vitest';
import { cashFlows } from '../sums/cash-flow.ts';
import { auditDiscounts } from '../sums/discount-audit.fixture.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';
import type { OrderLines } from '../order/lines.ts';
import { sweepClaims } from '../sums/radar.fixture.ts';

/** Returns fundings of unknown currency, in ten-thousandths. */
const unknown = (...fundings: OrderLines['fundings']): OrderLines => ({
  ...order([], fundings),
  currency: '',
});

describe('fundings of an unknown currency', () => {
  it('form one exception and are excluded from all sums', () => {
    const lines = unknown(
      funding('Settle', 6_000_000, { fundedAt: day(14) }),
      funding('Settle', 48_900, { fundedAt: day(13) }),
      funding('Refund', 1_000, { status: 'MISSING' }),
      funding('Authorize', 9_000_000),
    );
    const status = reconcileOrder(lines, { ...policy, complete: false });
    expect(status).toMatchObject({
      headline: 'CURRENCY_UNKNOWN',
      exceptions: [{ code: 'CURRENCY_UNKNOWN', amount: 6_048_900, count: 3, since: day(12) }],
      funding: 'NONE',
      returns: 'NONE',
      discount: 0,
      net: 0,
      awaiting: 0,
      expected: { settle: 0, refund: 0 },
      funded: { settle: 0, refund: 0, chargeback: 0, reversal: 0 },
    });
    expect(cashFlows(lines, policy)).toEqual([]);
    expect(auditDiscounts(new Map(), lines, policy).size).toBe(0);
    expect(sweepClaims(new Map(), lines, policy).size).toBe(0);
  });

  it('have no exception when the posting is reversed', () => {
    const both = [500, -500].map((amount) => funding('Settle', amount, { transactionId: 'T1' }));
    expect(reconcileOrder(unknown(...both), policy).exceptions).toEqual([]);
  });
});

describe('lines that a funding of an unknown currency may pay', () => {
  const ledger = [line('Settle', 10_000), line('Settle', 2_500), line('Refund', 10_000)];

  it('are awaited, while all others are missing', () => {
    const unplaced = [{ kind: 'settle' as const, amount: 10_000 }];
    const lines = { ...order(ledger, []), unplaced };
    expect(reconcileOrder(lines, policy)).toMatchObject({
      headline: 'REFUND_NOT_TAKEN',
      awaiting: 10_000,
      exceptions: [
        { code: 'REFUND_NOT_TAKEN', amount: 10_000 },
        { code: 'MISSING_AT_LENDER', amount: 2_500 },
      ],
    });
    const short = cashFlows(lines, policy).filter(({ step }) => step === 'short');
    expect(short.map(({ amount }) => amount)).toEqual([2_500]);
  });

  it('are missing when another funding pays part of them', () => {
    const named = [line('Settle', 10_000, { transactionId: 'T1' })];
    const paid = [funding('Settle', 4_000, { transactionId: 'T1' })];
    const unplaced = [{ kind: 'settle' as const, amount: 10_000 }];
    expect(reconcileOrder({ ...order(named, paid), unplaced }, policy)).toMatchObject({
      headline: 'AMOUNT_MISMATCH',
    });
  });
});
