import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repaymentPlan } from './amortisation.ts';

const loans = {
  principal: fc.integer({ min: 1, max: 99_999_999_999_999 }),
  apr: fc.integer({ min: 0, max: 3600 }),
  months: fc.integer({ min: 1, max: 60 }),
};

describe('repayment plan', () => {
  it('pays back exactly the principal, and adds up to its total', () => {
    fc.assert(
      fc.property(loans.principal, loans.apr, loans.months, (principal, apr, months) => {
        const { schedule, total, interest } = repaymentPlan(principal, apr, months);
        const sum = (of: 'payment' | 'principal' | 'interest') =>
          schedule.reduce((all, instalment) => all + BigInt(instalment[of]), 0n);
        expect(schedule).toHaveLength(months);
        expect(sum('principal')).toBe(BigInt(principal));
        expect(sum('payment')).toBe(BigInt(total));
        expect(sum('interest')).toBe(BigInt(interest));
        expect(schedule.at(-1)?.balance).toBe(0);
      }),
    );
  });

  it('has equal payments, and a similar last one', () => {
    fc.assert(
      fc.property(loans.principal, loans.apr, loans.months, (principal, apr, months) => {
        const { schedule, payment, lastPayment } = repaymentPlan(principal, apr, months);
        expect(
          new Set(schedule.slice(0, -1).map((instalment) => instalment.payment)).size,
        ).toBeLessThanOrEqual(1);
        // Each month has an error of at most 1.5 units, and errors bear interest.
        const drift = months * 1.5 * (1 + apr / 120_000) ** months + 1;
        expect(Math.abs(lastPayment - payment)).toBeLessThanOrEqual(drift);
      }),
    );
  });

  it('costs nothing at 0 %', () => {
    fc.assert(
      fc.property(loans.principal, loans.months, (principal, months) => {
        const plan = repaymentPlan(principal, 0, months);
        expect(plan.total).toBe(principal);
        expect(plan.interest).toBe(0);
      }),
    );
  });

  it('matches a known loan', () => {
    // 10,000.00 at 12 % over 12 months is 888.49 a month: P·r/(1−(1+r)^−n) = 888.4879.
    expect(repaymentPlan(1_000_000, 1200, 12)).toMatchObject({
      payment: 88_848,
      lastPayment: 88_858,
      total: 1_066_186,
    });
  });
});
