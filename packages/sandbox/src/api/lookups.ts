import type { Transaction } from '../charges/charge.ts';
import type { Service } from '../service.ts';
import { transactionBody } from './charge-answers.ts';
import { pathParameter, type ApiContext } from './context.ts';
import { errorCodes, ServiceError } from './errors.ts';
import type { ErrorForm } from './error-form.ts';
import type { Operation } from './operation.ts';

const errors: ErrorForm = { badRequest: 'message', unknown: '1000' };

/** The operations that find charges and transactions. Source: docs.chargeafter.com, Charge API. */
export function lookupOperations({ charges }: Service): Operation[] {
  const show = (c: ApiContext, transaction: Transaction) =>
    c.json(
      transactionBody(transaction, charges.get(transaction.environment, transaction.chargeId)),
    );
  return [
    {
      name: 'orders.get',
      method: 'GET',
      path: '/v2/post-sale/orders/:merchantOrderId',
      errors,
      // The published body is a bare JSON string.
      answer: (c) =>
        c.json(charges.ofOrder(c.get('environment'), pathParameter(c, 'merchantOrderId')).id),
    },
    {
      name: 'transactions.lookup',
      method: 'GET',
      path: '/v2/post-sale/transactions/lookup',
      errors,
      answer: (c) => {
        const id = c.req.query('merchantTransactionId');
        if (id === undefined || id === '') {
          const message = 'The parameter merchantTransactionId is required.';
          throw new ServiceError(400, errorCodes.fieldRequired, message);
        }
        return show(c, charges.transactionByMerchantId(c.get('environment'), id));
      },
    },
    {
      name: 'transactions.get',
      method: 'GET',
      path: '/v2/post-sale/transactions/:transactionId',
      errors,
      answer: (c) =>
        show(c, charges.transaction(c.get('environment'), pathParameter(c, 'transactionId'))),
    },
  ];
}
