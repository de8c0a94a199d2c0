import type { Rule } from '../rule.ts';
import { accountRules } from './accounts.ts';
import { authenticationRules } from './authentication.ts';
import { beyondRules } from './beyond.ts';
import { chargeRules } from './charges.ts';
import { endpointRules } from './endpoints.ts';
import { errorRules } from './errors.ts';
import { linkRules } from './links.ts';
import { publishedRules } from './published.ts';
import { requestRules } from './requests.ts';
import { resourceRules } from './resources.ts';
import { statusRules } from './statuses.ts';
import { versioningRules } from './versioning.ts';

/**
 * Every rule: those of the specification in its order, then those of the published contract.
 * Sections 6 and 8 of the specification contain no requirements. The published shapes come last,
 * because they check the responses that the other rules received.
 */
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
  ...requestRules,
  ...linkRules,
  ...chargeRules,
  ...accountRules,
  ...beyondRules,
  ...publishedRules,
];
