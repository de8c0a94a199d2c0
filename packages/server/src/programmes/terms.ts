import type { Programme, RepaymentTerms } from '@financing-checkout/contract';

/** Returns the terms by which the payments of a programme are computed. */
export function termsOf({ apr, payments }: Pick<Programme, 'apr' | 'payments'>): RepaymentTerms {
  const [percent = '', decimals = ''] = apr.split('.');
  // At most four decimals of a percent: the rate in millionths is exact.
  return { rate: Number(percent + decimals.padEnd(4, '0')), ...payments };
}
