import type { z } from 'zod';
import { account, accountConfirmation, accountCredit } from './accounts.ts';
import * as charges from './charges.ts';
import { applicationStatus, applicationToken, session } from './checkout.ts';
import { codesError, messageError, validationErrorOf } from './errors.ts';
import { fundingReport } from './fundings.ts';
import { createdLink, link } from './links.ts';

/** The answer of one status of an operation; `null` where no body is published. */
export type PublishedAnswer = {
  schema: (body: unknown) => z.ZodType;
  mediaTypes: readonly string[];
} | null;

/** One operation of the service and its published statuses. */
export interface PublishedOperation {
  /** Name in reports: "charges.create". */
  name: string;
  method: string;
  /** Path below the base address, with {parameters}. */
  path: string;
  answers: Readonly<Record<number, PublishedAnswer>>;
}

const json = (schema: z.ZodType): PublishedAnswer => ({
  schema: () => schema,
  mediaTypes: ['application/json'],
});
/** Three names for one JSON body. */
const threeTypes = (schema: z.ZodType): PublishedAnswer => ({
  schema: () => schema,
  mediaTypes: ['application/json', 'text/json', 'text/plain'],
});

type Answers = PublishedOperation['answers'];
const always: Answers = {
  401: null,
  422: { schema: validationErrorOf, mediaTypes: ['application/json'] },
  500: json(codesError),
};
/** 400 with codes: the Charge API's operations on a charge. */
const codes: Answers = { ...always, 400: json(codesError) };
/** 400 with a message: every other operation. */
const message: Answers = { ...always, 400: json(messageError) };

/** The operations on links: 403 with codes where one is created, without a body where one is read. */
const madeLink: Answers = { ...codes, 403: json(codesError) };
const readLink: Answers = { ...message, 403: null, 404: null };

const oneCharge = '/v2/post-sale/charges/{chargeid}';
const application = '/v2/checkout/applications/{applicationId}';
const creation = {
  201: json(charges.chargeCreation),
  202: json(charges.chargeCreation),
  404: null,
};

/** Name, method and path, errors, and successes of each operation. */
const table: readonly (readonly [string, string, Answers, Answers])[] = [
  // In no definition: it has the documented shape of the session.
  ['checkout.prime', 'POST /v1/checkout/prime', message, { 200: threeTypes(session) }],
  ['session.create', 'POST /v3/session', message, { 200: threeTypes(session) }],
  [
    'application.status',
    `GET ${application}/status`,
    message,
    { 200: threeTypes(applicationStatus) },
  ],
  ['application.token', `GET ${application}/token`, message, { 200: threeTypes(applicationToken) }],
  ['links.checkout', 'POST /v2/omni-link/consumer/checkout', madeLink, { 201: json(createdLink) }],
  [
    'links.application',
    'POST /v2/omni-link/consumer/application',
    madeLink,
    { 201: json(createdLink) },
  ],
  ['links.get', 'GET /v2/omni-link/consumer/{linkId}', readLink, { 200: json(link) }],
  ['charges.create', 'POST /v2/post-sale/charges', codes, creation],
  ['charges.get', `GET ${oneCharge}`, codes, { 200: threeTypes(charges.charge), 404: null }],
  ['charges.patch', `PATCH ${oneCharge}`, codes, { 200: threeTypes(charges.charge) }],
  ['charges.settle', `POST ${oneCharge}/settles`, codes, { 201: json(charges.settleOrVoid) }],
  ['charges.refund', `POST ${oneCharge}/refunds`, codes, { 201: json(charges.refund) }],
  ['charges.void', `POST ${oneCharge}/voids`, codes, { 201: json(charges.settleOrVoid) }],
  [
    'charges.void-async',
    'POST /v2/post-sale/charges/voids/async',
    codes,
    { 201: json(charges.asyncVoid) },
  ],
  [
    'charges.synthetic',
    `POST ${oneCharge}/transactions/synthetic`,
    codes,
    { 201: json(charges.syntheticTransaction) },
  ],
  [
    'charges.delivery',
    `POST ${oneCharge}/items/delivery`,
    message,
    { 201: json(charges.delivery) },
  ],
  ['accounts.charge', 'POST /v2/accounts/charge', codes, creation],
  [
    'accounts.confirmation',
    'POST /v2/accounts/confirmation',
    message,
    { 200: threeTypes(accountConfirmation), 404: null },
  ],
  // The media types of the two readings are not in our facts.
  [
    'accounts.get',
    'GET /v2/accounts/{accountToken}',
    message,
    { 200: threeTypes(account), 404: null },
  ],
  [
    'accounts.credit',
    'GET /v2/accounts/{accountToken}/credit',
    message,
    { 200: threeTypes(accountCredit), 404: null },
  ],
  [
    'orders.get',
    'GET /v2/post-sale/orders/{orderId}',
    message,
    { 200: json(charges.orderCharge), 404: null },
  ],
  [
    'transactions.lookup',
    'GET /v2/post-sale/transactions/lookup',
    message,
    { 200: json(charges.transaction), 404: null },
  ],
  [
    'transactions.get',
    'GET /v2/post-sale/transactions/{id}',
    message,
    { 200: json(charges.transaction), 404: null },
  ],
  ['fundings.report', 'GET /v2/post-sale/fundings/report', message, { 200: json(fundingReport) }],
  // In no definition either: by the specification both have the shape of the report.
  [
    'fundings.records-v1',
    'GET /v1/post-sale/fundings/records',
    message,
    { 200: json(fundingReport) },
  ],
  [
    'fundings.records-v2',
    'GET /v2/post-sale/fundings/records',
    message,
    { 200: json(fundingReport) },
  ],
];

/**
 * The operations with published answers. An unknown charge is 400 with code 2001; its settle,
 * refund, void and patch have no 404. Source: reference, Checkout, Charge API, Funding API.
 */
export const publishedOperations: readonly PublishedOperation[] = table.map(
  ([name, methodAndPath, errors, successes]) => {
    const [method = '', path = ''] = methodAndPath.split(' ');
    return { name, method, path, answers: { ...errors, ...successes } };
  },
);

const routes = publishedOperations
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  // Fixed paths come before parameters: "lookup" is not the id of a transaction.
  .sort((a, b) => Number(a.operation.path.endsWith('}')) - Number(b.operation.path.endsWith('}')));

/** Returns the operation at a path, with or without a query. */
export function findOperation(method: string, path: string): PublishedOperation | undefined {
  const [bare = ''] = path.split('?');
  return routes.find(({ operation, pattern }) => operation.method === method && pattern.test(bare))
    ?.operation;
}
