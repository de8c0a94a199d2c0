import type { Deviation, MutantCall } from './call.ts';
import { invalid, onUnknownCharge, operationOf, withCode, without, type Json } from './contract.ts';
import type { Mutant } from './mutant.ts';

type Rewrite = (response: Response, call: MutantCall) => Response | Promise<Response>;

/** Rewrites the responses of some operations. */
const answers =
  (operations: readonly string[], rewrite: Rewrite): Deviation =>
  async (call) => {
    const isMeant = operations.includes(operationOf(call));
    const response = await call.forward();
    return isMeant ? rewrite(response, call) : response;
  };

/** Rewrites the bodies of successful responses of some operations. */
export const bodies = (
  operations: readonly string[],
  rewrite: (body: Json) => unknown,
): Deviation =>
  answers(operations, async (response) =>
    response.ok
      ? Response.json(rewrite((await response.json()) as Json), { status: response.status })
      : response,
  );

/** Converts SETTLED_PARTIALLY_REFUNDED to SettledPartiallyRefunded. */
const pascal = (state: unknown) =>
  String(state)
    .toLowerCase()
    .replaceAll(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());

const json = { 'content-type': 'application/json' };

/** Mutants that respond as the stand-in did before it followed the published contract. */
export const answerMutants: readonly Mutant[] = [
  {
    name: 'charge-read-in-pascal-case',
    breaks: ['published.charges.get', 'published.charges.patch'],
    charges: true,
    how: bodies(['charges.get', 'charges.patch'], (charge) => ({
      ...without(charge, 'lender', 'paymentPlan', 'consumerId', 'channel'),
      state: pascal(charge.state),
      currency: 'USD',
      tags: {},
      transactions: [],
    })),
  },
  {
    name: 'creation-answers-as-read',
    breaks: ['published.charges.create'],
    charges: true,
    how: bodies(['charges.create'], (charge) => ({
      ...without(charge, 'offer', 'transactionsData', 'transactionState'),
      settledAmount: 0,
      refundedAmount: 0,
      currency: 'USD',
      transactions: [],
    })),
  },
  {
    name: 'transaction-answers-with-state',
    breaks: ['published.charges.settle', 'published.charges.refund', 'published.charges.void'],
    charges: true,
    how: bodies(
      ['charges.settle', 'charges.refund', 'charges.void'],
      ({ status, transactionState, type, ...transaction }) => ({
        ...without(transaction, 'lenderId', 'merchantId'),
        type: pascal(type),
        state: transactionState,
        chargeState: status,
      }),
    ),
  },
  {
    name: 'order-is-an-object',
    breaks: ['charges.order', 'published.orders.get'],
    charges: true,
    how: bodies(['orders.get'], (chargeId) => ({ merchantOrderId: 'A-1', chargeId })),
  },
  {
    name: 'application-has-status',
    breaks: ['published.application.status'],
    how: answers(['application.status'], async (response, call) => {
      if (!response.ok) return withCode(404, 1002);
      const { applicationStatus } = (await response.json()) as Json;
      const applicationId = call.path.split('/').at(-2);
      return Response.json({ applicationId, status: applicationStatus ?? 'New' });
    }),
  },
  {
    name: 'notification-has-event',
    breaks: ['notifications'],
    notification: ({ eventType, ...body }) => ({
      event: eventType,
      ...without(body, 'amount', 'lenderId', 'reason'),
    }),
  },
  {
    name: 'used-token-invalid',
    breaks: ['charges.used-token'],
    charges: true,
    how: answers(['charges.create'], async (response) =>
      (await response.clone().text()).includes('"2002"') ? invalid() : response,
    ),
  },
  {
    name: 'id-names-the-settle',
    breaks: ['charges.authorization'],
    charges: true,
    how: bodies(['transactions.lookup'], (body) =>
      body.type === 'Authorize' ? { ...body, type: 'Settle' } : body,
    ),
  },
  {
    name: 'unknown-charge-is-404',
    breaks: [
      'charges.unknown',
      ...onUnknownCharge.map((name) => `published.${name}`),
      ...['published.orders.get', 'published.transactions.lookup', 'published.transactions.get'],
    ],
    charges: true,
    how: async (call) => {
      const isMeant = [...onUnknownCharge, 'orders.get', 'transactions.lookup', 'transactions.get'];
      const response = await call.forward();
      if (!isMeant.includes(operationOf(call)) || response.ok) return response;
      return (await response.clone().text()).includes('"2001"') || response.status === 404
        ? withCode(404, '2001')
        : response;
    },
  },
  {
    name: 'unknown-confirmation-is-invalid',
    breaks: ['charges.confirmation'],
    how: answers(['charges.create'], async (response) =>
      response.status === 404 || (await response.clone().text()).includes('"2004"')
        ? withCode(400, '10002')
        : response,
    ),
  },
  {
    name: 'codes-are-numbers',
    breaks: ['charges.create', 'links.checkout', 'links.application', ...onUnknownCharge].map(
      (name) => `published.${name}`,
    ),
    charges: true,
    how: async (call) => {
      const response = await call.forward();
      if (response.ok) return response;
      const text = (await response.text()).replaceAll(/"code":\s*"(\d+)"/g, '"code":$1');
      const { status } = response;
      return new Response(text === '' ? null : text, { status, headers: json });
    },
  },
  {
    name: 'a-401-has-a-body',
    breaks: [
      ...['fundings.report', 'fundings.records-v1', 'fundings.records-v2', 'checkout.prime'].map(
        (name) => `published.${name}`,
      ),
    ],
    how: async (call) => {
      const response = await call.forward();
      return response.status === 401 ? withCode(401, '1000') : response;
    },
  },
  {
    name: 'lease-has-its-tax',
    breaks: ['charges.total'],
    charges: true,
    how: answers(['charges.create'], async (response, call) => {
      if (!response.ok) return response;
      const charge = (await response.json()) as Json;
      call.method = 'GET';
      call.path = `/v2/checkout/applications/${String(charge.applicationId)}/status`;
      call.query.delete('settle');
      call.body = undefined;
      const { cartDetails } = (await (await call.forward()).json()) as Json;
      const totalAmount = (cartDetails as Json | null)?.totalAmount;
      return Response.json({ ...charge, totalAmount }, { status: response.status });
    }),
  },
  {
    name: 'script-has-another-global',
    breaks: ['browser-script'],
    script: (text) =>
      `${text}\n;window.FinancingService = window.ChargeAfter; delete window.ChargeAfter;`,
  },
  {
    name: 'script-has-no-promotions',
    breaks: ['browser-script'],
    script: (text) => `${text}\n;delete window.ChargeAfter.promotions;`,
  },
  {
    name: 'init-returns-nothing',
    breaks: ['browser-script'],
    script: (text) =>
      `${text}\n;{ const sdk = window.ChargeAfter, init = sdk.init.bind(sdk);` +
      ' window.ChargeAfter = { ...sdk, init: (options) => void init(options) }; }',
  },
];
