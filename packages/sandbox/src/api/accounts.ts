import { z } from 'zod';
import type { AccountOrder } from '../charges/accounts.ts';
import { consumerIdOf, lenderIdOf } from '../checkout/application.ts';
import { toWireAmount } from '../platform/money.ts';
import { checkBody } from '../platform/service-error.ts';
import type { Service } from '../service.ts';
import { jsonBody } from './body.ts';
import { creationBody } from './charge-answers.ts';
import { type ApiContext, type ErrorForm, pathParameter } from './context.ts';
import { operation, type Operation } from './operation.ts';

const text = z.string().min(1, 'must not be empty');
const merchantId = z
  .string()
  .max(256, 'should be up to 256 characters')
  .transform((id) => (id === '' ? undefined : id))
  .nullish()
  .transform((id) => id ?? undefined);
const order = {
  // The session schema validates the rest, because a cart has the same fields there.
  cartDetails: z.looseObject({}),
  channel: text,
  promoCode: z.string().nullish(),
  tags: z
    .record(z.string(), z.string())
    .nullish()
    .transform((tags) => tags ?? undefined),
};
/** Accepted but ignored, because its meaning is not documented. */
const autoConfirmation = z.boolean().nullish();

const chargeRequest = z.strictObject({
  accountToken: text,
  checkoutDetails: z.strictObject(order),
  merchantDetails: z
    .strictObject({
      storeId: z.string().nullish(),
      posId: z.string().nullish(),
      posType: z.string().nullish(),
      merchantOrderId: merchantId,
      merchantTransactionId: merchantId,
    })
    .optional(),
  settle: z.boolean().nullish(),
  autoConfirmation,
});
const confirmationRequest = z.strictObject({
  ...order,
  accountToken: text,
  storeId: z.string().nullish(),
  autoConfirmation,
});

const codes: ErrorForm = { badRequest: 'codes', unknown: '1000' };
const message: ErrorForm = { badRequest: 'message', unknown: '1000' };

/** The operations on accounts. Source: docs.chargeafter.com, Charge API. */
export function accountOperations({ accounts, lenders }: Service): Operation[] {
  const charged = (c: ApiContext) => {
    const body = checkBody(chargeRequest, jsonBody(c));
    const { merchantOrderId, merchantTransactionId, ...store } = body.merchantDetails ?? {};
    const { accountToken, checkoutDetails, settle } = body;
    const account: AccountOrder = { accountToken, ...checkoutDetails, ...store };
    const request = { merchantOrderId, merchantTransactionId, withSettle: settle === true };
    const charge = accounts.charge(c.get('environment'), account, request);
    const settleFailed = !charge.isOriginal && charge.settle?.state === 'Failed';
    return c.json(creationBody(charge, lenders), settleFailed ? 202 : 201);
  };
  const confirmed = (c: ApiContext) => {
    const body = checkBody(confirmationRequest, jsonBody(c));
    return c.json({ confirmationToken: accounts.confirm(c.get('environment'), body) });
  };
  const accountOf = (c: ApiContext) => {
    const token = pathParameter(c, 'accountToken');
    return { token, account: accounts.get(c.get('environment'), token) };
  };
  const shown = (c: ApiContext) => {
    const { account } = accountOf(c);
    const { id, name } = lenders.byId(lenderIdOf(account));
    const consumerId = consumerIdOf(account.id);
    return c.json({ consumerId, lender: { id, name }, applicationId: account.id });
  };
  const credit = (c: ApiContext) => {
    const { account, token } = accountOf(c);
    const { original, available } = accounts.creditOf(account, token);
    const { currency } = account.session;
    return c.json({
      availableAmount: toWireAmount(available, currency),
      originalAmount: toWireAmount(original, currency),
    });
  };
  const all = '/v2/accounts';
  const threeTypes = { errors: message, hasThreeMediaTypes: true };
  return [
    operation('accounts.charge', `POST ${all}/charge`, charged, { errors: codes }),
    operation('accounts.confirmation', `POST ${all}/confirmation`, confirmed, threeTypes),
    operation('accounts.get', `GET ${all}/:accountToken`, shown, threeTypes),
    operation('accounts.credit', `GET ${all}/:accountToken/credit`, credit, threeTypes),
  ];
}
