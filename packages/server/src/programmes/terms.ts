import type { Programme, RepaymentTerms } from '@financing-checkout/contract';

/** Returns the terms from which a program's payments are computed. */
export function termsOf({ apr, payments }: Pick<Programme, 'apr' | 'payments'>): RepaymentTerms {
  const [percent = '', decimals = ''] = apr.split('.');
  // A percentage has at most four decimal places, so the rate in millionths is exact.
  return { rate: Number(percent + decimals.padEnd(4, '0')), ...payments };
}
