import type {
  AmountDifference,
  LedgerState,
  LedgerType,
} from '@financing-checkout/contract/back-office';
import { type Charge, chargedAmount, settleProgress } from '../service/charges.ts';
import type { ChargeOperationRow, NewChargeOperation } from '../store/charge-operations.ts';
import type { NewLedgerEntry } from '../store/ledger.ts';
import type { CheckoutRow } from '../store/store.ts';

/** A charge request whose transactions are written to the ledger. */
interface ChargeAttempt {
  merchantTransactionId: string;
  /** When it was sent to the service, in milliseconds since 1970. */
  createdAt: number;
  /** Whether the settle was requested together with the charge. */
  settle: boolean;
  /** Whether the ledger already lists the request as possibly executed. */
  isListed: boolean;
}

/**
 * Returns the ledger entries of a charge: its authorization and, when the settle is requested with
 * it, its settle. Both carry the id of the charge request. At the service, that id identifies only
 * the authorization; a funding of the settle is matched by the lender's reference (reference:
 * Charge API).
 * @param charge the charge from the service; if omitted, the entries describe the request
 * @param charged why the charge's total differs from the order's
 */
export function chargeEntries(
  checkout: CheckoutRow,
  attempt: ChargeAttempt,
  state: LedgerState,
  charge?: Charge,
  charged?: AmountDifference,
): NewLedgerEntry[] {
  const { amount } = checkout;
  const entry = (type: LedgerType, lenderReferenceId?: string): NewLedgerEntry => ({
    environment: checkout.environment,
    merchantOrderId: charge?.merchantOrderId ?? checkout.merchantOrderId,
    chargeId: charge?.id,
    type,
    amount: charge === undefined ? amount : chargedAmount(charge, amount.currency),
    merchantTransactionId: attempt.merchantTransactionId,
    transactionId: undefined,
    lenderReferenceId,
    ordered: charged && { amount, reason: charged.reason },
    state,
    occurredAt: attempt.createdAt,
  });
  const authorization = entry('Authorize', charge?.lenderAuthorizeReferenceId);
  if (!attempt.settle) return [authorization];
  if (charge === undefined || settleProgress(charge) === 'settled') {
    return [authorization, entry('Settle', charge?.lenderSettleReferenceId)];
  }
  // The charge exists without its settle: a ledger entry that listed the settle as possible is
  // withdrawn. A pending settle may fail without the service reporting it, so it is listed only
  // once the charge shows it.
  return attempt.isListed
    ? [authorization, { ...entry('Settle'), state: 'absent' }]
    : [authorization];
}

/** The type of an operation's transaction, in the ledger and at the service. */
export const transactionTypes = {
  settle: 'Settle',
  refund: 'Refund',
  void: 'Void',
} as const satisfies Record<NewChargeOperation['kind'], LedgerType>;

/** External ids of a transaction; a funding is matched by either of them. */
export type TransactionReferences = Partial<
  Pick<ChargeOperationRow, 'transactionId' | 'lenderReferenceId'>
>;

/**
 * Returns the ledger entries of an operation.
 * @param occurredAt when the operation was sent, in milliseconds since 1970
 */
export function operationEntries(
  operation: NewChargeOperation,
  state: LedgerState,
  occurredAt: number,
  { transactionId, lenderReferenceId }: TransactionReferences = {},
): NewLedgerEntry[] {
  const { environment, merchantOrderId, chargeId, amount, merchantTransactionId } = operation;
  return [
    {
      environment,
      merchantOrderId,
      chargeId,
      type: transactionTypes[operation.kind],
      amount,
      merchantTransactionId,
      transactionId,
      lenderReferenceId,
      state,
      occurredAt,
    },
  ];
}
