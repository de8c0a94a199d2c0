/*
 * The payments of a loan or a lease, in exact integers. Widget and sandbox each have a copy of this
 * file, because they do not depend on other packages of the project at run time:
 * `tests/boundaries/repayment.test.ts` keeps the three equal.
 */

/** The service's period types (published contract, section 1), with their number in a year. */
export const periodsInYear = { Day: 365, Week: 52, BiWeek: 26, Month: 12 } as const;
export type PaymentPeriod = keyof typeof periodsInYear;

/** How a lender rounds the equal payment to the minor unit. */
export const paymentRoundings = ['down', 'half-up', 'up'] as const;
export type PaymentRounding = (typeof paymentRoundings)[number];

/** The terms of a programme, as its lender states them. A percentage has at most four decimals. */
export interface RepaymentTerms {
  /** Nominal annual rate in percent, as a decimal: `"9.99"`. */
  readonly apr?: string | undefined;
  /** Cost of a lease in percent of the amount, as a decimal: `"45"`. */
  readonly leaseCost?: string | undefined;
  readonly payments: {
    /** One or more. */
    readonly count: number;
    readonly period: PaymentPeriod;
    readonly rounding: PaymentRounding;
  };
}

/** The payments of a loan or a lease. All amounts are minor units. */
export interface Repayment {
  /** Every payment except the last. */
  readonly payment: number;
  /** The remainder, which makes the schedule add up exactly. */
  readonly lastPayment: number;
  /** The sum of all payments. */
  readonly total: number;
  /** The interest, or the cost of the lease, in `total`. */
  readonly interest: number;
}

const MILLIONTHS = 1_000_000n;

/**
 * Returns the payments of a fully amortizing loan, or of a lease. The equal payment is P·r / (1 − (1
 * + r)^−n), rounded as the terms say; the interest of a period is the balance times r, rounded half
 * up; the last payment is the remainder. The cost of a lease is a share of the amount, rounded half
 * up, and is repaid with it.
 * @param principal minor units, more than zero
 * @returns undefined if the amount is too small for so many payments (rounding would make a payment
 *   zero, or repay the loan before the last one), or if the total exceeds the exact range
 */
export function repaymentOf(
  principal: number,
  { apr = '0', leaseCost = '0', payments }: RepaymentTerms,
): Repayment | undefined {
  const rate = millionthsOf(apr);
  // A period's rate is rate / divisor.
  const divisor = MILLIONTHS * BigInt(periodsInYear[payments.period]);
  const amount = BigInt(principal);
  let balance = amount + divide(amount * millionthsOf(leaseCost), MILLIONTHS, 'half-up');
  const payment = equalPayment(balance, rate, divisor, payments);
  let total = 0n;
  let paid = 0n;
  for (let number = 1; number <= payments.count; number++) {
    const owed = balance + divide(balance * rate, divisor, 'half-up');
    paid = number === payments.count ? owed : payment;
    balance = owed - paid;
    if (paid <= 0n || balance < 0n) return undefined;
    total += paid;
  }
  if (total > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return {
    payment: Number(payments.count > 1 ? payment : paid),
    lastPayment: Number(paid),
    total: Number(total),
    interest: Number(total) - principal,
  };
}

/** Returns a percentage in millionths of one: 99,900 for `"9.99"`. */
const millionthsOf = (percent: string) => BigInt(Math.round(Number(percent) * 10_000));

function equalPayment(
  principal: bigint,
  rate: bigint,
  divisor: bigint,
  { count, rounding }: RepaymentTerms['payments'],
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
