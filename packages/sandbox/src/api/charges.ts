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
import { type ApiContext, type ErrorForm, pathParameter } from './context.ts';
import { checkBody } from '../platform/service-error.ts';
import { operation, type Operation } from './operation.ts';
import { booleanParameter } from './parameters.ts';

/** A 400 response has codes, except for delivery dates, where it has a message. */
const errors: ErrorForm = { badRequest: 'codes', unknown: '1000' };
const deliveryErrors: ErrorForm = { badRequest: 'message', unknown: '1000' };

/** The operations on charges. Source: docs.chargeafter.com, Charge API. */
export function chargeOperations({ charges, deliveries, lenders }: Service): Operation[] {
  const chargeOf = (c: ApiContext): Charge =>
    charges.get(c.get('environment'), pathParameter(c, 'chargeId'));
  const add = (
    c: ApiContext,
    type: 'Settle' | 'Refund' | 'Void',
    schema: typeof amountRequest | typeof voidRequest,
  ) => {
    const { amount, merchantTransactionId } = checkBody(schema, optionalJsonBody(c));
    const { environment, id, currency } = chargeOf(c);
    const request = { amount: minorUnits(amount, currency), merchantTransactionId };
    return charges.addTransaction(environment, id, type, request);
  };
  const created = (c: ApiContext) => {
    const settle = booleanParameter(c, 'settle');
    const request = checkBody(creationRequest, jsonBody(c));
    const charge = charges.create(c.get('environment'), request, settle);
    const settleFailed = !charge.isOriginal && charge.settle?.state === 'Failed';
    return c.json(creationBody(charge, lenders), settleFailed ? 202 : 201);
  };
  const updated = (c: ApiContext) => {
    const change = checkBody(updateRequest, optionalJsonBody(c));
    const id = pathParameter(c, 'chargeId');
    return c.json(chargeBody(charges.update(c.get('environment'), id, change), lenders));
  };
  const voidedByToken = (c: ApiContext) => {
    const { confirmationToken } = checkBody(voidConfirmedRequest, jsonBody(c));
    const success = charges.voidConfirmed(c.get('environment'), confirmationToken);
    const message = `Charge for confirmation ${success ? 'will' : 'cannot'} be cancelled`;
    return c.json({ message, success }, 201);
  };
  const synthetic = (c: ApiContext) => {
    const { transactionType, amount, merchantTransactionId, ...more } = checkBody(
      syntheticRequest,
      jsonBody(c),
    );
    const { environment, id, currency } = chargeOf(c);
    const made = charges.addTransaction(environment, id, transactionType, {
      amount: minorUnits(amount, currency),
      merchantTransactionId,
      synthetic: more,
    });
    return c.json(actionBody(made), 201);
  };
  const delivered = (c: ApiContext) => {
    const { items } = checkBody(deliveryRequest, jsonBody(c));
    const charge = chargeOf(c);
    return c.json(deliveryBody(charge, deliveries.set(charge, items)), 201);
  };
  const settled = (c: ApiContext) => c.json(actionBody(add(c, 'Settle', amountRequest)), 201);
  const refunded = (c: ApiContext) => c.json(refundBody(add(c, 'Refund', amountRequest)), 201);
  const voided = (c: ApiContext) => c.json(actionBody(add(c, 'Void', voidRequest)), 201);
  const shown = (c: ApiContext) => c.json(chargeBody(chargeOf(c), lenders));
  const all = '/v2/post-sale/charges';
  const one = `${all}/:chargeId`;
  const threeTypes = { errors, hasThreeMediaTypes: true };
  return [
    operation('charges.create', `POST ${all}`, created, { errors }),
    operation('charges.get', `GET ${one}`, shown, threeTypes),
    operation('charges.update', `PATCH ${one}`, updated, threeTypes),
    operation('charges.settle', `POST ${one}/settles`, settled, { errors }),
    operation('charges.refund', `POST ${one}/refunds`, refunded, { errors }),
    operation('charges.void', `POST ${one}/voids`, voided, { errors }),
    operation('charges.void-async', `POST ${all}/voids/async`, voidedByToken, { errors }),
    operation('charges.synthetic', `POST ${one}/transactions/synthetic`, synthetic, { errors }),
    operation('charges.delivery', `POST ${one}/items/delivery`, delivered, {
      errors: deliveryErrors,
    }),
  ];
}
