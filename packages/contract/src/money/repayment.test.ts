import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  paymentRoundings,
  periodsInYear,
  repaymentOf,
  type PaymentPeriod,
  type PaymentRounding,
  type RepaymentTerms,
} from './repayment.ts';

/** Returns a number of millionths in percent: "9.99" for 99,900. */
const percentOf = (millionths: number) => String(millionths / 10_000);
const millionths = (percent: number) => fc.integer({ min: 1, max: percent * 10_000 });
const termsUpTo = (apr: number): fc.Arbitrary<RepaymentTerms> =>
  fc.record({
    apr: fc.oneof(fc.constant('0'), millionths(apr).map(percentOf)),
    payments: fc.record({
      count: fc.integer({ min: 1, max: 120 }),
      period: fc.constantFrom(...(Object.keys(periodsInYear) as PaymentPeriod[])),
      rounding: fc.constantFrom(...paymentRoundings),
    }),
  });
const terms = termsUpTo(360);
/** Divides positive integers. */
const divideHalfUp = (dividend: number, divisor: number) =>
  Math.floor((2 * dividend + divisor) / (2 * divisor));
const principal = fc.oneof(
  fc.integer({ min: 1, max: 2000 }),
  fc.integer({ min: 1, max: 10_000_000 }),
);

const monthly = (apr: string, count: number, rounding: PaymentRounding = 'half-up') =>
  ({ apr, payments: { count, period: 'Month', rounding } }) as const;

describe('repaymentOf', () => {
  it('splits an amount without interest, with the remainder in the last payment', () => {
    expect(repaymentOf(89_000, monthly('0', 24))).toMatchObject({
      payment: 3708,
      lastPayment: 3716,
      total: 89_000,
      interest: 0,
    });
  });

  it('rounds the equal payment by the lender’s rule', () => {
    const payments = (['down', 'half-up', 'up'] as const).map(
      (rounding) => repaymentOf(10_000, monthly('0', 3, rounding))?.payment,
    );
    expect(payments).toEqual([3333, 3333, 3334]);
    expect(repaymentOf(10_000, monthly('0', 6, 'half-up'))?.payment).toBe(1667);
  });

  it('computes a loan with interest as a published amortization table does', () => {
    // 1,000.00 at 12 % over 12 months: 88.85 a month.
    expect(repaymentOf(100_000, monthly('12', 12))).toEqual({
      payment: 8885,
      lastPayment: 8884,
      total: 106_619,
      interest: 6619,
    });
  });

  it('uses the number of periods in a year', () => {
    const payments = { count: 1, period: 'BiWeek', rounding: 'half-up' } as const;
    expect(repaymentOf(100_000, { apr: '26', payments })?.interest).toBe(1000);
  });

  it.each([
    ['0', 0],
    ['0.0001', 100],
    ['9.99', 9_990_000],
    ['14.9', 14_900_000],
    ['50.9052', 50_905_200],
    ['100', 100_000_000],
  ])('reads a rate of %s %% exactly', (apr, interest) => {
    expect(repaymentOf(1_200_000_000, monthly(apr, 1))?.interest).toBe(interest);
  });

  it('adds the cost of a lease once, and splits the sum without interest', () => {
    const payments = { count: 18, period: 'Month', rounding: 'down' } as const;
    expect(repaymentOf(89_000, { leaseCost: '45', payments })).toMatchObject({
      payment: 7169,
      lastPayment: 7177,
      total: 129_050,
      interest: 40_050,
    });
  });

  it('repays the amount and the cost of a lease exactly, whatever the terms', () => {
    fc.assert(
      fc.property(principal, terms, millionths(200), (amount, { payments }, cost) => {
        const plan = repaymentOf(amount, { leaseCost: percentOf(cost), payments });
        if (plan === undefined) return;
        const { payment, lastPayment, total, interest } = plan;
        expect(payment * (payments.count - 1) + lastPayment).toBe(total);
        expect(total - interest).toBe(amount);
        expect(interest).toBe(Math.floor((amount * cost + 500_000) / 1_000_000));
      }),
    );
  });

  it.each([
    ['more payments than minor units', 5, monthly('0', 24, 'down')],
    ['rounding up that repays before the last payment', 25, monthly('0', 24, 'up')],
    ['a payment that rounds to nothing', 11, monthly('0', 24, 'half-up')],
  ])('returns undefined for %s', (_, amount, given) => {
    expect(repaymentOf(amount, given)).toBeUndefined();
  });

  it('repays the amount and its interest exactly, whatever the terms', () => {
    fc.assert(
      fc.property(principal, terms, (amount, given) => {
        const plan = repaymentOf(amount, given);
        if (plan === undefined) return;
        const { payment, lastPayment, total, interest } = plan;
        const { count, period } = given.payments;
        expect(payment * (count - 1) + lastPayment).toBe(total);
        expect(total).toBe(amount + interest);
        expect(Math.min(payment, lastPayment, interest + 1)).toBeGreaterThan(0);
        const rate = Math.round(Number(given.apr) * 10_000);
        let balance = amount;
        for (let number = 1; number <= count; number++) {
          balance += divideHalfUp(balance * rate, 1_000_000 * periodsInYear[period]);
          balance -= number < count ? payment : lastPayment;
        }
        expect(balance).toBe(0);
        if (given.apr === '0') expect(interest).toBe(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds a plan for rates up to 40 % if rounding is small relative to the payments', () => {
    fc.assert(
      fc.property(termsUpTo(40), fc.integer({ min: 0, max: 1_000_000 }), (given, more) => {
        const { count } = given.payments;
        expect(repaymentOf(count * 100 * count + more, given)).toBeDefined();
      }),
    );
  });
});
