import type { Forecast } from '@financing-checkout/contract/reconciliation';
import { addDays } from '@financing-checkout/contract/money';
import { formats } from '../../locale/locale.ts';

/** An amount in minor units; null: too large to be exact. */
export interface Sum {
  amount: number | null;
  count: number;
}

/** One currency's expected fundings. */
export interface Expected extends Sum {
  currency: string;
  /** All of the 14 days, including those without an amount. */
  days: ({ day: string } & Sum)[];
  late: Sum;
}

const DAYS = 14;

/** Returns the forecast by currency, including the days that the response omits. */
export function expectedOf({
  asOf,
  days,
  late,
}: Pick<Forecast, 'asOf' | 'days' | 'late'>): Expected[] {
  const today = formats().isoDay(Date.parse(asOf));
  const all = Array.from({ length: DAYS }, (_, index) => addDays(today, index));
  const currencies = new Set([...days, ...late].map(({ currency }) => currency));
  return [...currencies].sort().map((currency) => {
    const own = days.filter((one) => one.currency === currency);
    return {
      currency,
      ...sumOf(own),
      days: all.map((day) => {
        const found = own.find((one) => one.day === day);
        return { day, amount: found === undefined ? 0 : found.amount, count: found?.count ?? 0 };
      }),
      late: late.find((one) => one.currency === currency) ?? { amount: 0, count: 0 },
    };
  });
}

/** Returns the sum of parts; its amount is null if any part's amount is too large to be exact. */
export function sumOf(parts: readonly Sum[]): Sum {
  return {
    amount: parts.some(({ amount }) => amount === null)
      ? null
      : parts.reduce((sum, { amount }) => sum + (amount ?? 0), 0),
    count: parts.reduce((sum, { count }) => sum + count, 0),
  };
}
