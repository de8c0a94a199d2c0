import type { Money } from '@financing-checkout/contract/money';
import type { Order } from '@financing-checkout/contract/storefront';
import { type GivenSettings, withDefaults } from '@financing-checkout/kit/env';
import { z } from 'zod';
import { variables } from '../config/variables.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { digestUnder, type PrivateKey } from '../keys/private-key.ts';
import {
  appliedSchema,
  appliedStatusSchema,
  applicationSchema,
  applicationTokenSchema,
  applyBody,
  type NewApplication,
} from './application.ts';
import { type CallerPorts, createCaller } from './caller.ts';
import { type Charge, chargeSchema, madeTransactionSchema, transactionSchema } from './charges.ts';
import type { Call, CallContext } from './exchange.ts';
import { idSchema, majorUnits } from './fields.ts';
import { fundingPageSchema } from './fundings.ts';
import { linkBody, type LinkOptions, linkSchema, madeLinkSchema } from './links.ts';
import { checkoutPaths, primeBody, primedSchema } from './prime.ts';
import type { CallResult } from './result.ts';

/** The three fundings operations (specification 4). */
export type FundingsOperation = 'report' | 'records-v1' | 'records-v2';

export interface FundingsQuery {
  operation: FundingsOperation;
  from?: string;
  to?: string;
  showMissing: boolean;
  offset: number;
  limit: number;
}

/**
 * The service client's settings, named as in the companion's configuration, and its ports. Omitted
 * settings use the defaults of their variables.
 */
export interface ServiceClientOptions
  extends Omit<CallerPorts, 'keys'>, Omit<GivenSettings<typeof variables>, 'baseUrl'> {
  /**
   * The private key, and the key to try when the service rejects it with a 401. Keys of a
   * {@link KeyRing} can be replaced while calls are in flight.
   */
  keys: KeyRing | readonly [PrivateKey, ...PrivateKey[]];
}

interface NewCharge {
  confirmationToken: string;
  merchantOrderId: string;
  merchantTransactionId: string;
  settle: boolean;
}

/** An amount of a charge to settle or refund. A void has none. */
interface ChargePart {
  chargeId: string;
  amount: Money;
  merchantTransactionId: string;
}

/** A page of a thousand records takes several hundred kilobytes. */
const MAX_FUNDINGS_BYTES = 16 * 1_048_576;

const fundingsPaths: Record<FundingsOperation, string> = {
  report: '/v2/post-sale/fundings/report',
  'records-v1': '/v1/post-sale/fundings/records',
  'records-v2': '/v2/post-sale/fundings/records',
};

/** The operations of the financing service that the companion uses. Each call has a priority. */
export type ServiceClient = ReturnType<typeof createServiceClient>;

