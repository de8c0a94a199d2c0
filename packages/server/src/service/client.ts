import type { Money, Order } from '@financing-checkout/contract';
import { z } from 'zod';
import type { Priority } from './admission.ts';
import { wireAmount } from './amount.ts';
import { type Application, applicationSchema } from './applications.ts';
import {
  createCaller,
  DEFAULT_CHARGE_DEADLINE_MS,
  DEFAULT_DEADLINE_MS,
  type ServiceOptions,
} from './caller.ts';
import { type Charge, chargeSchema, createdCharge, orderChargeSchema } from './charges.ts';
import { fundingPageSchema } from './fundings.ts';
import {
  type CheckoutOperation,
  checkoutPaths,
  primeBody,
  type Primed,
  primedSchema,
} from './prime.ts';
import type { CallResult } from './result.ts';
import {
  type MadeTransaction,
  madeTransactionSchema,
  type Transaction,
  transactionSchema,
} from './transactions.ts';

/** The three fundings operations (specification 4). */
export type FundingsOperation = 'report' | 'records-v1' | 'records-v2';

export interface FundingsQuery {
  operation: FundingsOperation;
  from?: string | undefined;
  to?: string | undefined;
  showMissing: boolean;
  offset: number;
  limit: number;
}

/** The operations of the financing service that the companion uses. `requestId` joins log lines. */
export interface ServiceClient {
  /** Total time of one call, in milliseconds. Leases and waits are multiples of it. */
  readonly deadlineMs: number;
  /** Total time of the call that creates a charge, in milliseconds: a lender may be slow. */
  readonly chargeDeadlineMs: number;
  /** Opens a session, by the operation of {@link ServiceClientOptions}. */
  prime(order: Order, requestId?: string): Promise<CallResult<Primed>>;
  application(applicationId: string, requestId?: string): Promise<CallResult<Application>>;
  createCharge(charge: NewCharge, requestId?: string): Promise<CallResult<Charge>>;
  charge(chargeId: string, requestId?: string): Promise<CallResult<Charge>>;
  settleCharge(part: ChargePart, requestId?: string): Promise<CallResult<MadeTransaction>>;
  refundCharge(part: ChargePart, requestId?: string): Promise<CallResult<MadeTransaction>>;
  /** Voids all that is authorized. */
  voidCharge(
    charge: Omit<ChargePart, 'amount'>,
    requestId?: string,
  ): Promise<CallResult<MadeTransaction>>;
  /** The transaction that carries one of our ids; of a charge, that is its authorization. */
  transaction(
    merchantTransactionId: string,
    requestId?: string,
    priority?: Priority,
  ): Promise<CallResult<Transaction>>;
  chargeOfOrder(
    merchantOrderId: string,
    requestId?: string,
    priority?: Priority,
  ): Promise<CallResult<string>>;
  /** A page of records, each still to be read. */
  fundings(query: FundingsQuery, requestId?: string): Promise<CallResult<unknown[]>>;
  /** A page as it came, to be read in another thread. */
  fundingsPage(
    query: FundingsQuery,
    requestId?: string,
  ): Promise<CallResult<Uint8Array<ArrayBuffer>>>;
}

export interface ServiceClientOptions extends ServiceOptions {
  /** The operation that opens a session. @default 'prime' */
  checkoutOperation?: CheckoutOperation;
}

export interface NewCharge {
  confirmationToken: string;
  merchantOrderId: string;
  merchantTransactionId: string;
  settle: boolean;
}

/** Money of a charge that is to move. */
export interface ChargePart {
  chargeId: string;
  amount: Money;
  merchantTransactionId: string;
}

/** A page of a thousand records is some hundred kilobytes. */
const MAX_FUNDINGS_BYTES = 16 * 1_048_576;

const fundingsPaths: Record<FundingsOperation, string> = {
  report: '/v2/post-sale/fundings/report',
  'records-v1': '/v1/post-sale/fundings/records',
  'records-v2': '/v2/post-sale/fundings/records',
};

