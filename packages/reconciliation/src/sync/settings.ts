/**
 * Intervals of reading a day again, by its age: the service has no filter for recent changes
 * (reference: Funding API), and lenders change posted fundings.
 */
export interface Tiers {
  /** Days that each sync reads. */
  hotDays: number;
  /** Days that are read once a day. */
  warmDays: number;
  /**
   * Days that are read once a week; covers the time in which lenders accept refunds and disputes.
   */
  coldDays: number;
}

export const defaultTiers: Tiers = { hotDays: 7, warmDays: 35, coldDays: 400 };

export interface SyncSettings {
  /** IANA name of the zone that defines days. */
  zone: string;
  /** Records per requested page. */
  pageSize: number;
  /** Records by which two pages overlap and must agree. */
  overlap: number;
  /** Maximum passes until two agree. */
  maxPasses: number;
  /** Windows to read concurrently. */
  parallel: number;
  /** Share of a day's fundings that may vanish without a second reading. */
  goneLimit: number;
  tiers: Tiers;
  /** Currency of fundings whose order has no known currency; empty: none. */
  defaultCurrency: string;
  /** Whether the merchant declares that currency, so that it is not a guess. */
  isCurrencyStated: boolean;
  /** Number of changed records after which the analytics database follows. */
  replayRecords: number;
}

export const defaultSyncSettings: SyncSettings = {
  zone: 'UTC',
  pageSize: 1_000,
  overlap: 5,
  maxPasses: 6,
  parallel: 3,
  goneLimit: 0.2,
  tiers: defaultTiers,
  defaultCurrency: '',
  isCurrencyStated: false,
  replayRecords: 50_000,
};
