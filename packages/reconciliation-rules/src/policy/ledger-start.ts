import type { FundingLine, Policy } from '../order/lines.ts';
import { lenderOf } from './lender.ts';

/** Returns the key for a currency, or for a lender in a currency, in {@link Policy.ledgerStarts}. */
export function ledgerStartKey(currency: string, lender?: string): string {
  return lender === undefined ? currency : `${currency} ${lender}`;
}

/** Returns whether a funding was posted before the ledger of its currency and lender begins. */
export function isBeforeLedger(
  { fundedAt, lenderName }: Pick<FundingLine, 'fundedAt' | 'lenderName'>,
  currency: string,
  policy: Pick<Policy, 'aliases' | 'ledgerStarts'>,
): boolean {
  const { ledgerStarts } = policy;
  if (ledgerStarts === undefined) return false;
  const ofLender = ledgerStarts.get(ledgerStartKey(currency, lenderOf(lenderName, policy)));
  return fundedAt < (ofLender ?? ledgerStarts.get(ledgerStartKey(currency)) ?? Infinity);
}