/** @throws {TypeError} when the base address is not https (specification 5.1) */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const call = createCaller(options);
  const chargeDeadlineMs =
    options.chargeDeadlineMs ??
    Math.max(DEFAULT_CHARGE_DEADLINE_MS, options.deadlineMs ?? DEFAULT_DEADLINE_MS);
  const id = encodeURIComponent;
  const { checkoutOperation = 'prime' } = options;

  function movePart(
    operation: 'settles' | 'refunds',
    { chargeId, amount, merchantTransactionId }: ChargePart,
    requestId: string | undefined,
  ) {
    return call(
      {
        method: 'POST',
        route: `/v2/post-sale/charges/{id}/${operation}`,
        path: `/v2/post-sale/charges/${id(chargeId)}/${operation}`,
        body: { amount: wireAmount(amount.value, amount.currency), merchantTransactionId },
        schema: madeTransactionSchema,
      },
      requestId,
    );
  }

  return {
    deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
    chargeDeadlineMs,
    prime: (order, requestId) =>
      call(
        {
          method: 'POST',
          route: checkoutPaths[checkoutOperation],
          path: checkoutPaths[checkoutOperation],
          body: primeBody(order, checkoutOperation),
          schema: primedSchema,
        },
        requestId,
      ),

    application: (applicationId, requestId) =>
      call(
        {
          method: 'GET',
          route: '/v2/checkout/applications/{id}/status',
          path: `/v2/checkout/applications/${id(applicationId)}/status`,
          schema: applicationSchema,
        },
        requestId,
      ),

    async createCharge({ settle, ...body }, requestId) {
      const result = await call(
        {
          method: 'POST',
          route: '/v2/post-sale/charges',
          path: '/v2/post-sale/charges',
          query: { settle: String(settle) },
          body,
          schema: chargeSchema,
          deadlineMs: chargeDeadlineMs,
        },
        requestId,
      );
      if (result.kind !== 'accepted') return result;
      return { ...result, body: createdCharge(result.body, result.status) };
    },

    charge: (chargeId, requestId) =>
      call(
        {
          method: 'GET',
          route: '/v2/post-sale/charges/{id}',
          path: `/v2/post-sale/charges/${id(chargeId)}`,
          schema: chargeSchema,
        },
        requestId,
      ),

    settleCharge: (part, requestId) => movePart('settles', part, requestId),

    refundCharge: (part, requestId) => movePart('refunds', part, requestId),

    voidCharge: ({ chargeId, merchantTransactionId }, requestId) =>
      call(
        {
          method: 'POST',
          route: '/v2/post-sale/charges/{id}/voids',
          path: `/v2/post-sale/charges/${id(chargeId)}/voids`,
          body: { merchantTransactionId },
          schema: madeTransactionSchema,
        },
        requestId,
      ),

    transaction: (merchantTransactionId, requestId, priority) =>
      call(
        {
          method: 'GET',
          route: '/v2/post-sale/transactions/lookup',
          path: '/v2/post-sale/transactions/lookup',
          query: { merchantTransactionId },
          schema: transactionSchema,
          priority,
        },
        requestId,
      ),

    chargeOfOrder: (merchantOrderId, requestId, priority) =>
      call(
        {
          method: 'GET',
          route: '/v2/post-sale/orders/{merchantOrderId}',
          path: `/v2/post-sale/orders/${id(merchantOrderId)}`,
          schema: orderChargeSchema,
          priority,
        },
        requestId,
      ),

    fundings: (query, requestId) =>
      call({ ...fundingsCall(query), schema: fundingPageSchema }, requestId),

    fundingsPage: (query, requestId) =>
      call({ ...fundingsCall(query), schema: pageBytes, answer: 'bytes' }, requestId),
  };
}

const pageBytes = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);

function fundingsCall({ operation, from, to, showMissing, offset, limit }: FundingsQuery) {
  return {
    method: 'GET',
    route: fundingsPaths[operation],
    path: fundingsPaths[operation],
    query: {
      offset: String(offset),
      limit: String(limit),
      showMissing: String(showMissing),
      ...(from === undefined ? {} : { fromDate: from }),
      ...(to === undefined ? {} : { toDate: to }),
    },
    maxBytes: MAX_FUNDINGS_BYTES,
  } as const;
}
