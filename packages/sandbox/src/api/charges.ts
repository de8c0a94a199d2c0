import { z } from 'zod';
import type { Charge, Transaction } from '../charges/charge.ts';
import { toMinorUnits, toWireAmount } from '../money/money.ts';
import type { Service } from '../service.ts';
import { jsonBody, optionalJsonBody } from './body.ts';
import { pathParameter } from './context.ts';
import { checkBody, errorCodes, invalidFields, ServiceError } from './errors.ts';
import type { Operation } from './operation.ts';
import { booleanParameter } from './parameters.ts';

/** Constraints of the fields. Source: docs.chargeafter.com, Charge API. */
const merchantId = z.string().min(1, 'must not be empty').max(256);
const amount = z.number().positive('must be more than zero');

const chargeBody = z.object({
  confirmationToken: z.string().min(1, 'must not be empty').max(4096),
  merchantOrderId: merchantId.nullish(),
  merchantTransactionId: merchantId.nullish(),
  tags: z.record(z.string().max(256), z.string().max(1024)).nullish(),
});
const settleBody = z.object({
  amount: amount.nullish(),
  merchantTransactionId: merchantId.nullish(),
});
const refundBody = z.object({ amount, merchantTransactionId: merchantId.nullish() });
const voidBody = z.object({ merchantTransactionId: merchantId.nullish() });

/** The post-sale operations. Source: docs.chargeafter.com, Charge API. */
export function chargeOperations({ charges }: Service): Operation[] {
  return [
    {
      name: 'charges.create',
      method: 'POST',
      path: '/v2/post-sale/charges',
      answer: (c) => {
        const settle = booleanParameter(c, 'settle');
        const body = checkBody(chargeBody, jsonBody(c));
        const { charge, settleFailed } = charges.create(
          c.get('environment'),
          {
            confirmationToken: body.confirmationToken,
            merchantOrderId: body.merchantOrderId ?? undefined,
            merchantTransactionId: body.merchantTransactionId ?? undefined,
            tags: body.tags ?? undefined,
          },
          settle,
        );
        return c.json(
          chargeToWire(charge, charges.transactionsOf(charge)),
          settleFailed ? 202 : 201,
        );
      },
    },
    {
      name: 'charges.get',
      method: 'GET',
      path: '/v2/post-sale/charges/:chargeId',
      answer: (c) => {
        const charge = charges.get(c.get('environment'), pathParameter(c, 'chargeId'));
        return c.json(chargeToWire(charge, charges.transactionsOf(charge)));
      },
    },
    {
      name: 'charges.settle',
      method: 'POST',
      path: '/v2/post-sale/charges/:chargeId/settles',
      answer: (c) => {
        const environment = c.get('environment');
        const body = checkBody(settleBody, optionalJsonBody(c));
        const charge = charges.get(environment, pathParameter(c, 'chargeId'));
        const { charge: after, transaction } = charges.settle(
          environment,
          charge.id,
          minorUnits(body.amount ?? undefined, charge.currency),
          body.merchantTransactionId ?? undefined,
        );
        return c.json(transactionToWire(transaction, after), 201);
      },
    },
    {
      name: 'charges.refund',
      method: 'POST',
      path: '/v2/post-sale/charges/:chargeId/refunds',
      answer: (c) => {
        const environment = c.get('environment');
        const body = checkBody(refundBody, jsonBody(c));
        const charge = charges.get(environment, pathParameter(c, 'chargeId'));
        const { charge: after, transaction } = charges.refund(
          environment,
          charge.id,
          minorUnits(body.amount, charge.currency),
          body.merchantTransactionId ?? undefined,
        );
        return c.json(transactionToWire(transaction, after), 201);
      },
    },
    {
      name: 'charges.void',
      method: 'POST',
      path: '/v2/post-sale/charges/:chargeId/voids',
      answer: (c) => {
        const body = checkBody(voidBody, optionalJsonBody(c));
        const { charge, transaction } = charges.void(
          c.get('environment'),
          pathParameter(c, 'chargeId'),
          body.merchantTransactionId ?? undefined,
        );
        return c.json(transactionToWire(transaction, charge), 201);
      },
    },
    {
      name: 'orders.get',
      method: 'GET',
      path: '/v2/post-sale/orders/:merchantOrderId',
      answer: (c) => {
        const merchantOrderId = pathParameter(c, 'merchantOrderId');
        const charge = charges.ofOrder(c.get('environment'), merchantOrderId);
        return c.json({ merchantOrderId, chargeId: charge.id });
      },
    },
    {
      name: 'transactions.lookup',
      method: 'GET',
      path: '/v2/post-sale/transactions/lookup',
      answer: (c) => {
        const environment = c.get('environment');
        const id = c.req.query('merchantTransactionId');
        if (id === undefined || id === '') {
          throw new ServiceError(
            400,
            errorCodes.fieldRequired,
            'The parameter merchantTransactionId is required.',
          );
        }
        const transaction = charges.transactionByMerchantId(environment, id);
        return c.json(
          transactionToWire(transaction, charges.get(environment, transaction.chargeId)),
        );
      },
    },
  ];
}

/** @throws {ServiceError} 422 when the currency cannot hold the amount exactly */
function minorUnits(amount: number, currency: string): number;
function minorUnits(amount: number | undefined, currency: string): number | undefined;
function minorUnits(amount: number | undefined, currency: string): number | undefined {
  if (amount === undefined) return undefined;
  const minor = toMinorUnits(amount, currency);
  if (typeof minor === 'string') throw invalidFields([{ field: 'amount', error: minor }]);
  return minor;
}

function chargeToWire(charge: Charge, transactions: readonly Transaction[]) {
  const { currency } = charge;
  return {
    id: charge.id,
    applicationId: charge.applicationId,
    merchantOrderId: charge.merchantOrderId,
    state: charge.state,
    currency,
    totalAmount: toWireAmount(charge.total, currency),
    settledAmount: toWireAmount(charge.settled, currency),
    refundedAmount: toWireAmount(charge.refunded, currency),
    tags: charge.tags,
    createdAt: new Date(charge.createdAt).toISOString(),
    updatedAt: new Date(charge.updatedAt).toISOString(),
    transactions: transactions.map((transaction) => transactionToWire(transaction, charge)),
  };
}

function transactionToWire(transaction: Transaction, charge: Charge) {
  return {
    id: transaction.id,
    chargeId: charge.id,
    merchantOrderId: charge.merchantOrderId,
    chargeState: charge.state,
    type: transaction.type,
    state: transaction.state,
    amount: toWireAmount(transaction.amount, charge.currency),
    ...(transaction.merchantTransactionId === null
      ? {}
      : { merchantTransactionId: transaction.merchantTransactionId }),
    createdAt: new Date(transaction.createdAt).toISOString(),
  };
}
