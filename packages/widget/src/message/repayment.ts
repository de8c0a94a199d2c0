/*
 * The payments of a loan, in exact integers. Widget and sandbox have a copy of this file, because neither
 * has another package of the project at run time: `tests/boundaries/repayment.test.ts` keeps the three equal.
 */

/** The service's period types (published contract, section 1), with their number in a year. */
export const periodsInYear = { Day: 365, Week: 52, BiWeek: 26, Month: 12 } as const;
export type PaymentPeriod = keyof typeof periodsInYear;

/** How a lender rounds the equal payment to the minor unit. */
export const paymentRoundings = ['down', 'half-up', 'up'] as const;
export type PaymentRounding = (typeof paymentRoundings)[number];

export interface RepaymentTerms {
  /** Yearly nominal rate in millionths: 99,900 is 9.99 %. */
  readonly rate: number;
  /** Number of payments, one or more. */
  readonly count: number;
  readonly period: PaymentPeriod;
  readonly rounding: PaymentRounding;
}

/** A loan with equal payments. All amounts are minor units. */
export interface Repayment {
  /** Every payment except the last. */
  readonly payment: number;
  /** The remainder, which makes the schedule add up exactly. */
  readonly lastPayment: number;
  /** The sum of all payments. */
  readonly total: number;
  /** The interest in `total`. */
  readonly interest: number;
  readonly schedule: readonly Instalment[];
}

export interface Instalment {
  readonly payment: number;
  readonly interest: number;
  readonly principal: number;
  /** Debt after this payment. */
  readonly balance: number;
}

const MILLIONTHS = 1_000_000n;

/**
 * Returns the payments of a fully amortising loan. The equal payment is P·r / (1 − (1 + r)^−n),
 * rounded as the terms say; the interest of a period is the balance times r, rounded half up; the
 * last payment is the remainder.
 * @param principal minor units, more than zero
 * @returns undefined if the amount is too small for so many payments (rounding would make a payment
 *   zero, or repay the loan before the last one), or if the total exceeds the exact range
 */
export function repaymentOf(principal: number, terms: RepaymentTerms): Repayment | undefined {
  const rate = BigInt(terms.rate);
  // A period's rate is rate / divisor.
  const divisor = MILLIONTHS * BigInt(periodsInYear[terms.period]);
  const payment = equalPayment(BigInt(principal), rate, divisor, terms);
  const schedule: Instalment[] = [];
  let balance = BigInt(principal);
  let total = 0n;
  for (let number = 1; number <= terms.count; number++) {
    const interest = divide(balance * rate, divisor, 'half-up');
    const owed = balance + interest;
    const paid = number === terms.count ? owed : payment;
    balance = owed - paid;
    if (paid <= 0n || balance < 0n) return undefined;
    total += paid;
    schedule.push({
      payment: Number(paid),
      interest: Number(interest),
      principal: Number(paid - interest),
      balance: Number(balance),
    });
  }
  if (total > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return {
    payment: schedule[0]?.payment ?? 0,
    lastPayment: schedule.at(-1)?.payment ?? 0,
    total: Number(total),
    interest: Number(total) - principal,
    schedule,
  };
}

function equalPayment(
  principal: bigint,
  rate: bigint,
  divisor: bigint,
  { count, rounding }: RepaymentTerms,
): bigint {
  if (rate === 0n) return divide(principal, BigInt(count), rounding);
  const growth = (divisor + rate) ** BigInt(count);
  return divide(principal * rate * growth, divisor * (growth - divisor ** BigInt(count)), rounding);
}

/** Divides numbers that are not negative. */
function divide(dividend: bigint, divisor: bigint, rounding: PaymentRounding): bigint {
  const added = { down: 0n, 'half-up': divisor / 2n, up: divisor - 1n }[rounding];
  return (dividend + added) / divisor;
}
