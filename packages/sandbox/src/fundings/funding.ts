import type { KnownTransaction, LenderStatement } from './statement.ts';
import { isHidden, verdictOf, type Verdict } from './verdict.ts';

/** The result of matching a statement with the service's own transactions. */
interface Match {
  verdict: Verdict;
  /** 1 for a funding that a page shows only with `showMissing`. */
  hidden: 0 | 1;
  transactionDate: number | null;
  merchantTransactionId: string | null;
  merchantOrderId: string | null;
  chargeId: string | null;
  productType: string | null;
  promoCode: string | null;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
}

/** A funding in the store: the lender's statement, its match and the verdict. */
export interface Funding extends LenderStatement, Match {
  seq: number;
}

/** Adds the match and the verdict to a statement. */
export function matched<T extends LenderStatement>(
  statement: T,
  known: KnownTransaction | undefined,
): T & Match {
  const { transaction = null } = known ?? {};
  const verdict = verdictOf({
    funding: statement,
    transaction: transaction ?? undefined,
    chargeKnown: known !== undefined,
  });
  return {
    ...statement,
    verdict,
    hidden: isHidden(verdict) ? 1 : 0,
    transactionDate: transaction?.createdAt ?? null,
    merchantTransactionId: transaction?.merchantTransactionId ?? null,
    merchantOrderId: known?.merchantOrderId ?? statement.merchantOrderId,
    chargeId: known?.chargeId ?? null,
    productType: known?.productType ?? null,
    promoCode: known?.promoCode ?? null,
    firstName: known?.firstName ?? null,
    lastName: known?.lastName ?? null,
    email: known?.email ?? null,
  };
}
