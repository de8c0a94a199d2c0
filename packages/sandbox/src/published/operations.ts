import type { z } from 'zod';
import { account, accountConfirmation, accountCredit } from './accounts.ts';
import * as charges from './charges.ts';
import { applicationStatus, applicationToken, session } from './checkout.ts';
import { codesError, messageError, validationErrorOf } from './errors.ts';
import { fundingReport } from './fundings.ts';
import { createdLink, link } from './links.ts';

/** The response for one status of an operation; `null` where no body is documented. */
type PublishedAnswer = {
  schema: (body: unknown) => z.ZodType;
  mediaTypes: readonly string[];
} | null;

/** One operation of the service and its documented statuses. */
export interface PublishedOperation {
  /** Name in reports: "charges.create". */
  name: string;
  method: string;
  /** Path relative to the base URL, with {parameters}. */
  path: string;
  answers: Readonly<Record<number, PublishedAnswer>>;
}

const json = (schema: z.ZodType): PublishedAnswer => ({
  schema: () => schema,
  mediaTypes: ['application/json'],
});
/** Three media types for one JSON body. */
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

/** The operations on links: a 403 has codes when creating a link, and no body when reading one. */
const madeLink: Answers = { ...codes, 403: json(codesError) };
const readLink: Answers = { ...message, 403: null, 404: null };

const charge = '/v2/post-sale/charges';
const oneCharge = `${charge}/{chargeid}`;
const application = '/v2/checkout/applications/{applicationId}';
const links = '/v2/omni-link/consumer';
const accounts = '/v2/accounts';
const transactions = '/v2/post-sale/transactions';

const creation: Answers = {
  201: json(charges.chargeCreation),
  202: json(charges.chargeCreation),
  404: null,
};
const created = (schema: z.ZodType): Answers => ({ 201: json(schema) });
const ok = (answer: PublishedAnswer): Answers => ({ 200: answer });
const okOr404 = (answer: PublishedAnswer): Answers => ({ 200: answer, 404: null });
const report = ok(json(fundingReport));

/** Name, method and path, errors, and successes of each operation. */
const table: readonly (readonly [string, string, Answers, Answers])[] = [
  // Not in the API definition: it has the documented shape of the session.
  ['checkout.prime', 'POST /v1/checkout/prime', message, ok(threeTypes(session))],
  ['session.create', 'POST /v3/session', message, ok(threeTypes(session))],
  ['application.status', `GET ${application}/status`, message, ok(threeTypes(applicationStatus))],
  ['application.token', `GET ${application}/token`, message, ok(threeTypes(applicationToken))],
  ['links.checkout', `POST ${links}/checkout`, madeLink, created(createdLink)],
  ['links.application', `POST ${links}/application`, madeLink, created(createdLink)],
  ['links.get', `GET ${links}/{linkId}`, readLink, ok(json(link))],
  ['charges.create', `POST ${charge}`, codes, creation],
  ['charges.get', `GET ${oneCharge}`, codes, okOr404(threeTypes(charges.charge))],
  ['charges.patch', `PATCH ${oneCharge}`, codes, ok(threeTypes(charges.charge))],
  ['charges.settle', `POST ${oneCharge}/settles`, codes, created(charges.settleOrVoid)],
  ['charges.refund', `POST ${oneCharge}/refunds`, codes, created(charges.refund)],
  ['charges.void', `POST ${oneCharge}/voids`, codes, created(charges.settleOrVoid)],
  ['charges.void-async', `POST ${charge}/voids/async`, codes, created(charges.asyncVoid)],
  [
    'charges.synthetic',
    `POST ${oneCharge}/transactions/synthetic`,
    codes,
    created(charges.syntheticTransaction),
  ],
  ['charges.delivery', `POST ${oneCharge}/items/delivery`, message, created(charges.delivery)],
  ['accounts.charge', `POST ${accounts}/charge`, codes, creation],
  [
    'accounts.confirmation',
    `POST ${accounts}/confirmation`,
    message,
    okOr404(threeTypes(accountConfirmation)),
  ],
  // Our sources do not document the media types of the two GET operations.
  ['accounts.get', `GET ${accounts}/{accountToken}`, message, okOr404(threeTypes(account))],
  [
    'accounts.credit',
    `GET ${accounts}/{accountToken}/credit`,
    message,
    okOr404(threeTypes(accountCredit)),
  ],
  ['orders.get', 'GET /v2/post-sale/orders/{orderId}', message, okOr404(json(charges.orderCharge))],
  [
    'transactions.lookup',
    `GET ${transactions}/lookup`,
    message,
    okOr404(json(charges.transaction)),
  ],
  ['transactions.get', `GET ${transactions}/{id}`, message, okOr404(json(charges.transaction))],
  ['fundings.report', 'GET /v2/post-sale/fundings/report', message, report],
  // Not in the API definition either: by the specification, both have the shape of the report.
  ['fundings.records-v1', 'GET /v1/post-sale/fundings/records', message, report],
  ['fundings.records-v2', 'GET /v2/post-sale/fundings/records', message, report],
];

/**
 * The operations with documented responses. An unknown charge is 400 with code 2001; its settle,
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
