import {
  checkoutSchema,
  confirmationRequestSchema,
  primeRequestSchema,
} from '@financing-checkout/contract';
import { z } from 'zod';
import type { Operation } from '../operating/operation.ts';
import { startFormSchema } from './start.ts';

const checkout = { description: 'The checkout as it is now.', schema: checkoutSchema };
const version = { 'Financing-Checkout-Version': 'Version of this protocol: "1".' };
const secret = {
  ...version,
  'Financing-Checkout-Secret':
    'The Idempotency-Key of the prime. Without it, or with another one, the answer is `checkout-not-found`.',
};
const serviceProblems = [
  'service-rejected',
  'service-answer-invalid',
  'service-key-rejected',
  'service-unavailable',
  'overloaded',
  'outcome-unknown',
] as const;

/** What `createStorefrontApi` answers. */
export const storefrontOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/checkout/prime',
    summary: 'Begin a checkout',
    description:
      'Checks the order ticket and primes a checkout at the financing service, once for each Idempotency-Key: the same key with the same body gets the same answer. `rate-limited` also where too much was begun for the order.',
    access: 'public-key',
    headers: {
      ...version,
      'Idempotency-Key':
        '32 to 255 printable ASCII characters with at least 128 random bits, new for each start. It is the secret of the page for the checkout.',
    },
    body: { schema: primeRequestSchema },
    answers: {
      200: {
        ...checkout,
        description:
          'The checkout of before whose charge was voided or refunded since, all of it or a part: `reversal`. Nothing was begun.',
      },
      201: { ...checkout, description: 'The checkout, open.' },
    },
    problems: [
      'idempotency-key-missing',
      'idempotency-in-flight',
      'idempotency-key-reused',
      'environment-mismatch',
      'checkout-not-open',
      'order-ticket-invalid',
      'order-ticket-expired',
      'order-ticket-used',
      'order-totals-mismatch',
      ...serviceProblems,
    ],
  },
  {
    method: 'get',
    path: '/checkout/:id',
    summary: 'Read a checkout',
    description: 'After a reload, a redirect, or a tab that was closed.',
    access: 'public-key',
    headers: secret,
    answers: { 200: checkout },
    problems: ['checkout-not-found'],
  },
  {
    method: 'post',
    path: '/checkout/:id/confirmation',
    summary: 'Confirm a checkout',
    description:
      'Makes the charge and compares it with what was primed. `unavailable` with `retrySafe: false` means that the charge may have been made: it is looked up, and the shopper must not pay another way meanwhile. `rate-limited` also where the service has refused too many charges of the order.',
    access: 'public-key',
    headers: secret,
    body: { schema: confirmationRequestSchema },
    answers: { 200: checkout },
    problems: [
      'checkout-not-found',
      'checkout-not-open',
      'idempotency-in-flight',
      'environment-mismatch',
      'order-changed',
      'order-ticket-invalid',
      'order-ticket-expired',
      ...serviceProblems,
    ],
  },
  {
    method: 'post',
    path: '/checkout/:id/cancellation',
    summary: 'Leave a checkout',
    description: 'Answers with the outcome that the financing service knows.',
    access: 'public-key',
    headers: secret,
    answers: { 200: checkout },
    problems: ['checkout-not-found', ...serviceProblems],
  },
  {
    method: 'post',
    path: '/checkout/start',
    summary: 'Begin a checkout with a form, without script',
    access: 'none',
    body: { schema: startFormSchema, contentType: 'application/x-www-form-urlencoded' },
    answers: {
      303: { description: 'On to the hosted page.' },
      '4XX': { description: 'A page for the shopper: what to do.', contentType: 'text/html' },
      '5XX': { description: 'A page for the shopper: try later.', contentType: 'text/html' },
    },
  },
  {
    method: 'post',
    path: '/notifications',
    summary: 'Take a notification of the financing service',
    description: 'Nothing in it is believed: it says where to look.',
    access: 'notification',
    body: { schema: z.looseObject({}) },
    answers: {
      202: {
        description: 'Taken, with what it was: kept or repeated, noted, or unknown.',
        schema: z.object({ received: z.enum(['kept', 'repeated', 'noted', 'unknown']) }),
      },
    },
  },
];
