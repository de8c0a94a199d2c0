import { defaultSyncSettings, type SyncSettings } from '../fundings/settings.ts';
import type { EnvironmentReader } from './reader.ts';

/** How fundings are read. */
export interface SyncConfiguration {
  settings: Pick<SyncSettings, 'zone' | 'pageSize' | 'parallel'>;
  /** Milliseconds between the beginnings of two syncs; 0: only when somebody asks. */
  everyMs: number;
  /** Key of the hashes of names and e-mail addresses; without it they are dropped. */
  personalKey: string | undefined;
}

const MIN_KEY = 32;

export function readSync(env: EnvironmentReader): SyncConfiguration {
  const zone = env.text(
    'RECONCILIATION_ZONE',
    isZone,
    'must be the name of a time zone, such as UTC or America/New_York',
  );
  const personalKey = env.secret('RECONCILIATION_PERSONAL_DATA_KEY');
  if (personalKey !== undefined && personalKey.length < MIN_KEY) {
    env.problem('RECONCILIATION_PERSONAL_DATA_KEY', `must have ${MIN_KEY} characters or more`);
  }
  return {
    settings: {
      zone: zone ?? defaultSyncSettings.zone,
      pageSize: env.count(
        'RECONCILIATION_PAGE_SIZE',
        defaultSyncSettings.pageSize,
        2 * defaultSyncSettings.overlap,
        10_000,
      ),
      parallel: env.count('RECONCILIATION_PARALLEL', defaultSyncSettings.parallel, 1, 16),
    },
    everyMs: env.count('RECONCILIATION_SYNC_MINUTES', 0, 0, 10_080) * 60_000,
    personalKey,
  };
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
