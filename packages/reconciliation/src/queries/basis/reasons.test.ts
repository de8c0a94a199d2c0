import { describe, expect, it } from 'vitest';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { reasonsOf } from './reasons.ts';

const utc = new Calendar('UTC');

const status: Parameters<typeof reasonsOf>[0] = {
  orderKey: 'order:A-1',
  merchantOrderId: 'A-1',
  currency: 'USD',
  funding: 'PARTIALLY_FUNDED',
  returns: 'NONE',
  headline: 'AMBIGUOUS_PAYMENT',
  expected: { settle: 60_000, refund: 0 },
  funded: { settle: 30_000, refund: 0, chargeback: 0, reversal: 0 },
  discount: 0,
  net: 30_000,
  awaiting: 0,
  exceptions: [],
  computedAt: '2026-04-01T00:00:00.000Z',
  changedAt: '2026-04-01T00:00:00.000Z',
};
const since = '2026-01-12T00:00:00.000Z';

describe('the reasons of an order', () => {
  it('do not claim that nothing was posted when a funding fits two sets of lines', () => {
    const reasons = reasonsOf(
      {
        ...status,
        exceptions: [
          { code: 'AMBIGUOUS_PAYMENT', amount: 30_000, count: 1, since },
          { code: 'MISSING_AT_LENDER', amount: 60_000, count: 4, since },
        ],
      },
      utc,
    );
    expect(reasons[1]).toBe(
      '4 settles of 600.00 USD are overdue: no funding is known to pay them. Ask the lender when it pays.',
    );
  });

  it('state the larger direction of wrong amounts that offset each other', () => {
    const [reason] = reasonsOf(
      {
        ...status,
        exceptions: [{ code: 'AMOUNT_MISMATCH', amount: -1_000, count: 2, since }],
      },
      utc,
    );
    expect(reason).toBe(
      'Transactions were funded with 10.00 USD less than the ledger expects; differences in the other direction are not subtracted. Compare with the lender’s statement, and correct the wrong side.',
    );
  });
});
