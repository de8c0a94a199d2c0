import {
  coverageSchema,
  fundingSlicesSchema,
  syncRequestSchema,
  syncSchema,
  syncsSchema,
} from '@financing-checkout/contract';
import type { Operation } from '../operating/operation.ts';
import { slicesQuery, syncsQuery } from './syncs.ts';

/** What the back office answers of the sync of fundings. */
export const syncOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/reconciliation/syncs',
    summary: 'Read fundings from the service',
    description:
      'Of the days from `from` to `to`; without them, of the days that are due by their age. A run that was cut off is taken up where it was.',
    access: 'sync',
    body: { schema: syncRequestSchema },
    answers: { 202: { description: 'It has begun.', schema: syncSchema } },
    problems: ['sync-busy', 'not-found'],
  },
  {
    method: 'get',
    path: '/reconciliation/syncs',
    summary: 'Syncs, newest first',
    access: 'read',
    query: syncsQuery,
    answers: { 200: { description: 'A page.', schema: syncsSchema } },
  },
  {
    method: 'get',
    path: '/reconciliation/syncs/:id',
    summary: 'One sync, and how far it is',
    access: 'read',
    answers: { 200: { description: 'As it is now.', schema: syncSchema } },
    problems: ['not-found'],
  },
  {
    method: 'get',
    path: '/reconciliation/syncs/:id/events',
    summary: 'Follow a sync',
    description:
      'Server-sent events named `sync`, each with the whole sync, until it ends. Of any replica.',
    access: 'read',
    answers: { 200: { description: 'Events.', contentType: 'text/event-stream' } },
    problems: ['not-found'],
  },
  {
    method: 'get',
    path: '/reconciliation/slices',
    summary: 'The proof of each day',
    description: 'Only a day that is `complete` is proven. Oldest first.',
    access: 'read',
    query: slicesQuery,
    answers: { 200: { description: 'The days.', schema: fundingSlicesSchema } },
  },
  {
    method: 'get',
    path: '/reconciliation/coverage',
    summary: 'How much of the fundings is proven',
    access: 'read',
    answers: {
      200: {
        description: 'Days that are not proven, and records that cannot be held.',
        schema: coverageSchema,
      },
    },
  },
];
