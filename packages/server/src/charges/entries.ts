import type { LedgerState, LedgerType } from '@financing-checkout/contract';
import type { ChargeOperationRow, NewChargeOperation } from '../store/charge-operations.ts';
import type { NewLedgerEntry } from '../store/ledger.ts';

const types = { settle: 'Settle', refund: 'Refund', void: 'Void' } as const satisfies Record<
  NewChargeOperation['kind'],
  LedgerType
>;

/** The ids of a transaction that are not ours; a funding is matched by either. */
export type TransactionReferences = Partial<
  Pick<ChargeOperationRow, 'transactionId' | 'lenderReferenceId'>
>;

/**
 * Returns what an operation adds to the ledger.
 * @param occurredAt when it was sent, in milliseconds
 */
export function operationEntries(
  operation: NewChargeOperation,
  state: LedgerState,
  occurredAt: number,
  { transactionId, lenderReferenceId }: TransactionReferences = {},
): NewLedgerEntry[] {
  const { environment, merchantOrderId, chargeId, amount, merchantTransactionId } = operation;
  const type = types[operation.kind];
  return [
    {
      environment,
      merchantOrderId,
      chargeId,
      type,
      amount,
      merchantTransactionId,
      transactionId,
      lenderReferenceId,
      state,
      occurredAt,
    },
  ];
}
