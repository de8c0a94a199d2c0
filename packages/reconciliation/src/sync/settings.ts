import { RECORDS_AT_ONCE } from '../analytics/replay.ts';

/**
 * Intervals for reading days again, depending on their age: the service has no filter for recent
 * changes (reference: Funding API), and lenders change posted fundings.
 */
export interface Tiers {
  /** Age in days up to which every sync reads a day. */
  hotDays: number;
  /** Age in days up to which a day is read daily. */
  warmDays: number;
  /**
   * Age in days up to which a day is read weekly; covers the period in which lenders accept refunds
   * and disputes.
   */
  coldDays: number;
}

export const defaultTiers: Tiers = { hotDays: 7, warmDays: 35, coldDays: 400 };

export interface SyncSettings {
  /** IANA name of the zone that defines days. */
  zone: string;
  /** Number of records to request per page. Reduced if the service refuses a page of this size. */
  pageSize: number;
  /** Number of records by which consecutive pages overlap. They must be equal on both pages. */
  overlap: number;
  /** Maximum number of passes until two agree. */
  maxPasses: number;
  /** Number of windows to read concurrently. */
  parallel: number;
  /** Fraction of a day's fundings that may vanish without a second reading. */
  goneLimit: number;
  tiers: Tiers;
  /** Currency of fundings whose order's currency is unknown; empty if there is none. */
  defaultCurrency: string;
  /** Whether the merchant declared that currency, so that it is not a guess. */
  isCurrencyStated: boolean;
  /** Number of changed records after which they are replayed into the analytics database. */
  replayRecords: number;
}

export const defaultSyncSettings: SyncSettings = {
  zone: 'UTC',
  pageSize: 5_000,
  overlap: 5,
  maxPasses: 6,
  parallel: 3,
  goneLimit: 0.2,
  tiers: defaultTiers,
  defaultCurrency: '',
  isCurrencyStated: false,
  replayRecords: RECORDS_AT_ONCE,
};
