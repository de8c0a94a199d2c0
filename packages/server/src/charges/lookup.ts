import { isPendingTransaction, settleProgress } from '../service/charges.ts';
import type { CallContext } from '../service/exchange.ts';
import { isNotFound } from '../service/result.ts';
import type { ChargeOperationRow, NewChargeOperation } from '../store/charge-operations.ts';
import { progressOf, tryBalance } from './balance.ts';
import type { ChargeContext } from './context.ts';

/** What a look-up at the service shows of an operation. */
export type Finding =
  /** `hasOurId`: a transaction with our id proves it; without one the charge's amounts show it. */
  | { kind: 'done'; transactionId: string | undefined; hasOurId: boolean; isPending: boolean }
  | { kind: 'failed' }
  | { kind: 'absent' }
  /** The charge has moved by another amount than requested, in minor units. */
  | { kind: 'unclear'; moved: number }
  /** The service gave no usable answer. */
  | { kind: 'unresolved' };

/** Reason of an operation that stays unknown because its charge has moved by another amount. */
export const UNCLEAR = 'charge-moved';

const UNRESOLVED: Finding = { kind: 'unresolved' };

/** The charge itself shows the operation. Its amounts may include a pending transaction. */
const shownByCharge = (isPending: boolean): Finding => ({
  kind: 'done',
  transactionId: undefined,
  hasOurId: false,
  isPending,
});

/** The outcome of a movement of money is as urgent as the movement: the charge is busy until then. */
const callFor = ({ requestId }: NewChargeOperation): CallContext => ({
  priority: 'charge',
  requestId,
});

/** Finds the outcome of an operation by our transaction id, which is exact, then by the charge. */
export async function findOperation(
  ctx: ChargeContext,
  operation: NewChargeOperation,
): Promise<Finding> {
  const { kind, amount } = operation;
  if (kind === 'void') return findVoid(ctx, operation);
  const found = await findTransaction(ctx, operation);
  if (found !== undefined) return found;
  const charge = await ctx.service.charge(operation.chargeId, callFor(operation));
  if (charge.kind !== 'accepted') return UNRESOLVED;
  const balance = tryBalance(charge.body, amount?.currency ?? ctx.defaultCurrency);
  if (balance === undefined) return UNRESOLVED;
  const moved = progressOf(kind, balance) - operation.progressBefore;
  if (moved === 0) return { kind: 'absent' };
  // No transaction has our id, but the charge has moved. Exactly this amount proves the operation,
  // because the companion admits one operation at a time. Another amount comes from manual work.
  if (moved === amount?.value) return shownByCharge(true);
  ctx.logger.log('error', 'charge-operation-unclear', {
    security: true,
    operationId: operation.id,
    reason: UNCLEAR,
  });
  return { kind: 'unclear', moved };
}

/**
 * Looks up an operation again that has ended or that the service has accepted. The amounts of the
 * charge prove nothing here: later operations have moved them.
 * @returns undefined when the service knows no transaction with our id
 */
export function findAgain(
  ctx: ChargeContext,
  operation: ChargeOperationRow,
): Promise<Finding | undefined> {
  const { isWithCharge, kind, resolution } = operation;
  if (isWithCharge) return findWithCharge(ctx, operation);
  // After a person's resolution the charge's state proves nothing: a later void may have caused it.
  if (kind === 'void' && resolution === undefined) return findVoid(ctx, operation);
  return findTransaction(ctx, operation);
}

/** Finds a void by our id or by the state of its charge: a voided charge stays voided. */
async function findVoid(ctx: ChargeContext, operation: NewChargeOperation): Promise<Finding> {
  const found = await findTransaction(ctx, operation);
  if (found !== undefined && found.kind !== 'unresolved') return found;
  const charge = await ctx.service.charge(operation.chargeId, callFor(operation));
  if (charge.kind !== 'accepted') return UNRESOLVED;
  if (charge.body.state === 'Voided') return shownByCharge(false);
  return found ?? { kind: 'absent' };
}

/**
 * Finds a settle that was requested with its charge by the charge alone: the id of both names the
 * authorization (reference: Charge API). A charge that is only authorized shows no difference between
 * a pending settle and a failed one.
 */
async function findWithCharge(ctx: ChargeContext, operation: NewChargeOperation): Promise<Finding> {
  const { amount, chargeId } = operation;
  const charge = await ctx.service.charge(chargeId, callFor(operation));
  if (charge.kind !== 'accepted') return UNRESOLVED;
  const progress = settleProgress(charge.body);
  if (progress === 'failed') return { kind: 'failed' };
  const balance = tryBalance(charge.body, amount?.currency ?? ctx.defaultCurrency);
  // It settles the whole charge: a person settled a smaller amount.
  const isDone =
    amount === undefined || balance === undefined
      ? progress === 'settled'
      : balance.settled >= amount.value;
  return shownByCharge(!isDone);
}

const transactionTypes = { settle: 'Settle', refund: 'Refund', void: 'Void' } as const;

/** Looks up our transaction id. @returns undefined when the service knows no transaction with it */
async function findTransaction(
  ctx: ChargeContext,
  operation: NewChargeOperation,
): Promise<Finding | undefined> {
  const { chargeId, kind, merchantTransactionId } = operation;
  const found = await ctx.service.transaction(merchantTransactionId, callFor(operation));
  if (found.kind !== 'accepted') return isNotFound(found) ? undefined : UNRESOLVED;
  const { id, state, type } = found.body;
  // Our id on another charge or on a transaction of another kind proves nothing.
  if (found.body.chargeId !== chargeId || type !== transactionTypes[kind]) return UNRESOLVED;
  if (state === 'Failed') return { kind: 'failed' };
  return {
    kind: 'done',
    transactionId: id,
    hasOurId: true,
    isPending: isPendingTransaction(state),
  };
}
