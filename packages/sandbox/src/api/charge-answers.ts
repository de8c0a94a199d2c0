import { consumerIdOf } from '../checkout/application.ts';
import {
  approvalCodeOf,
  type CreatedCharge,
  merchantIdOf,
  orderReferenceOf,
} from '../charges/creation.ts';
import { upperCaseState, type Charge, type Transaction } from '../charges/charge.ts';
import type { Delivery } from '../charges/deliveries.ts';
import { lenderReferenceOf } from '../lenders/lenders.ts';
import type { Lenders } from '../lenders/terms.ts';
import { toWireAmount } from '../platform/money.ts';

/**
 * The documented response bodies of the post-sale operations, with exactly the documented fields.
 * Source: docs.chargeafter.com, Charge API.
 */

/** Returns the response to a creation: the state in Pascal case, without settled amounts. */
export function creationBody({ charge, authorization, settle }: CreatedCharge, lenders: Lenders) {
  const settleReference = settle && referenceOf(settle);
  return {
    id: charge.id,
    orderReferenceId: orderReferenceOf(charge.id),
    totalAmount: toWireAmount(charge.total, charge.currency),
    merchantOrderId: charge.merchantOrderId,
    offer: financing(charge, lenders),
    transactionsData: {
      lenderAuthorizeReferenceId: lenderReferenceOf(authorization.id),
      lenderSettleReferenceId: settleReference,
    },
    state: charge.state,
    ...store(charge),
    consumerId: consumerIdOf(charge.applicationId),
    createdAt: date(charge.createdAt),
    updatedAt: date(charge.updatedAt),
    channel: charge.channel,
    approvalCode: approvalCodeOf(charge.id),
    applicationId: charge.applicationId,
    metadata: null,
    transactionState: authorization.state,
    settleTransactionState: settle?.state ?? null,
  };
}

/** Returns the response to GET and PATCH: the state in upper case with underscores. */
export function chargeBody(charge: Charge, lenders: Lenders) {
  const { currency } = charge;
  return {
    id: charge.id,
    merchantOrderId: charge.merchantOrderId,
    totalAmount: toWireAmount(charge.total, currency),
    refundedAmount: toWireAmount(charge.refunded, currency),
    settledAmount: toWireAmount(charge.settled, currency),
    ...financing(charge, lenders),
    state: upperCaseState(charge.state),
    ...store(charge),
    consumerId: consumerIdOf(charge.applicationId),
    createdAt: date(charge.createdAt),
    updatedAt: date(charge.updatedAt),
    channel: charge.channel,
    applicationId: charge.applicationId,
  };
}

/**
 * Returns the response to a settle, void or synthetic transaction. `status` is the charge state.
 */
export function actionBody({ charge, transaction }: { charge: Charge; transaction: Transaction }) {
  const reference = referenceOf(transaction);
  return {
    type: transaction.type.toUpperCase(),
    status: charge.state,
    id: transaction.id,
    chargeId: charge.id,
    merchantOrderId: charge.merchantOrderId,
    ...store(charge),
    lenderId: charge.lenderId,
    amount: toWireAmount(transaction.amount, charge.currency),
    merchantId: merchantIdOf(charge.environment),
    createdAt: date(transaction.createdAt),
    updatedAt: date(transaction.createdAt),
    ...(reference === undefined ? {} : { lenderReferenceId: reference }),
    transactionState: transaction.state,
    metadata: null,
  };
}

/** Returns the response to a refund: as for a settle, plus the approval code once completed. */
export function refundBody(made: { charge: Charge; transaction: Transaction }) {
  const { id, state } = made.transaction;
  return { ...actionBody(made), approvalCode: state === 'Completed' ? approvalCodeOf(id) : null };
}

/** Returns the response to a transaction lookup. */
export function transactionBody(transaction: Transaction, charge: Charge) {
  const reference = referenceOf(transaction);
  return {
    lenderId: charge.lenderId,
    merchantId: merchantIdOf(charge.environment),
    storeId: charge.storeId,
    id: transaction.id,
    chargeId: charge.id,
    type: transaction.type,
    state: transaction.state,
    createdAt: date(transaction.createdAt),
    amount: toWireAmount(transaction.amount, charge.currency),
    merchantTransactionId: transaction.merchantTransactionId,
    reconciliationId: reference,
    approvalCode: approvalCodeOf(transaction.id),
    scheduledExecutionTimestamp: null,
    metadata: null,
  };
}

export function deliveryBody(charge: Charge, { id, items, createdAt, updatedAt }: Delivery) {
  return { id, chargeId: charge.id, items, createdAt: date(createdAt), updatedAt: date(updatedAt) };
}

/** Returns the lender's reference; a rejected transaction has none. */
function referenceOf({ id, state, reconciliationId }: Transaction): string | undefined {
  return state === 'Failed' ? undefined : (reconciliationId ?? lenderReferenceOf(id));
}

function financing(charge: Charge, lenders: Lenders) {
  const { id, name } = lenders.byId(charge.lenderId);
  return {
    lender: { id, name },
    paymentPlan: { creditAmount: toWireAmount(charge.total, charge.currency) },
  };
}

function store({ storeId }: Charge) {
  return storeId === null ? {} : { storeId };
}

function date(time: number): string {
  return new Date(time).toISOString();
}
