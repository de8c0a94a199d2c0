import type {
  MovedAmount,
  Walk,
  WalkAmount,
  WalkMonths,
} from '@financing-checkout/contract/reconciliation';
import { formats } from '../../locale/locale.ts';
import { monthOf } from './period.ts';
import { steps } from './waterfall.ts';

/** The amounts that can be shown by month, those asked for most first. */
export const movedAmounts = [
  ...(['net', 'expected', 'refunds', 'chargebacks', 'reversals'] as const),
  ...(['discount', 'over', 'duplicates', 'other'] as const),
] satisfies MovedAmount[];
const walkAmounts = [...steps, 'net', 'unexplained'] satisfies WalkAmount[];

/** An amount and the earlier amount with which it is compared. Amounts in minor units. */
export interface Change {
  amount: number;
  before: number;
}

/** A month, compared with the month before it. */
export interface MonthChange extends Change {
  /** Such as 2026-11. */
  month: string;
}

/** Returns the change relative to the earlier amount: "+12.5%"; a dash if that was zero. */
export function percentOf({ amount, before }: Change): string {
  if (before === 0) return amount === 0 ? formats().percent(0) : '—';
  const share = ((amount - before) / Math.abs(before)) * 10_000;
  return `${share > 0 ? '+' : ''}${formats().percent(Math.round(share / 10) * 10)}`;
}

/**
 * Returns each month after the answer's first, oldest first, by currency, from the first month with
 * an amount. Omits a currency without an amount.
 */
export function monthsOf(answer: WalkMonths, measure: MovedAmount): Map<string, MonthChange[]> {
  const all: string[] = [];
  for (let month = answer.from; month <= answer.to; month = nextOf(month)) all.push(month);
  const byCurrency = Map.groupBy(answer.months, ({ currency }) => currency);
  return new Map(
    [...byCurrency]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([currency, rows]) => {
        const sums = new Map(rows.map((row) => [row.month, row[measure]]));
        const changes = all.slice(1).map((month, index) => ({
          month,
          amount: sums.get(month) ?? 0,
          before: sums.get(all[index] ?? '') ?? 0,
        }));
        const first = changes.findIndex(({ amount, before }) => amount !== 0 || before !== 0);
        return [currency, first < 0 ? [] : changes.slice(first)] as const;
      })
      .filter(([, changes]) => changes.length > 0),
  );
}

const nextOf = (month: string) => monthOf(`${month}-01`, 1).from.slice(0, 'YYYY-MM'.length);

/** Returns the steps of two walks that are not zero in both, in order, by currency. */
export function stepChanges(
  later: Walk,
  earlier: Walk,
): Map<string, (Change & { step: WalkAmount })[]> {
  const currencies = [...later.statements, ...earlier.statements].map(({ currency }) => currency);
  return new Map(
    [...new Set(currencies)].sort().map((currency) => {
      const of = ({ statements }: Walk) => statements.find((one) => one.currency === currency);
      const changes = walkAmounts.map((step) => ({
        step,
        amount: of(later)?.[step] ?? 0,
        before: of(earlier)?.[step] ?? 0,
      }));
      const shown = changes.filter(({ amount, before }) => amount !== 0 || before !== 0);
      return [currency, shown] as const;
    }),
  );
}

/** Returns the walk amount named by a URL; default: the net amount. */
export function measureOf(name: string | undefined): MovedAmount {
  return movedAmounts.find((one) => one === name) ?? 'net';
}
