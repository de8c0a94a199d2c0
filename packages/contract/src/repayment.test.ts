import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  paymentRoundings,
  periodsInYear,
  repaymentOf,
  type PaymentPeriod,
  type RepaymentTerms,
} from './repayment.ts';

const terms: fc.Arbitrary<RepaymentTerms> = fc.record({
  rate: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_600_000 })),
  count: fc.integer({ min: 1, max: 120 }),
  period: fc.constantFrom(...(Object.keys(periodsInYear) as PaymentPeriod[])),
  rounding: fc.constantFrom(...paymentRoundings),
});
const principal = fc.oneof(
  fc.integer({ min: 1, max: 2000 }),
  fc.integer({ min: 1, max: 10_000_000 }),
);

const monthly = (rate: number, count: number, rounding: RepaymentTerms['rounding'] = 'half-up') =>
  ({ rate, count, period: 'Month', rounding }) as const;

describe('repaymentOf', () => {
  it('splits an amount without interest, with the remainder in the last payment', () => {
    expect(repaymentOf(89_000, monthly(0, 24))).toMatchObject({
      payment: 3708,
      lastPayment: 3716,
      total: 89_000,
      interest: 0,
    });
  });

  it('rounds the equal payment as the lender does', () => {
    const payments = (['down', 'half-up', 'up'] as const).map(
      (rounding) => repaymentOf(10_000, monthly(0, 3, rounding))?.payment,
    );
    expect(payments).toEqual([3333, 3333, 3334]);
    expect(repaymentOf(10_000, monthly(0, 6, 'half-up'))?.payment).toBe(1667);
  });

  it('computes a loan with interest as a published amortisation table does', () => {
    // 1,000.00 at 12 % over 12 months: 88.85 a month, interest of the first month 10.00.
    const plan = repaymentOf(100_000, monthly(120_000, 12));
    expect(plan?.payment).toBe(8885);
    expect(plan?.schedule[0]).toEqual({
      payment: 8885,
      interest: 1000,
      principal: 7885,
      balance: 92_115,
    });
    expect(plan?.lastPayment).toBe(8884);
  });

  it('uses the number of periods in a year', () => {
    expect(
      repaymentOf(100_000, { ...monthly(260_000, 26), period: 'BiWeek' })?.schedule[0],
    ).toEqual(expect.objectContaining({ interest: 1000 }));
  });

  it.each([
    ['more payments than minor units', 5, monthly(0, 24, 'down')],
    ['rounding up that repays before the last payment', 25, monthly(0, 24, 'up')],
    ['a payment that rounds to nothing', 11, monthly(0, 24, 'half-up')],
  ])('returns undefined for %s', (_, amount, given) => {
    expect(repaymentOf(amount, given)).toBeUndefined();
  });

  it('repays the amount and its interest exactly, whatever the terms', () => {
    fc.assert(
      fc.property(principal, terms, (amount, given) => {
        const plan = repaymentOf(amount, given);
        if (plan === undefined) return;
        const { payment, lastPayment, total, interest, schedule } = plan;
        expect(schedule).toHaveLength(given.count);
        expect(payment * (given.count - 1) + lastPayment).toBe(total);
        expect(total).toBe(amount + interest);
        expect(schedule.reduce((sum, line) => sum + line.principal, 0)).toBe(amount);
        expect(schedule.at(-1)?.balance).toBe(0);
        expect(schedule.every((line) => line.payment > 0 && line.interest >= 0)).toBe(true);
        if (given.rate === 0) expect(interest).toBe(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds a plan for rates up to 40 % if rounding is small relative to the payments', () => {
    fc.assert(
      fc.property(terms, fc.integer({ min: 0, max: 1_000_000 }), (each, more) => {
        const given = { ...each, rate: each.rate % 400_001 };
        expect(repaymentOf(given.count * 100 * given.count + more, given)).toBeDefined();
      }),
    );
  });
});
