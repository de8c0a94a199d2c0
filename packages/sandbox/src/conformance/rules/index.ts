import type { Rule } from '../rule.ts';
import { authenticationRules } from './authentication.ts';
import { endpointRules } from './endpoints.ts';
import { errorRules } from './errors.ts';
import { resourceRules } from './resources.ts';
import { statusRules } from './statuses.ts';
import { versioningRules } from './versioning.ts';

/** Every promise of the specification, in its order. Sections 6 and 8 specify nothing. */
export const rules: readonly Rule[] = [
  {
    id: '1.orders',
    title: 'An order-level status reflects partial settlement and refunds',
    check: { cannot: 'No field or value of an order-level status is specified.' },
  },
  ...resourceRules,
  ...statusRules,
  ...endpointRules,
  ...authenticationRules,
  ...errorRules,
  ...versioningRules,
];
