import {
  actionsSchema,
  chargeOperationSchema,
  orderChargesSchema,
  type ProblemCode,
  refundRequestSchema,
  resolutionRequestSchema,
  settleRequestSchema,
  voidRequestSchema,
} from '@financing-checkout/contract';
import { z } from 'zod';
import { ofChange, ofQuestion, type Operation } from './operation.ts';
import { actionsQuery } from './queries.ts';
import { orderChargesQuery, replayedSchema } from './routes/charges.ts';

const json = ['application/json'];
const headers = { 'Idempotency-Key': '1 to 255 printable ASCII characters, new for each request.' };
const ofService: readonly ProblemCode[] = [
  'companion-unavailable',
  'service-rejected',
  'service-answer-invalid',
  'service-key-rejected',
  'service-unavailable',
  'outcome-unknown',
];
const ofCharge: readonly ProblemCode[] = [
  'idempotency-key-missing',
  'idempotency-in-flight',
  'idempotency-key-reused',
  'charge-not-found',
  'charge-currency-unclear',
  'charge-not-permitted',
  'charge-busy',
  'operation-not-permitted',
  ...ofService,
];

function ofMoney(path: string, summary: string, schema: z.ZodType): Operation {
  return {
    method: 'post',
    path,
    summary,
    headers,
    ...ofChange,
    scope: 'money',
    priorities: ['charge'],
    description:
      'Performed by the companion, whose answers and problems are passed on. Amounts are minor units of the charge’s currency. After `companion-unavailable` with `retrySafe: false` the same key says what became of it. Responds when the figures of the order include the operation, or after 3 seconds: `updating` of the order says that they do not yet.',
    body: { contentTypes: json, schema },
    answer: { status: 201, schema: chargeOperationSchema },
    problems: [...ofCharge, 'amount-exceeds-charge'],
  };
}

/** Operations with money through the companion, and the trail of actions. */
export const chargeOperations: readonly Operation[] = [
  {
    ...ofQuestion,
    method: 'get',
    path: '/orders/:orderKey/charges',
    priorities: ['report'],
    summary: 'The charges of an order, as the service states them now',
    description:
      'A charge whose order the companion does not know has `currencyAssumed`, and is read in the `currency` of the request: the service states none.',
    query: orderChargesQuery,
    answer: { schema: orderChargesSchema },
    problems: ['order-not-found', ...ofService],
  },
  ofMoney('/charges/:id/settles', 'Settle a charge, all or a part', settleRequestSchema),
  ofMoney('/charges/:id/refunds', 'Refund a part of a charge', refundRequestSchema),
  ofMoney('/charges/:id/voids', 'Void a charge', voidRequestSchema),
  {
    ...ofChange,
    method: 'post',
    path: '/charge-operations/:id/resolution',
    scope: 'money',
    summary: 'State the outcome of an operation that is unclear',
    description:
      'Passed on to the companion with the name of the token. Repeating it changes nothing.',
    body: { contentTypes: json, schema: resolutionRequestSchema },
    answer: { schema: chargeOperationSchema },
    problems: ['not-found', 'operation-not-permitted', ...ofService],
  },
  {
    ...ofChange,
    method: 'post',
    path: '/webhooks/:id/replay',
    scope: 'money',
    summary: 'Send a message of the companion to the shop again',
    body: { contentTypes: json, schema: z.strictObject({}) },
    answer: { status: 202, schema: replayedSchema },
    problems: ['not-found', 'companion-unavailable'],
  },
  {
    ...ofQuestion,
    method: 'get',
    path: '/actions',
    summary: 'Actions beside the work on cases, newest first',
    description:
      'Each is recorded before it takes effect and with its outcome, in a chain of hashes that `/trail/verification` verifies. Paged by cursor.',
    query: actionsQuery,
    answer: { schema: actionsSchema },
  },
];
