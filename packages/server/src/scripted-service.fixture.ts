import type { Transport, TransportRequest } from '@financing-checkout/kit';

export const START = Date.UTC(2026, 10, 20, 12);

/** Routes of the service, as {@link ScriptedService} names them. */
export const CHARGE = 'POST /v2/post-sale/charges';
export const LOOKUP = 'GET /v2/post-sale/transactions/lookup';
export const REFUNDS = 'POST /v2/post-sale/charges/charge-1/refunds';
export const STATUS = 'GET /v2/checkout/applications/application-1/status';
export const PRIME = 'POST /v1/checkout/prime';
export const GET_CHARGE = 'GET /v2/post-sale/charges/charge-1';
export const VOIDS = 'POST /v2/post-sale/charges/charge-1/voids';
export const ORDER = 'GET /v2/post-sale/orders/order-1001';
export const SETTLES = 'POST /v2/post-sale/charges/charge-1/settles';

export interface UpstreamCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: unknown;
  signal: AbortSignal;
}

/** A response, an Error to throw, or a function that returns either. */
export type Scripted =
  | { status: number; body?: unknown; text?: string; headers?: Record<string, string> }
  | Error
  | ((call: UpstreamCall) => Scripted | Promise<Scripted>);

/**
 * A stub of the service: returns the scripted responses of each "METHOD /path" in order, then
 * repeats the last one.
 */
export class ScriptedService {
  readonly calls: UpstreamCall[] = [];
  #answers = new Map<string, Scripted[]>();

  on(route: string, ...answers: Scripted[]): this {
    this.#answers.set(route, answers);
    return this;
  }

  callsTo(route: string): UpstreamCall[] {
    return this.calls.filter((call) => `${call.method} ${call.path}` === route);
  }

  readonly transport: Transport = async (url, request) => {
    const call = toCall(url, request);
    this.calls.push(call);
    const answers = this.#answers.get(`${call.method} ${call.path}`);
    let answer: Scripted =
      (answers && answers.length > 1 ? answers.shift() : answers?.[0]) ?? notFound;
    while (typeof answer === 'function') answer = await answer(call);
    if (answer instanceof Error) throw answer;
    const text = answer.text ?? JSON.stringify(answer.body ?? null);
    return new Response(answer.status === 204 ? null : text, {
      status: answer.status,
      headers: { 'content-type': 'application/json', ...answer.headers },
    });
  };
}

function toCall(url: string, request: TransportRequest): UpstreamCall {
  const { pathname, searchParams } = new URL(url);
  return {
    method: request.method,
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body: request.body === undefined ? undefined : (JSON.parse(request.body) as unknown),
    signal: request.signal,
  };
}

/** Returns an error in the form of Node's network layer. */
export function networkError(code: string): Error {
  return Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error(`connect ${code}`), { code }),
  });
}

export const primed = {
  status: 201,
  body: {
    id: 'session-token-1',
    applicationId: 'application-1',
    expirationDate: new Date(START + 3_600_000).toISOString(),
    aFieldOfTomorrow: { kept: true },
  },
};

/** The response to a lookup without a result: a 404 without a body. */
export const notFound = { status: 404, text: '' };

/**
 * A gateway timeout: the charge may still have been created, so the charge is looked up, and the
 * request is not sent again before the grace period ends.
 */
export const gatewayTimeout = { status: 504, text: '' };

/** Fields that the creation and the lookup of a charge share. */
const chargeFields = {
  id: 'charge-1',
  merchantOrderId: 'order-1001',
  totalAmount: 274.99,
  consumerId: 'consumer-1',
  createdAt: '2026-11-20T12:00:00.9277886Z',
  updatedAt: '2026-11-20T12:00:00.9277886Z',
  channel: 'E_COMMERCE',
  applicationId: 'application-1',
};

/**
 * The response to the creation of a charge that was settled at once (reference: Charge API): its
 * state is spelled `PartiallySettled`, and it has no settled amount.
 */
export const charged = {
  status: 201,
  body: {
    ...chargeFields,
    orderReferenceId: 'reference-1',
    offer: { lender: { id: 'lender-1', name: 'Quillmoor' }, paymentPlan: { creditAmount: 274.99 } },
    transactionsData: {
      lenderAuthorizeReferenceId: 'lender-authorize-1',
      lenderSettleReferenceId: 'lender-settle-1',
    },
    state: 'Authorized',
    transactionState: 'Completed',
    settleTransactionState: 'Completed',
  },
};

/** Returns the response to the creation of a charge, with changed fields. */
export const created = (change: object, status = 201) => ({
  status,
  body: { ...charged.body, ...change },
});

/**
 * Returns the response body of a lookup of a charge (reference: Charge API): its state is spelled
 * `PARTIALLY_SETTLED`. Settled by default.
 */
export const chargeBody = (change: object = {}) => ({
  ...chargeFields,
  settledAmount: 274.99,
  refundedAmount: 0,
  lender: { id: 'lender-1', name: 'Quillmoor' },
  paymentPlan: { creditAmount: 274.99 },
  state: 'SETTLED',
  ...change,
});
export const foundCharge = (change: object = {}) => ({ status: 200, body: chargeBody(change) });
/** Fields of an unsettled charge in a lookup. */
export const authorized = { state: 'AUTHORIZED', settledAmount: 0 };

/** Returns the response to a lookup of a charge's authorization by transaction id. */
export const foundTransaction = (change: object = {}) => ({
  status: 200,
  body: {
    lenderId: 'lender-1',
    merchantId: 'merchant-1',
    id: 'transaction-1',
    chargeId: 'charge-1',
    type: 'Authorize',
    state: 'Completed',
    createdAt: '2026-11-20T12:00:00.9277886Z',
    amount: 274.99,
    ...change,
  },
});

/** Returns the response to a lookup of an application's status (reference: Checkout Management). */
export const application = (applicationStatus: string | null, change: object = {}) => ({
  status: 200,
  body: {
    sessionStatus: 'NOT COMPLETED',
    flowType: 'Checkout',
    applicationStatus,
    confirmationToken: null,
    accountToken: null,
    ...change,
  },
});
/** Returns the confirmed offer of an application. */
export const offer = (financialProductType: string) => ({
  confirmedOffer: { code: 'OFFER-1', financialProductType, amount: 274.99, defaultAPR: 9.9 },
});