/** @throws {TypeError} when the base URL is not https (specification 5.1) */
export function createServiceClient(options: ServiceClientOptions) {
  const settings = { ...withDefaults(variables, options), baseUrl: options.baseUrl };
  const { checkoutOperation, deadlineMs } = settings;
  const { chargeDeadlineMs = Math.max(settings.chargeDeadlineMs, deadlineMs) } = options;
  const keys = options.keys instanceof KeyRing ? options.keys : new KeyRing(options.keys, options);
  const call = createCaller({ ...options, ...settings, keys });

  const get =
    <Body>(route: string, schema: z.ZodType<Body>) =>
    (id: string, context: CallContext) =>
      call({ method: 'GET', route, id, schema }, context);

  const post =
    <Input, Body>(
      route: string,
      schema: z.ZodType<Body>,
      request: (input: Input) => Pick<Call<Body>, 'body' | 'deadlineMs' | 'id' | 'query'>,
    ) =>
    (input: Input, context: CallContext) =>
      call({ method: 'POST', route, schema, ...request(input) }, context);

  const getFundings =
    <Body>(schema: z.ZodType<Body>, answer: 'bytes' | 'json') =>
    (query: FundingsQuery, context: CallContext) => {
      const route = fundingsPaths[query.operation];
      const maxBytes = MAX_FUNDINGS_BYTES;
      return call(
        { method: 'GET', route, schema, query: fundingsQuery(query), maxBytes, answer },
        context,
      );
    };

  const sendCharge = post(
    '/v2/post-sale/charges',
    chargeSchema,
    ({ settle, ...body }: NewCharge) => ({
      query: { settle: String(settle) },
      body,
      deadlineMs: chargeDeadlineMs,
    }),
  );

  return {
    /**
     * Time limit of one call in milliseconds. Leases and poll delays are multiples of this value.
     */
    deadlineMs,
    /** Time limit of the call that creates a charge, in milliseconds: a lender may be slow. */
    chargeDeadlineMs,
    /**
     * Returns digests of a string that only the holder of the private key can compute, one per key,
     * starting with the key in use. Sends nothing.
     */
    digests: (purpose: string, text: string): Promise<string[]> =>
      Promise.all(keys.keysToTry().map((key) => digestUnder(key, purpose, text))),
    /** Opens a session with the operation set in {@link ServiceClientOptions}. */
    prime: post(checkoutPaths[checkoutOperation], primedSchema, (order: Order) => ({
      body: primeBody(order, checkoutOperation),
    })),
    application: get('/v2/checkout/applications/{id}/status', applicationSchema),
    /** Opens an application without a cart, always with `POST /v3/session`. */
    apply: post(checkoutPaths.session, appliedSchema, (application: NewApplication) => ({
      body: applyBody(application),
    })),
    /** Returns the status of an application without a cart. */
    applied: get('/v2/checkout/applications/{id}/status', appliedStatusSchema),
    /** Returns a new token for an application's session. */
    applicationToken: get('/v2/checkout/applications/{id}/token', applicationTokenSchema),
    /**
     * Creates a link to the checkout of an order. The service may send the link to the consumer.
     */
    createLink: post(
      '/v2/omni-link/consumer/checkout',
      madeLinkSchema,
      ({ order, ...link }: LinkOptions & { order: Order }) => ({ body: linkBody(order, link) }),
    ),
    link: get('/v2/omni-link/consumer/{linkId}', linkSchema),
    async createCharge(charge: NewCharge, context: CallContext): Promise<CallResult<Charge>> {
      const result = await sendCharge(charge, context);
      // A 202 means that the charge exists and its settle failed (reference: Charge API).
      if (result.kind !== 'accepted' || result.status !== 202) return result;
      return { ...result, body: { ...result.body, settleTransactionState: 'Failed' } };
    },
    charge: get('/v2/post-sale/charges/{id}', chargeSchema),
    settleCharge: post('/v2/post-sale/charges/{id}/settles', madeTransactionSchema, partRequest),
    refundCharge: post('/v2/post-sale/charges/{id}/refunds', madeTransactionSchema, partRequest),
    /** Voids the whole authorization. */
    voidCharge: post(
      '/v2/post-sale/charges/{id}/voids',
      madeTransactionSchema,
      ({ chargeId: id, ...body }: Omit<ChargePart, 'amount'>) => ({ id, body }),
    ),
    /**
     * Returns the transaction with one of our ids. The id of a charge request identifies the
     * authorization.
     */
    transaction: (merchantTransactionId: string, context: CallContext) =>
      call(
        {
          method: 'GET',
          route: '/v2/post-sale/transactions/lookup',
          query: { merchantTransactionId },
          schema: transactionSchema,
        },
        context,
      ),
    /**
     * Returns the id of an order's charge. The response is a bare JSON string (reference: Charge
     * API).
     */
    chargeOfOrder: get('/v2/post-sale/orders/{merchantOrderId}', idSchema),
    /** Returns a page of unvalidated records. */
    fundings: getFundings(fundingPageSchema, 'json'),
    /** Returns a page as bytes, for parsing in another thread. */
    fundingsPage: getFundings(bytesSchema, 'bytes'),
  };
}

const bytesSchema = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);

function partRequest({ chargeId: id, amount, ...body }: ChargePart) {
  return { id, body: { amount: majorUnits(amount.value, amount.currency), ...body } };
}

function fundingsQuery({ from, to, showMissing, offset, limit }: FundingsQuery) {
  return {
    offset: String(offset),
    limit: String(limit),
    showMissing: String(showMissing),
    ...(from && { fromDate: from }),
    ...(to && { toDate: to }),
  };
}
