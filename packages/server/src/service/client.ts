import type { Money, Order } from '@financing-checkout/contract';
import { z } from 'zod';
import { KeyRing } from '../keys/key-ring.ts';
import { digestUnder } from '../keys/private-key.ts';
import { type Application, applicationSchema } from './application.ts';
import {
  type Applied,
  type AppliedStatus,
  appliedSchema,
  appliedStatusSchema,
  applicationTokenSchema,
  applyBody,
  type NewApplication,
} from './apply.ts';
import {
  createCaller,
  DEFAULT_CHARGE_DEADLINE_MS,
  DEFAULT_DEADLINE_MS,
  type ServiceOptions,
} from './caller.ts';
import { type Charge, chargeSchema } from './charges.ts';
import type { CallContext } from './exchange.ts';
import { idSchema, majorUnits } from './fields.ts';
import { fundingPageSchema } from './fundings.ts';
import {
  type Link,
  linkBody,
  type LinkOptions,
  linkSchema,
  madeLinkSchema,
  type MadeLink,
} from './links.ts';
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

/**
 * The operations of the financing service that the companion uses. Each states the priority
 * of its call.
 */
export interface ServiceClient {
  /** Time limit of one call in milliseconds. Leases and poll delays are multiples of it. */
  readonly deadlineMs: number;
  /** Time limit of the call that creates a charge, in milliseconds: a lender may be slow. */
  readonly chargeDeadlineMs: number;
  /**
   * Returns digests of a text that only the holder of the private key can compute, one under each key
   * and the key in use first. Nothing is sent.
   */
  digests(purpose: string, text: string): Promise<string[]>;
  /** Opens a session, by the operation of {@link ServiceClientOptions}. */
  prime(order: Order, context: CallContext): Promise<CallResult<Primed>>;
  application(applicationId: string, context: CallContext): Promise<CallResult<Application>>;
  /** Opens an application without a cart, always by `POST /v3/session`. */
  apply(application: NewApplication, context: CallContext): Promise<CallResult<Applied>>;
  /** Returns the status of an application without a cart. */
  applied(applicationId: string, context: CallContext): Promise<CallResult<AppliedStatus>>;
  /** Returns a new token of an application's session. */
  applicationToken(
    applicationId: string,
    context: CallContext,
  ): Promise<CallResult<z.infer<typeof applicationTokenSchema>>>;
  /** Makes a link to the checkout of an order, which the service may send to the consumer. */
  createLink(
    order: Order,
    options: LinkOptions,
    context: CallContext,
  ): Promise<CallResult<MadeLink>>;
  link(linkId: string, context: CallContext): Promise<CallResult<Link>>;
  createCharge(charge: NewCharge, context: CallContext): Promise<CallResult<Charge>>;
  charge(chargeId: string, context: CallContext): Promise<CallResult<Charge>>;
  settleCharge(part: ChargePart, context: CallContext): Promise<CallResult<MadeTransaction>>;
  refundCharge(part: ChargePart, context: CallContext): Promise<CallResult<MadeTransaction>>;
  /** Voids the whole authorization. */
  voidCharge(
    charge: Omit<ChargePart, 'amount'>,
    context: CallContext,
  ): Promise<CallResult<MadeTransaction>>;
  /** Returns the transaction with one of our ids; for a charge request that is its authorization. */
  transaction(
    merchantTransactionId: string,
    context: CallContext,
  ): Promise<CallResult<Transaction>>;
  /** Returns the id of an order's charge. */
  chargeOfOrder(merchantOrderId: string, context: CallContext): Promise<CallResult<string>>;
  /** Returns a page of unvalidated records. */
  fundings(query: FundingsQuery, context: CallContext): Promise<CallResult<unknown[]>>;
  /** Returns the bytes of a page, for another thread to parse. */
  fundingsPage(
    query: FundingsQuery,
    context: CallContext,
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

/** An amount of a charge to settle or refund. */
export interface ChargePart {
  chargeId: string;
  amount: Money;
  merchantTransactionId: string;
}

/** A page of a thousand records has some hundred kilobytes. */
const MAX_FUNDINGS_BYTES = 16 * 1_048_576;

const fundingsPaths: Record<FundingsOperation, string> = {
  report: '/v2/post-sale/fundings/report',
  'records-v1': '/v1/post-sale/fundings/records',
  'records-v2': '/v2/post-sale/fundings/records',
};

/** @throws {TypeError} when the base address is not https (specification 5.1) */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const call = createCaller(options);
  const { checkoutOperation = 'prime', deadlineMs = DEFAULT_DEADLINE_MS } = options;
  const chargeDeadlineMs =
    options.chargeDeadlineMs ?? Math.max(DEFAULT_CHARGE_DEADLINE_MS, deadlineMs);

  const get = <Schema extends z.ZodType>(
    route: string,
    schema: Schema,
    context: CallContext,
    more: {
      id?: string;
      query?: Record<string, string>;
      maxBytes?: number;
      answer?: 'bytes';
    } = {},
  ) => call({ method: 'GET', route, schema, ...more }, context);

  const move = (
    operation: 'settles' | 'refunds' | 'voids',
    { chargeId: id, amount, ...body }: Omit<ChargePart, 'amount'> & { amount?: Money },
    context: CallContext,
  ) => {
    const money = amount && { amount: majorUnits(amount.value, amount.currency) };
    const route = `/v2/post-sale/charges/{id}/${operation}`;
    const schema = madeTransactionSchema;
    return call({ method: 'POST', route, id, body: { ...money, ...body }, schema }, context);
  };

  return {
    deadlineMs,
    chargeDeadlineMs,

    digests: (purpose, text) => {
      const { keys } = options;
      const inOrder = keys instanceof KeyRing ? keys.keysToTry() : keys;
      return Promise.all(inOrder.map((key) => digestUnder(key, purpose, text)));
    },

    prime: (order, context) =>
      call(
        {
          method: 'POST',
          route: checkoutPaths[checkoutOperation],
          body: primeBody(order, checkoutOperation),
          schema: primedSchema,
        },
        context,
      ),

    application: (id, context) =>
      get('/v2/checkout/applications/{id}/status', applicationSchema, context, { id }),

    apply: (application, context) =>
      call(
        {
          method: 'POST',
          route: checkoutPaths.session,
          body: applyBody(application),
          schema: appliedSchema,
        },
        context,
      ),

    createLink: (order, options, context) =>
      call(
        {
          method: 'POST',
          route: '/v2/omni-link/consumer/checkout',
          body: linkBody(order, options),
          schema: madeLinkSchema,
        },
        context,
      ),

    applied: (id, context) =>
      get('/v2/checkout/applications/{id}/status', appliedStatusSchema, context, { id }),

    applicationToken: (id, context) =>
      get('/v2/checkout/applications/{id}/token', applicationTokenSchema, context, { id }),
    link: (id, context) => get('/v2/omni-link/consumer/{linkId}', linkSchema, context, { id }),

    async createCharge({ settle, ...body }, context) {
      const result = await call(
        {
          method: 'POST',
          route: '/v2/post-sale/charges',
          query: { settle: String(settle) },
          body,
          schema: chargeSchema,
          deadlineMs: chargeDeadlineMs,
        },
        context,
      );
      // A 202 says that the charge exists and its settle failed (reference: Charge API).
      if (result.kind !== 'accepted' || result.status !== 202) return result;
      return { ...result, body: { ...result.body, settleTransactionState: 'Failed' } };
    },

    charge: (id, context) => get('/v2/post-sale/charges/{id}', chargeSchema, context, { id }),
    settleCharge: (part, context) => move('settles', part, context),
    refundCharge: (part, context) => move('refunds', part, context),
    voidCharge: (charge, context) => move('voids', charge, context),

    transaction: (merchantTransactionId, context) =>
      get('/v2/post-sale/transactions/lookup', transactionSchema, context, {
        query: { merchantTransactionId },
      }),

    // The answer is a bare JSON string (reference: Charge API).
    chargeOfOrder: (id, context) =>
      get('/v2/post-sale/orders/{merchantOrderId}', idSchema, context, { id }),

    fundings: (query, context) =>
      get(fundingsPaths[query.operation], fundingPageSchema, context, pageOf(query)),

    fundingsPage: (query, context) =>
      get(fundingsPaths[query.operation], bytesSchema, context, {
        ...pageOf(query),
        answer: 'bytes',
      }),
  };
}

const bytesSchema = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);

function pageOf({ from, to, showMissing, offset, limit }: FundingsQuery) {
  return {
    query: {
      offset: String(offset),
      limit: String(limit),
      showMissing: String(showMissing),
      ...(from === undefined ? {} : { fromDate: from }),
      ...(to === undefined ? {} : { toDate: to }),
    },
    maxBytes: MAX_FUNDINGS_BYTES,
  };
}
