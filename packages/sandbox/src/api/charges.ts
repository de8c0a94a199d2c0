import type { Charge } from '../charges/charge.ts';
import type { Service } from '../service.ts';
import { jsonBody, optionalJsonBody } from './body.ts';
import {
  actionBody,
  chargeBody,
  creationBody,
  deliveryBody,
  refundBody,
} from './charge-answers.ts';
import {
  amountRequest,
  creationRequest,
  deliveryRequest,
  minorUnits,
  syntheticRequest,
  updateRequest,
  voidConfirmedRequest,
  voidRequest,
} from './charge-requests.ts';
import { pathParameter, type ApiContext } from './context.ts';
import { checkBody } from './errors.ts';
import type { ErrorForm } from './error-form.ts';
import type { Operation } from './operation.ts';
import { booleanParameter } from './parameters.ts';

/** A 400 names a code; of delivery dates it has a message. */
const errors: ErrorForm = { badRequest: 'codes', unknown: '1000' };
const deliveryErrors: ErrorForm = { badRequest: 'message', unknown: '1000' };

/** The operations on charges. Source: docs.chargeafter.com, Charge API. */
export function chargeOperations({ charges, deliveries, lenders }: Service): Operation[] {
  const chargeOf = (c: ApiContext): Charge =>
    charges.get(c.get('environment'), pathParameter(c, 'chargeId'));
  return [
    {
      name: 'charges.create',
      method: 'POST',
      path: '/v2/post-sale/charges',
      errors,
      answer: (c) => {
        const settle = booleanParameter(c, 'settle');
        const request = checkBody(creationRequest, jsonBody(c));
        const created = charges.create(c.get('environment'), request, settle);
        const settleFailed = !created.isOriginal && created.settle?.state === 'Failed';
        return c.json(creationBody(created, lenders), settleFailed ? 202 : 201);
      },
    },
    {
      name: 'charges.get',
      method: 'GET',
      path: '/v2/post-sale/charges/:chargeId',
      errors,
      hasThreeMediaTypes: true,
      answer: (c) => c.json(chargeBody(chargeOf(c), lenders)),
    },
    {
      name: 'charges.update',
      method: 'PATCH',
      path: '/v2/post-sale/charges/:chargeId',
      errors,
      hasThreeMediaTypes: true,
      answer: (c) => {
        const change = checkBody(updateRequest, optionalJsonBody(c));
        const id = pathParameter(c, 'chargeId');
        return c.json(chargeBody(charges.update(c.get('environment'), id, change), lenders));
      },
    },
    {
      name: 'charges.settle',
      method: 'POST',
      path: '/v2/post-sale/charges/:chargeId/settles',
      errors,
      answer: (c) => {
        const body = checkBody(amountRequest, optionalJsonBody(c));
        const { environment, id, currency } = chargeOf(c);
        const amount = minorUnits(body.amount, currency);
        const made = charges.settle(environment, id, amount, body.merchantTransactionId);
        return c.json(actionBody(made), 201);
      },
    },
    {
      name: 'charges.refund',
      method: 'POST',
      path: '/v2/post-sale/charges/:chargeId/refunds',
      errors,
      answer: (c) => {
        const body = checkBody(amountRequest, optionalJsonBody(c));
        const { environment, id, currency } = chargeOf(c);
        const amount = minorUnits(body.amount, currency);
        const made = charges.refund(environment, id, amount, body.merchantTransactionId);
        return c.json(refundBody(made), 201);
      },
    },
    {
      name: 'charges.void',
      method: 'POST',
      path: '/v2/post-sale/charges/:chargeId/voids',
      errors,
      answer: (c) => {
        const body = checkBody(voidRequest, optionalJsonBody(c));
        const { environment, id, currency } = chargeOf(c);
        const amount = minorUnits(body.amount, currency);
        const made = charges.void(environment, id, amount, body.merchantTransactionId);
        return c.json(actionBody(made), 201);
      },
    },
    {
      name: 'charges.void-async',
      method: 'POST',
      path: '/v2/post-sale/charges/voids/async',
      errors,
      answer: (c) => {
        const { confirmationToken } = checkBody(voidConfirmedRequest, jsonBody(c));
        const success = charges.voidConfirmed(c.get('environment'), confirmationToken);
        const message = `Charge for confirmation ${success ? 'will' : 'cannot'} be cancelled`;
        return c.json({ message, success }, 201);
      },
    },
    {
      name: 'charges.synthetic',
      method: 'POST',
      path: '/v2/post-sale/charges/:chargeId/transactions/synthetic',
      errors,
      answer: (c) => {
        const body = checkBody(syntheticRequest, jsonBody(c));
        const { environment, id, currency } = chargeOf(c);
        const { transactionType: type, merchantTransactionId, reconciliationId, createdAt } = body;
        const made = charges.synthetic(environment, id, {
          type,
          amount: minorUnits(body.amount, currency),
          merchantTransactionId,
          reconciliationId,
          createdAt,
        });
        return c.json(actionBody(made), 201);
      },
    },
    {
      name: 'charges.delivery',
      method: 'POST',
      path: '/v2/post-sale/charges/:chargeId/items/delivery',
      errors: deliveryErrors,
      answer: (c) => {
        const { items } = checkBody(deliveryRequest, jsonBody(c));
        const charge = chargeOf(c);
        return c.json(deliveryBody(charge, deliveries.set(charge, items)), 201);
      },
    },
  ];
}
