import { expect, test } from 'vitest';
import { chargeStates } from './charge-state.ts';
import { isPaid } from './is-paid.ts';
import { reversalOf } from './reversal.ts';
import type { CheckoutRecord } from './webhook.ts';

const order = {
  merchantOrderId: 'A-10042',
  currency: 'USD',
  totalAmount: 94_563,
  environment: 'production',
} as const;

const record: CheckoutRecord = {
  checkoutId: 'chk_1',
  revision: 3,
  environment: 'production',
  merchantOrderId: 'A-10042',
  status: 'approved',
  amount: { value: 94_563, currency: 'USD' },
  chargeId: 'charge-1',
  chargeState: 'Authorized',
  updatedAt: '2026-11-20T10:00:00.000Z',
};

test.each<[string, Partial<CheckoutRecord>]>([
  ['an authorized charge', {}],
  ['a charge without a state yet', { chargeState: undefined }],
  ['a settled charge', { chargeState: 'Settled' }],
  ['a charge of which a part is refunded', { chargeState: 'SettledPartiallyRefunded' }],
  [
    'a lease that charges less than the total',
    {
      charged: {
        amount: { value: 89_000, currency: 'USD' },
        reason: 'lease-to-own-sales-tax',
      },
    },
  ],
])('accepts %s as paid', (_, change) => {
  expect(isPaid({ ...record, ...change }, order)).toBe(true);
});

test.each<[string, Partial<CheckoutRecord>]>([
  ['a checkout that is pending', { status: 'pending' }],
  ['a checkout that is confirming', { status: 'confirming' }],
  ['a lower amount', { amount: { value: 94_562, currency: 'USD' } }],
  ['a higher amount', { amount: { value: 94_564, currency: 'USD' } }],
  ['another currency', { amount: { value: 94_563, currency: 'CAD' } }],
  ['another environment', { environment: 'sandbox' }],
  ['another order', { merchantOrderId: 'A-10043' }],
  ['a voided charge', { chargeState: 'Voided' }],
  ['a refunded charge', { chargeState: 'Refunded' }],
  [
    'a partly settled charge whose settled part is refunded',
    { chargeState: 'PartiallySettledRefunded' },
  ],
  ['a charge that the lender took back', { chargeState: 'ChargedBack' }],
])('refuses %s as payment', (_, change) => {
  expect(isPaid({ ...record, ...change }, order)).toBe(false);
});

test.each(chargeStates)('agrees with the reversal shown for a charge in the state %s', (state) => {
  const reversal = reversalOf(state);
  const isReversed = reversal === 'voided' || reversal === 'refunded';
  expect(isPaid({ ...record, chargeState: state }, order)).toBe(!isReversed);
  expect(reversal !== undefined).toBe(/Refunded|Voided|ChargedBack/.test(state));
});

test('returns no reversal for an unknown state or an inherited property name', () => {
  expect(['Disputed', 'constructor', undefined].map(reversalOf)).toEqual(Array(3).fill(undefined));
});
