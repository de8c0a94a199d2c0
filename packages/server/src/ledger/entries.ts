import type {
  AmountDifference,
  LedgerState,
  LedgerType,
  Money,
} from '@financing-checkout/contract';
import { type Charge, chargedAmount, settleProgress } from '../service/charges.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { NewLedgerEntry } from '../store/ledger.ts';

/** The charge request whose transactions are written to the ledger. */
export interface ChargeAttempt {
  merchantTransactionId: string;
  /** Milliseconds since 1970: when it was sent to the service. */
  createdAt: number;
  /** Whether its settle was requested with it. */
  settle: boolean;
  /** Whether the ledger lists it already, as one that may have been made. */
  isListed: boolean;
}

/**
 * Returns the ledger entries of a charge: its authorization and, when it is settled as it is made, its
 * settle. Both carry the id of the charge request. At the service that id names the authorization
 * alone; a funding of the settle is found by the lender's reference (reference: Charge API).
 * @param charge the charge as the service states it; without one, the entries state the request
 * @param charged why the charge's total is not the order's
 */
export function chargeEntries(
  checkout: CheckoutRow,
  attempt: ChargeAttempt,
  state: LedgerState,
  charge?: Charge,
  charged?: AmountDifference,
): NewLedgerEntry[] {
  const entry = (type: LedgerType, lenderReferenceId?: string): NewLedgerEntry => ({
    environment: checkout.environment,
    merchantOrderId: charge?.merchantOrderId ?? checkout.merchantOrderId,
    chargeId: charge?.id,
    type,
    amount: amountOf(checkout, charge),
    merchantTransactionId: attempt.merchantTransactionId,
    transactionId: undefined,
    lenderReferenceId,
    ordered: charged && { amount: checkout.amount, reason: charged.reason },
    state,
    occurredAt: attempt.createdAt,
  });
  const authorization = entry('Authorize', charge?.lenderAuthorizeReferenceId);
  if (!attempt.settle) return [authorization];
  if (charge === undefined || settleProgress(charge) === 'settled') {
    return [authorization, entry('Settle', charge?.lenderSettleReferenceId)];
  }
  // The charge exists without its settle: an entry that stated it as possible is taken back. A settle
  // that is pending may fail, and the service does not say so of this one: it is listed once it shows.
  const absent: NewLedgerEntry[] = attempt.isListed
    ? [{ ...entry('Settle'), state: 'absent' }]
    : [];
  return [authorization, ...absent];
}

function amountOf({ amount }: CheckoutRow, charge: Charge | undefined): Money | undefined {
  return charge === undefined ? amount : chargedAmount(charge, amount.currency);
}
