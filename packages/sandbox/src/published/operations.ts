import type { z } from 'zod';
import * as charges from './charges.ts';
import { applicationStatus, applicationToken, session } from './checkout.ts';
import { codesError, messageError, validationErrorOf } from './errors.ts';
import { fundingReport } from './fundings.ts';

/** What one status of an operation is answered with; `null` where no body is published. */
export type PublishedAnswer = {
  schema: (body: unknown) => z.ZodType;
  mediaTypes: readonly string[];
} | null;

/** One operation of the service and every status that is published for it. */
export interface PublishedOperation {
  /** Name in reports: "charges.create". */
  name: string;
  method: string;
  /** Path below the base address, with {parameters}. */
  path: string;
  answers: Readonly<Record<number, PublishedAnswer>>;
}

const json = ['application/json'];
/** Three names for one JSON body. */
const threeTypes = ['application/json', 'text/json', 'text/plain'];

const answer = (schema: z.ZodType, mediaTypes: readonly string[] = json): PublishedAnswer => ({
  schema: () => schema,
  mediaTypes,
});

const always: PublishedOperation['answers'] = {
  401: null,
  422: { schema: validationErrorOf, mediaTypes: json },
  500: answer(codesError),
};
/** 400 with codes: the Charge API's operations on a charge. */
const withCodes = { ...always, 400: answer(codesError) };
/** 400 with a message: every other operation. */
const withMessage = { ...always, 400: answer(messageError) };

const oneCharge = '/v2/post-sale/charges/{chargeid}';
const application = '/v2/checkout/applications/{applicationId}';

/**
 * The operations whose answers are held to the published contract. An unknown charge is 400 with
 * code 2001; its settle, refund, void and patch have no 404. Source: reference, Checkout, Charge
 * API, Funding API.
 */
export const publishedOperations: readonly PublishedOperation[] = [
  {
    // In no definition: it keeps the documented shape of the session.
    name: 'checkout.prime',
    method: 'POST',
    path: '/v1/checkout/prime',
    answers: { ...withMessage, 200: answer(session, threeTypes) },
  },
  {
    name: 'session.create',
    method: 'POST',
    path: '/v3/session',
    answers: { ...withMessage, 200: answer(session, threeTypes) },
  },
  {
    name: 'application.status',
    method: 'GET',
    path: `${application}/status`,
    answers: { ...withMessage, 200: answer(applicationStatus, threeTypes) },
  },
  {
    name: 'application.token',
    method: 'GET',
    path: `${application}/token`,
    answers: { ...withMessage, 200: answer(applicationToken, threeTypes) },
  },
  {
    name: 'charges.create',
    method: 'POST',
    path: '/v2/post-sale/charges',
    answers: {
      ...withCodes,
      201: answer(charges.chargeCreation),
      202: answer(charges.chargeCreation),
      404: null,
    },
  },
  {
    name: 'charges.get',
    method: 'GET',
    path: oneCharge,
    answers: { ...withCodes, 200: answer(charges.charge, threeTypes), 404: null },
  },
  {
    name: 'charges.patch',
    method: 'PATCH',
    path: oneCharge,
    answers: { ...withCodes, 200: answer(charges.charge, threeTypes) },
  },
  {
    name: 'charges.settle',
    method: 'POST',
    path: `${oneCharge}/settles`,
    answers: { ...withCodes, 201: answer(charges.settleOrVoid) },
  },
  {
    name: 'charges.refund',
    method: 'POST',
    path: `${oneCharge}/refunds`,
    answers: { ...withCodes, 201: answer(charges.refund) },
  },
  {
    name: 'charges.void',
    method: 'POST',
    path: `${oneCharge}/voids`,
    answers: { ...withCodes, 201: answer(charges.settleOrVoid) },
  },
  {
    name: 'charges.void-async',
    method: 'POST',
    path: '/v2/post-sale/charges/voids/async',
    answers: { ...withCodes, 201: answer(charges.asyncVoid) },
  },
  {
    name: 'charges.synthetic',
    method: 'POST',
    path: `${oneCharge}/transactions/synthetic`,
    answers: { ...withCodes, 201: answer(charges.syntheticTransaction) },
  },
  {
    name: 'charges.delivery',
    method: 'POST',
    path: `${oneCharge}/items/delivery`,
    answers: { ...withMessage, 201: answer(charges.delivery) },
  },
  {
    name: 'orders.get',
    method: 'GET',
    path: '/v2/post-sale/orders/{orderId}',
    answers: { ...withMessage, 200: answer(charges.orderCharge), 404: null },
  },
  {
    name: 'transactions.lookup',
    method: 'GET',
    path: '/v2/post-sale/transactions/lookup',
    answers: { ...withMessage, 200: answer(charges.transaction), 404: null },
  },
  {
    name: 'transactions.get',
    method: 'GET',
    path: '/v2/post-sale/transactions/{id}',
    answers: { ...withMessage, 200: answer(charges.transaction), 404: null },
  },
  {
    name: 'fundings.report',
    method: 'GET',
    path: '/v2/post-sale/fundings/report',
    answers: { ...withMessage, 200: answer(fundingReport) },
  },
  // In no definition either: the specification gives both the shape of the report.
  ...(['v1', 'v2'] as const).map((version): PublishedOperation => ({
    name: `fundings.records-${version}`,
    method: 'GET',
    path: `/${version}/post-sale/fundings/records`,
    answers: { ...withMessage, 200: answer(fundingReport) },
  })),
];

const routes = publishedOperations
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  // A fixed path before one with a parameter in the same place: lookup is no transaction's id.
  .sort((a, b) => Number(a.operation.path.endsWith('}')) - Number(b.operation.path.endsWith('}')));

/** Returns the operation at a path, with or without a query. */
export function findOperation(method: string, path: string): PublishedOperation | undefined {
  const [bare = ''] = path.split('?');
  return routes.find(({ operation, pattern }) => operation.method === method && pattern.test(bare))
    ?.operation;
}
