import type { Walk, WalkAmount } from '@financing-checkout/contract/reconciliation';

export type Statement = Walk['statements'][number];

/** The steps of a walk in order, before its total. */
export const steps = [
  ...(['opening', 'expected', 'awaiting', 'short', 'accepted', 'over', 'refunds'] as const),
  ...(['chargebacks', 'reversals', 'duplicates', 'other', 'discount'] as const),
] satisfies WalkAmount[];

export interface Bar {
  step: WalkAmount;
  amount: number;
  /** Start and end of the bar, in minor units: the running total before and after the step. */
  from: number;
  to: number;
  kind: 'plus' | 'minus' | 'total' | 'rest';
}

/** Returns a walk's bars: each floats from the running total before its step to the one after. */
export function barsOf(statement: Statement): Bar[] {
  let total = 0;
  const bars = steps.map((step): Bar => {
    const amount = statement[step];
    const from = total;
    total += amount;
    return { step, amount, from, to: total, kind: amount < 0 ? 'minus' : 'plus' };
  });
  const { net, unexplained } = statement;
  return [
    ...bars,
    { step: 'net', amount: net, from: 0, to: net, kind: 'total' },
    // The unexplained amount is between the total of the steps and the net amount.
    { step: 'unexplained', amount: unexplained, from: net - unexplained, to: net, kind: 'rest' },
  ];
}
