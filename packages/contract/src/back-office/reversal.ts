import type { ReversalKind } from '../storefront/storefront.ts';
import type { KnownChargeState } from './charge-state.ts';

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
