import { divideHalfUp } from '../platform/money.ts';

/** A loan with equal monthly payments; all amounts in minor units. */
export interface RepaymentPlan {
  /** Every payment except the last. */
  payment: number;
  /** The rest: it makes the schedule add up exactly. */
  lastPayment: number;
  /** The sum of all payments. */
  total: number;
  /** The interest in `total`. */
  interest: number;
  schedule: Instalment[];
}

export interface Instalment {
  payment: number;
  interest: number;
  principal: number;
  /** Debt after this payment. */
  balance: number;
}

/** Divisor of a yearly rate in basis points that gives the monthly rate: 10,000 × 12. */
const MONTHLY = 120_000n;

/**
 * Returns the plan of a fully amortising loan, in exact integers. The level payment is
 * P·r / (1 − (1 + r)^−n), rounded down to the minor unit; the interest of a month is the balance
 * times r, rounded half up; the last payment is the rest.
 * @param principal minor units, more than zero
 * @param aprBasisPoints yearly nominal rate, 999 is 9.99 %
 * @param months number of payments, one or more
 */
export function repaymentPlan(
  principal: number,
  aprBasisPoints: number,
  months: number,
): RepaymentPlan {
  const rate = BigInt(aprBasisPoints);
  const payment = levelPayment(BigInt(principal), rate, months);
  const schedule: Instalment[] = [];
  let balance = BigInt(principal);
  let total = 0n;
  for (let month = 1; month <= months; month++) {
    const interest = divideHalfUp(balance * rate, MONTHLY);
    const paid = month === months ? balance + interest : payment;
    balance = balance + interest - paid;
    total += paid;
    schedule.push({
      payment: Number(paid),
      interest: Number(interest),
      principal: Number(paid - interest),
      balance: Number(balance),
    });
  }
  return {
    payment: Number(payment),
    lastPayment: schedule.at(-1)?.payment ?? 0,
    total: Number(total),
    interest: Number(total) - principal,
    schedule,
  };
}

function levelPayment(principal: bigint, rate: bigint, months: number): bigint {
  if (rate === 0n) return principal / BigInt(months);
  const growth = (MONTHLY + rate) ** BigInt(months);
  return (principal * rate * growth) / (MONTHLY * (growth - MONTHLY ** BigInt(months)));
}
