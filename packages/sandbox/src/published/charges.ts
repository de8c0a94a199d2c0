import { z } from 'zod';
import {
  amount,
  answeredChargeStates,
  answeredTransactionType,
  dateTime,
  readChargeStates,
  textMap,
  transactionState,
  transactionType,
} from './values.ts';

export const lender = z.strictObject({ id: z.string().optional(), name: z.string().optional() });
const paymentPlan = z.strictObject({ creditAmount: amount.optional() });

/**
 * POST /v2/post-sale/charges, 201 and 202. The response has no settled or refunded amount, no
 * currency, no list of transactions and no tags. Source: reference, Charge API.
 */
export const chargeCreation = z.strictObject({
  id: z.string(),
  orderReferenceId: z.string(),
  totalAmount: amount,
  merchantOrderId: z.string(),
  offer: z.strictObject({ lender: lender.optional(), paymentPlan: paymentPlan.optional() }),
  transactionsData: z.strictObject({
    lenderAuthorizeReferenceId: z.string().optional(),
    lenderSettleReferenceId: z.string().optional(),
  }),
  state: z.enum(answeredChargeStates),
  storeId: z.string().optional(),
  consumerId: z.string(),
  createdAt: dateTime,
  updatedAt: dateTime,
  channel: z.string(),
  approvalCode: z.string().optional(),
  applicationId: z.string(),
  metadata: textMap.nullish(),
  transactionState: transactionState.optional(),
  settleTransactionState: transactionState.nullish(),
});

/** GET and PATCH /v2/post-sale/charges/{chargeid}. */
export const charge = z.strictObject({
  id: z.string(),
  merchantOrderId: z.string(),
  totalAmount: amount,
  refundedAmount: amount,
  settledAmount: amount,
  lender,
  paymentPlan,
  state: z.enum(readChargeStates),
  storeId: z.string().optional(),
  consumerId: z.string(),
  createdAt: dateTime,
  updatedAt: dateTime,
  channel: z.string(),
  applicationId: z.string(),
});

/** POST …/settles and …/voids: `status` is the charge's state, `transactionState` the transaction's. */
export const settleOrVoid = z.strictObject({
  type: answeredTransactionType.optional(),
  status: z.enum(answeredChargeStates),
  id: z.string(),
  chargeId: z.string(),
  merchantOrderId: z.string(),
  storeId: z.string().optional(),
  lenderId: z.string(),
  amount,
  merchantId: z.string(),
  createdAt: dateTime,
  updatedAt: dateTime,
  lenderReferenceId: z.string().optional(),
  transactionState: transactionState.optional(),
  metadata: textMap.nullish(),
});

/** POST …/transactions/synthetic. */
export const syntheticTransaction = settleOrVoid.extend({ type: answeredTransactionType });

/** POST …/refunds. */
export const refund = syntheticTransaction.extend({ approvalCode: z.string().nullish() });

/** POST /v2/post-sale/charges/voids/async. */
export const asyncVoid = z.strictObject({ message: z.string(), success: z.boolean() });

/** POST …/items/delivery. */
export const delivery = z.strictObject({
  id: z.string(),
  chargeId: z.string(),
  items: z.array(
    z.strictObject({
      sku: z.string().optional(),
      quantity: z.int().optional(),
      deliveryDate: dateTime.optional(),
    }),
  ),
  createdAt: dateTime,
  updatedAt: dateTime,
});

/** GET /v2/post-sale/orders/{orderId}: the body is a JSON string, the id of the charge. */
export const orderCharge = z.string();

/** GET /v2/post-sale/transactions/lookup and …/{id}: `state` is the transaction's state. */
export const transaction = z.strictObject({
  lenderId: z.string(),
  merchantId: z.string(),
  storeId: z.string().nullish(),
  id: z.string(),
  chargeId: z.string(),
  type: transactionType,
  state: transactionState,
  createdAt: dateTime,
  amount,
  merchantTransactionId: z.string().nullish(),
  reconciliationId: z.string().optional(),
  approvalCode: z.string().optional(),
  scheduledExecutionTimestamp: dateTime.nullish(),
  balanceId: z.string().optional(),
  metadata: textMap.nullish(),
});
