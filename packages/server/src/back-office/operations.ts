import {
  chargeOperationSchema,
  chargeRecordSchema,
  chargesSchema,
  checkoutRecordSchema,
  deliveriesSchema,
  fundingsSchema,
  ledgerSchema,
  refundRequestSchema,
  resolutionRequestSchema,
  settleRequestSchema,
  unclearOperationsSchema,
  voidRequestSchema,
} from '@financing-checkout/contract';
import { z } from 'zod';
import type { Operation } from '../operating/operation.ts';
import { chargesQuery, operationsQuery } from './charges.ts';
import { ledgerQuery } from './ledger.ts';
import { checkoutsQuery, pagesQuery, recordsQuery, reportQuery } from './queries.ts';
import { webhooksQuery } from './webhooks.ts';

const readProblems = [
  'service-rejected',
  'service-answer-invalid',
  'service-key-rejected',
  'service-unavailable',
  'overloaded',
  'outcome-unknown',
] as const;
const changeProblems = [
  'idempotency-key-missing',
  'idempotency-in-flight',
  'idempotency-key-reused',
  'charge-not-found',
  'charge-not-permitted',
  'charge-busy',
  'operation-not-permitted',
  ...readProblems,
] as const;

const healthSchema = z.object({
  status: z.enum(['ok', 'failed']),
  checks: z.object({
    store: z.enum(['ok', 'failed']),
    serviceKey: z.enum(['ok', 'rejected']),
  }),
  problems: z.array(z.string()).optional(),
});
const fundings = {
  description:
    'The records, streamed page by page; behind them those that cannot be read, if there are any. An answer that is cut off has no closing bracket: it is not complete.',
  schema: fundingsSchema,
};
const operation = {
  description: 'What was asked for, as recorded.',
  schema: chargeOperationSchema,
};
const idempotencyKey = {
  'Idempotency-Key': '1 to 255 printable ASCII characters, new for each thing asked for.',
};

