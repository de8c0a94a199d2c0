import { searchSchema, todaySchema } from '@financing-checkout/contract';
import { searchQuery } from './daily-queries.ts';
import type { Operation } from './operation.ts';

/** Operations for daily work. */
export const dailyOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/today',
    summary: 'The work that needs a person, largest amounts first',
    description:
      'Open cases, holds that end within five days or have ended, unclear operations and dead messages of the companion, dead alerts, unproven days, and records in quarantine. `unavailable` names a server that did not answer.',
    access: 'read',
    answer: { schema: todaySchema },
  },
  {
    method: 'get',
    path: '/search',
    summary: 'The orders of an ID',
    description:
      'Order id, charge id, transaction id or merchant transaction id, exact or by its beginning; application id, exact.',
    access: 'read',
    query: searchQuery,
    answer: { schema: searchSchema },
  },
];
