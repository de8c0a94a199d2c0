import type { Migrations } from '@financing-checkout/kit/sql';
import { baseline } from './migrations/0001-baseline.ts';
import { programmes } from './migrations/0002-programmes.ts';
import { links } from './migrations/0003-links.ts';
import { items } from './migrations/0004-items.ts';
import { linkMessages } from './migrations/0005-link-messages.ts';
import { operationActors } from './migrations/0006-operation-actors.ts';
import { lockRows } from './migrations/0007-lock-rows.ts';
import { lostRecords } from './migrations/0008-lost-records.ts';

/**
 * All migrations, oldest first, for every database. A released migration is never changed.
 * Migrations are additive only, because companions of the previous version keep running until they
 * are replaced.
 */
export const migrations: Migrations = {
  '0001-baseline': baseline,
  '0002-programmes': programmes,
  '0003-links': links,
  '0004-items': items,
  '0005-link-messages': linkMessages,
  '0006-operation-actors': operationActors,
  '0007-lock-rows': lockRows,
  '0008-lost-records': lostRecords,
};