/** What `createBackOfficeApi` answers. */
export const backOfficeOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/livez',
    summary: 'Whether the process answers',
    description: 'On both listeners. The one for pages answers `OPTIONS /` as well, with 204.',
    access: 'none',
    answers: { 200: { description: 'It does.', schema: z.object({ status: z.literal('ok') }) } },
  },
  {
    method: 'get',
    path: '/readyz',
    summary: 'Whether the companion can do its work',
    access: 'none',
    answers: {
      200: { description: 'It can.', schema: healthSchema },
      503: { description: 'It cannot; `problems` says why and what to do.', schema: healthSchema },
    },
  },
  {
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    access: 'none',
    answers: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({}) } },
  },
  {
    method: 'get',
    path: '/docs',
    summary: 'This document as a page',
    access: 'none',
    answers: { 200: { description: 'A page without script.', contentType: 'text/html' } },
  },
  {
    method: 'get',
    path: '/metrics',
    summary: 'Measurements for Prometheus',
    access: 'read',
    answers: { 200: { description: 'Text exposition format.', contentType: 'text/plain' } },
  },
  {
    method: 'get',
    path: '/checkouts',
    summary: 'The checkouts of an order',
    description:
      'Those with a charge first, then the newest first. Ask again with `after` set to the `next` of a page.',
    access: 'read',
    query: checkoutsQuery,
    answers: {
      200: {
        description: 'A page: what the webhooks told, or will.',
        schema: z.object({ checkouts: z.array(checkoutRecordSchema), next: z.string().optional() }),
      },
    },
  },
  {
    method: 'get',
    path: '/fundings/report',
    summary: 'Fundings, by order',
    description: 'Without `showMissing` no record of a missing transaction is in it.',
    access: 'read',
    query: reportQuery,
    answers: { 200: fundings },
    problems: readProblems,
  },
  {
    method: 'get',
    path: '/fundings/records',
    summary: 'Fundings, by transaction (legacy)',
    description: 'Mismatches are `UNRECONCILED` here, without saying of what.',
    access: 'read',
    query: recordsQuery,
    answers: { 200: fundings },
    problems: readProblems,
  },
  {
    method: 'get',
    path: '/fundings/pages',
    summary: 'A page of fundings, byte for byte',
    description:
      'As the service sends it, missing transactions included. Reconciliation reads these pages: they hold the names and e-mail addresses of consumers.',
    access: 'fundings',
    query: pagesQuery,
    answers: { 200: { description: 'One page of the service.', schema: z.unknown() } },
    problems: readProblems,
  },
  {
    method: 'get',
    path: '/charges',
    summary: 'The charges of an order',
    access: 'read',
    query: chargesQuery,
    answers: { 200: { description: 'As the service states them now.', schema: chargesSchema } },
    problems: readProblems,
  },
  {
    method: 'get',
    path: '/charges/:chargeId',
    summary: 'Read a charge',
    access: 'read',
    answers: { 200: { description: 'As the service states it now.', schema: chargeRecordSchema } },
    problems: ['charge-not-found', ...readProblems],
  },
  {
    method: 'post',
    path: '/charges/:chargeId/settles',
    summary: 'Settle a charge, all or a part',
    description: 'Amounts are integer minor units of the charge’s currency.',
    access: 'money',
    headers: idempotencyKey,
    body: { schema: settleRequestSchema },
    answers: { 201: operation },
    problems: ['amount-exceeds-charge', ...changeProblems],
  },
  {
    method: 'post',
    path: '/charges/:chargeId/refunds',
    summary: 'Refund a part of a charge',
    access: 'money',
    headers: idempotencyKey,
    body: { schema: refundRequestSchema },
    answers: { 201: operation },
    problems: ['amount-exceeds-charge', ...changeProblems],
  },
  {
    method: 'post',
    path: '/charges/:chargeId/voids',
    summary: 'Void a charge',
    access: 'money',
    headers: idempotencyKey,
    body: { schema: voidRequestSchema },
    answers: { 201: operation },
    problems: changeProblems,
  },
  {
    method: 'get',
    path: '/charge-operations',
    summary: 'Operations that wait for a person',
    description:
      'What the service may have done, and cannot be asked about: because the charge was moved by another amount (`reason` is `charge-moved`), or because the service gives no answer. Their charges take no other operation. Settles that were requested with their charge and are pending for a day (`reason` is `pending`) are listed, too: the service does not say that one has failed.',
    access: 'read',
    query: operationsQuery,
    answers: { 200: { description: 'A page, oldest first.', schema: unclearOperationsSchema } },
  },
  {
    method: 'post',
    path: '/charge-operations/:operationId/resolution',
    summary: 'Say what became of an operation that waits for a person',
    description:
      '`done`: exactly what it asked for. `not-done`: nothing of it. The service is asked once more, and what it knows holds. The same outcome again changes nothing.',
    access: 'money',
    body: { schema: resolutionRequestSchema },
    answers: { 200: { description: 'The operation as it ended.', schema: chargeOperationSchema } },
    problems: ['not-found', 'operation-not-permitted'],
  },
  {
    method: 'get',
    path: '/ledger',
    summary: 'The transactions the companion made',
    description: 'In the order of writing. Ask again with `after` set to the `next` of a page.',
    access: 'read',
    query: ledgerQuery,
    answers: { 200: { description: 'A page.', schema: ledgerSchema } },
  },
  {
    method: 'get',
    path: '/webhooks',
    summary: 'Messages to the shop’s backend',
    access: 'read',
    query: webhooksQuery,
    answers: { 200: { description: 'A page, oldest first.', schema: deliveriesSchema } },
  },
  {
    method: 'post',
    path: '/webhooks/:id/replay',
    summary: 'Send a message again',
    access: 'webhooks',
    answers: {
      202: {
        description: 'It is due now.',
        schema: z.object({ id: z.string(), state: z.literal('waiting') }),
      },
    },
    problems: ['not-found'],
  },
];
