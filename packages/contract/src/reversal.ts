import type { KnownChargeState } from './charge-state.ts';

/**
 * How the money of an approved checkout was returned:
 *
 * - `voided`: the financing was canceled, or its lender took the money back.
 * - `refunded`: everything that was settled is refunded.
 * - `reduced`: a part is refunded, and the rest still pays the order.
 */
export const reversalKinds = ['voided', 'refunded', 'reduced'] as const;
export type ReversalKind = (typeof reversalKinds)[number];

const reversals: ReadonlyMap<string | undefined, ReversalKind> = new Map<
  KnownChargeState,
  ReversalKind
>([
  ['Voided', 'voided'],
  ['ChargedBack', 'voided'],
  ['Refunded', 'refunded'],
  ['PartiallySettledRefunded', 'refunded'],
  ['PartiallyRefunded', 'reduced'],
  ['PartiallySettledPartiallyRefunded', 'reduced'],
  ['SettledPartiallyRefunded', 'reduced'],
]);

/** Returns the reversal that a charge state implies, or undefined. */
export function reversalOf(chargeState: string | undefined): ReversalKind | undefined {
  return reversals.get(chargeState);
}
