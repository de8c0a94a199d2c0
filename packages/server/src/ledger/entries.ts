import type { LedgerState, LedgerType, Money } from '@financing-checkout/contract';
import { fromMajorUnits, MoneyError } from '@financing-checkout/contract';
import { type Charge, currencyOf, isSettlePending } from '../service/charges.ts';
import type { CheckoutRow } from '../store/store.ts';
import type { NewLedgerEntry } from '../store/ledger.ts';

/** The charge request whose transactions are written down. */
export interface ChargeAttempt {
  merchantTransactionId: string;
  /** Milliseconds since 1970: when it was asked of the service. */
  createdAt: number;
  /** Whether its settle was asked for with it. */
  settle: boolean;
  /** Whether it was written down before, as one that may have been made. */
  isListed: boolean;
}

/**
 * The transactions of making a charge: its authorization and, when it is settled as it is made,
 * its settlement. Both carry the one id they were asked for with.
 * @param charge what the service says of it; without one, what was asked for
 */
export function chargeEntries(
  checkout: CheckoutRow,
  attempt: ChargeAttempt,
  state: LedgerState,
  charge?: Charge,
): NewLedgerEntry[] {
  const entry = (type: LedgerType): NewLedgerEntry => ({
    environment: checkout.environment,
    merchantOrderId: charge?.merchantOrderId ?? checkout.merchantOrderId,
    chargeId: charge?.id,
    type,
    amount: charge === undefined ? checkout.amount : chargeAmount(charge, checkout.amount.currency),
    merchantTransactionId: attempt.merchantTransactionId,
    transactionId: undefined,
    state,
    occurredAt: attempt.createdAt,
  });
  if (!attempt.settle) return [entry('Authorize')];
  const settled =
    charge === undefined ||
    !isUnsettled(charge) ||
    isSettlePending(charge, attempt.merchantTransactionId);
  if (settled) return [entry('Authorize'), entry('Settle')];
  // What was said to be possible is taken back: the charge is there without it.
  const without: NewLedgerEntry[] = attempt.isListed
    ? [{ ...entry('Settle'), state: 'absent' }]
    : [];
  return [entry('Authorize'), ...without];
}

/** A settle that was asked for with the charge can fail by itself (reference: Charge API, 202). */
function isUnsettled({ state }: Charge): boolean {
  return state === 'Authorized' || state === 'Created' || state === 'Voided';
}

function chargeAmount(charge: Charge, fallback: string): Money | undefined {
  try {
    return fromMajorUnits(charge.totalAmount, currencyOf(charge, fallback));
  } catch (error) {
    if (error instanceof MoneyError) return undefined;
    throw error;
  }
}
