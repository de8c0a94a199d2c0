import type { Transaction } from '../charges/charge.ts';
import type { Service } from '../service.ts';
import { transactionBody } from './charge-answers.ts';
import { type ApiContext, type ErrorForm, pathParameter } from './context.ts';
import { errorCodes, ServiceError } from '../platform/service-error.ts';
import { operation, type Operation } from './operation.ts';

const errors: ErrorForm = { badRequest: 'message', unknown: '1000' };

/** The operations that find charges and transactions. Source: docs.chargeafter.com, Charge API. */
export function lookupOperations({ charges }: Service): Operation[] {
  const show = (c: ApiContext, transaction: Transaction) =>
    c.json(
      transactionBody(transaction, charges.get(transaction.environment, transaction.chargeId)),
    );
  // The documented body is a bare JSON string.
  const orderCharge = (c: ApiContext) =>
    c.json(charges.ofOrder(c.get('environment'), pathParameter(c, 'merchantOrderId')).id);
  const found = (c: ApiContext) => {
    const id = c.req.query('merchantTransactionId');
    if (id === undefined || id === '') {
      const message = 'The parameter merchantTransactionId is required.';
      throw new ServiceError(400, errorCodes.fieldRequired, message);
    }
    return show(c, charges.transactionByMerchantId(c.get('environment'), id));
  };
  const shown = (c: ApiContext) =>
    show(c, charges.transaction(c.get('environment'), pathParameter(c, 'transactionId')));
  const transactions = '/v2/post-sale/transactions';
  return [
    operation('orders.get', 'GET /v2/post-sale/orders/:merchantOrderId', orderCharge, { errors }),
    operation('transactions.lookup', `GET ${transactions}/lookup`, found, { errors }),
    operation('transactions.get', `GET ${transactions}/:transactionId`, shown, { errors }),
  ];
}
