import { findOperation } from '../../published/operations.ts';
import type { Deviation, MutantCall } from './call.ts';
import type { Mutant } from './mutants.ts';

type Json = Record<string, unknown>;
type Rewrite = (response: Response, call: MutantCall) => Response | Promise<Response>;

const operationOf = (call: MutantCall) => findOperation(call.method, call.path)?.name ?? '';

/** The answers of some operations rewritten. */
const answers =
  (operations: readonly string[], rewrite: Rewrite): Deviation =>
  async (call) => {
    const isMeant = operations.includes(operationOf(call));
    const response = await call.forward();
    return isMeant ? rewrite(response, call) : response;
  };

/** The bodies of their successes rewritten. */
const bodies = (operations: readonly string[], rewrite: (body: Json) => unknown): Deviation =>
  answers(operations, async (response) =>
    response.ok
      ? Response.json(rewrite((await response.json()) as Json), { status: response.status })
      : response,
  );

/** A request refused before it is forwarded, where `isRefused` says so. */
const refused =
  (
    operation: string,
    isRefused: (body: Json, call: MutantCall) => boolean,
    refusal: () => Response,
  ): Deviation =>
  (call) =>
    operationOf(call) === operation && isRefused(parsed(call.body), call)
      ? Promise.resolve(refusal())
      : call.forward();

const withCode = (status: number, code: string | number) =>
  Response.json({ requestId: 'mutant', errors: [{ code, description: '' }] }, { status });
const withMessage = (status: number) =>
  Response.json({ requestId: 'mutant', message: '' }, { status });
const invalid = () =>
  Response.json(
    { requestId: 'mutant', message: '', errors: [{ field: '', validationState: '', error: '' }] },
    { status: 422 },
  );

/** SETTLED_PARTIALLY_REFUNDED as SettledPartiallyRefunded. */
const pascal = (state: unknown) =>
  String(state)
    .toLowerCase()
    .replaceAll(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());

function without(body: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

const onUnknownCharge = [
  ...['charges.get', 'charges.patch', 'charges.settle', 'charges.refund', 'charges.void'],
  ...['charges.void-async', 'charges.synthetic'],
];
const newOperations = [
  ...['session.create', 'application.token', 'charges.patch', 'charges.void-async'],
  ...['charges.synthetic', 'charges.delivery', 'transactions.get'],
];

/** Mutants that bring back what the stand-in answered before it held to the published contract. */
export const contractMutants: readonly Mutant[] = [
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
    name: 'repeated-creation-refused',
    breaks: ['charges.idempotency'],
    charges: true,
    how: refused(
      'charges.create',
      firstOnly(({ merchantTransactionId }) => merchantTransactionId),
      () => withCode(400, '2002'),
    ),
  },
  {
    name: 'used-token-invalid',
    breaks: ['charges.used-token'],
    charges: true,
    how: answers(['charges.create'], async (response) =>
      (await response.clone().text()).includes('2002') ? invalid() : response,
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
      return (await response.clone().text()).includes('2001') || response.status === 404
        ? withCode(404, '2001')
        : response;
    },
  },
  {
    name: 'unknown-confirmation-is-invalid',
    breaks: ['charges.confirmation'],
    how: answers(['charges.create'], async (response) =>
      response.status === 404 || (await response.clone().text()).includes('2004')
        ? withCode(400, '10002')
        : response,
    ),
  },
  {
    name: 'codes-are-numbers',
    breaks: ['published.charges.create', ...onUnknownCharge.map((name) => `published.${name}`)],
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
    name: 'void-takes-no-id',
    breaks: ['charges.void'],
    charges: true,
    how: (call) => {
      if (operationOf(call) === 'charges.void') call.body = '{}';
      return call.forward();
    },
  },
  {
    name: 'refund-needs-an-amount',
    breaks: ['charges.refund'],
    charges: true,
    how: refused('charges.refund', ({ amount }) => amount === undefined, invalid),
  },
  {
    name: 'settle-needs-an-amount',
    breaks: ['charges.settle', 'charges.refund'],
    charges: true,
    how: refused('charges.settle', ({ amount }) => amount === undefined, invalid),
  },
  {
    name: 'limit-has-a-maximum',
    breaks: ['requests.limit'],
    how: refused(
      'fundings.report',
      (_body, { query }) => Number(query.get('limit')) > 10_000,
      () => withMessage(400),
    ),
  },
  {
    name: 'unknown-fields-pass',
    breaks: ['requests.unknown-field'],
    how: (call) => {
      if (operationOf(call) === 'charges.create') {
        call.body = JSON.stringify(without(parsed(call.body), 'conformance'));
      }
      return call.forward();
    },
  },
  {
    name: 'session-needs-an-order-id',
    breaks: ['requests.session'],
    how: refused(
      'session.create',
      ({ cartDetails }) => (cartDetails as Json | undefined)?.merchantOrderId === undefined,
      invalid,
    ),
  },
  {
    name: 'session-takes-any-text',
    breaks: ['requests.enumerated'],
    how: (call) => {
      if (operationOf(call) === 'session.create') {
        const body = without(parsed(call.body), 'merchantDetails');
        const details = body.checkoutDetails as Json | undefined;
        if (details?.source !== undefined) details.source = 'Api';
        call.body = JSON.stringify(body);
      }
      return call.forward();
    },
  },
  {
    name: 'warranty-for-each-piece',
    breaks: ['requests.warranty'],
    how: refused('session.create', hasOneWarrantyForMany, invalid),
  },
  {
    name: 'one-media-type-of-json',
    breaks: ['requests.media-types'],
    how: refused(
      'session.create',
      (_body, { headers }) => !headers.get('content-type')?.startsWith('application/json'),
      () => withCode(415, '10000'),
    ),
  },
  {
    name: 'operations-are-missing',
    breaks: ['requests.session', 'charges.unknown', ...newOperations.map((n) => `published.${n}`)],
    charges: true,
    how: async (call) =>
      newOperations.includes(operationOf(call)) ? withCode(404, '1000') : call.forward(),
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
    name: 'init-returns-nothing',
    breaks: ['browser-script'],
    script: (text) =>
      `${text}\n;{ const sdk = window.ChargeAfter, init = sdk.init.bind(sdk);` +
      ' window.ChargeAfter = { ...sdk, init: (options) => void init(options) }; }',
  },
];

const json = { 'content-type': 'application/json' };

function parsed(body: string | undefined): Json {
  try {
    return JSON.parse(body ?? '{}') as Json;
  } catch {
    return {};
  }
}

/** Whether a value came before: the mutant remembers the values of its run. */
function firstOnly(valueOf: (body: Json) => unknown): (body: Json) => boolean {
  const known = new Set<unknown>();
  return (body) => {
    const value = valueOf(body);
    if (value === undefined) return false;
    const isKnown = known.has(value);
    known.add(value);
    return isKnown;
  };
}

/** Whether the total holds one warranty where a line has several pieces. */
function hasOneWarrantyForMany({ cartDetails }: Json): boolean {
  const { items } = (cartDetails ?? {}) as { items?: { quantity: number; warranty?: object }[] };
  return Array.isArray(items) && items.some((one) => one.quantity > 1 && one.warranty);
}
