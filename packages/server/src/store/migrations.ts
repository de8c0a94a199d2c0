import type { Migration, MigrationProvider } from 'kysely/migration';
import { first } from './migrations/0001-first.ts';
import { charges } from './migrations/0002-charges.ts';
import { requestIds } from './migrations/0003-request-ids.ts';
import { retentionIndexes } from './migrations/0004-retention.ts';
import { fundings } from './migrations/0005-fundings.ts';
import { orderStatuses } from './migrations/0006-order-statuses.ts';
import { cases } from './migrations/0007-cases.ts';
import { operationRequests } from './migrations/0008-operation-requests.ts';
import { openAmounts } from './migrations/0009-open-amounts.ts';
import { fewerIndexes } from './migrations/0010-fewer-indexes.ts';
import { recomputeChecks } from './migrations/0011-recompute-checks.ts';
import { resolutions } from './migrations/0012-resolutions.ts';
import { notificationEnvironments } from './migrations/0013-notification-environments.ts';
import { withdrawnLines } from './migrations/0014-withdrawn-lines.ts';
import { withdrawnBy } from './migrations/0015-withdrawn-by.ts';
import { repricedLines } from './migrations/0016-repriced-lines.ts';
import { recomputeAlarms } from './migrations/0017-recompute-alarms.ts';
import { namedLines } from './migrations/0018-named-lines.ts';
import { settlingAttempts } from './migrations/0019-settling-attempts.ts';
import { publishedContract } from './migrations/0021-published-contract.ts';
import { refusals } from './migrations/0022-refusals.ts';
import { refundedAmounts } from './migrations/0023-refunded-amounts.ts';
import { sharedSyncs } from './migrations/0020-shared-syncs.ts';

/**
 * All migrations, oldest first, for every database. One that has been released is never changed. Each
 * only adds: companions of the version before go on beside it until they are replaced.
 */
const list: Record<string, Migration> = {
  '0001-first': first,
  '0002-charges': charges,
  '0003-request-ids': requestIds,
  '0004-retention': retentionIndexes,
  '0005-fundings': fundings,
  '0006-order-statuses': orderStatuses,
  '0007-cases': cases,
  '0008-operation-requests': operationRequests,
  '0009-open-amounts': openAmounts,
  '0010-fewer-indexes': fewerIndexes,
  '0011-recompute-checks': recomputeChecks,
  '0012-resolutions': resolutions,
  '0013-notification-environments': notificationEnvironments,
  '0014-withdrawn-lines': withdrawnLines,
  '0015-withdrawn-by': withdrawnBy,
  '0016-repriced-lines': repricedLines,
  '0017-recompute-alarms': recomputeAlarms,
  '0018-named-lines': namedLines,
  '0019-settling-attempts': settlingAttempts,
  '0020-shared-syncs': sharedSyncs,
  '0021-published-contract': publishedContract,
  '0022-refusals': refusals,
  '0023-refunded-amounts': refundedAmounts,
};

export const migrations: MigrationProvider = { getMigrations: () => Promise.resolve(list) };
