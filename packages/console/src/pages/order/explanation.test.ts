import { expect, test } from 'vitest';
import type { OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { setZone } from '../../locale/locale.ts';
import { explanationText } from './explanation.ts';

test('formats sums, reasons, discounts, suggestions, timeline and open cases as text', () => {
  setZone('America/New_York');
  const explanation = {
    orderKey: 'order:A-1',
    merchantOrderId: 'A-1',
    currencies: [
      {
        currency: 'CAD',
        status: {
          headline: 'MDR_VARIANCE',
          expected: { settle: 270_544, refund: 0 },
          funded: { settle: 270_544, refund: 0, chargeback: 0, reversal: 0 },
          discount: 15_927,
          net: 254_617,
        },
        reasons: ['The lender kept 0.35 CAD less discount than the contract allows.'],
        discounts: [
          {
            kind: 'settle',
            lender: 'Meadow Credit',
            amount: 270_544,
            agreed: 15_962,
            discount: 15_927,
            agreedBasisPoints: 590,
            variance: -35,
            agreedFrom: '2026-01-01T04:30:00.000Z',
          },
        ],
        suggestions: [{ orderKey: 'funding:r.1', open: -500, daysApart: -2 }],
      },
    ],
    cases: [
      { id: 'case_1', code: 'MDR_VARIANCE', state: 'open', assignee: 'anna' },
      { id: 'case_2', code: 'OVER_FUNDED', state: 'closed' },
    ],
    timeline: [
      {
        at: '2026-11-01T03:30:54.094Z',
        source: 'ledger',
        what: 'Settle',
        amount: 270_544,
        currency: 'CAD',
      },
    ],
    notSearched: [{ gap: 'quarantined', count: 1 }],
  } as unknown as OrderExplanation;

  expect(explanationText(explanation)).toBe(`A-1

CAD  Discount differs from the contract
  The lender kept 0.35 CAD less discount than the contract allows.
  settled, refunded       2705.44 CAD  0.00 CAD
  funded, taken back      2705.44 CAD  0.00 CAD
  charged back, reversed  0.00 CAD     0.00 CAD
  discount, net           159.27 CAD   2546.17 CAD
  5.9% of 2705.44 CAD agreed with Meadow Credit since 2025-12-31: 159.62 CAD, kept 159.27 CAD, 0.35 CAD too little kept
  possibly related: funding:r.1, -5.00 CAD open, 2 days before

America/New_York:
2026-10-31 23:30  ledger  Settle  2705.44 CAD

case case_1  MDR_VARIANCE  open  anna

Not searched: 1 record in quarantine.
`);
});
