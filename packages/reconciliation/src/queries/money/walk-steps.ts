import type { Walk } from '@financing-checkout/contract/reconciliation';

export type Statement = Walk['statements'][number];
type Sum = Exclude<keyof Statement, 'currency'>;

/** The steps of a cash walk in order, with descriptions. */
export const walkSteps: readonly { name: Exclude<Sum, 'net' | 'unexplained'>; label: string }[] = [
  { name: 'opening', label: 'In transit before' },
  { name: 'expected', label: 'Settled' },
  { name: 'awaiting', label: 'Open: still in transit' },
  { name: 'short', label: 'Missing or wrong' },
  { name: 'accepted', label: 'Accepted' },
  { name: 'over', label: 'Over: overpaid' },
  { name: 'refunds', label: 'Refunds' },
  { name: 'chargebacks', label: 'Chargebacks' },
  { name: 'reversals', label: 'Reversals' },
  { name: 'duplicates', label: 'Paid twice' },
  { name: 'other', label: 'Without a ledger line' },
  { name: 'discount', label: 'Discount (MDR)' },
];

/** Returns the number of fundings that a walk's sums exclude: of a sealed period, as it was sealed. */
export function countInNoSum({ withoutCurrency = 0, assumedCurrency = 0, book }: Walk): number {
  return book?.leftOut ?? withoutCurrency + assumedCurrency;
}
