/**
 * How often a day is read again, by its age: the service has no filter for what was changed since
 * (reference: Funding API), and lenders change what they posted.
 */
export interface Tiers {
  /** Days that each sync reads. */
  hotDays: number;
  /** Days that are read once a day. */
  warmDays: number;
  /** Days that are read once a week; as far back as lenders take refunds and disputes. */
  coldDays: number;
}

export const defaultTiers: Tiers = { hotDays: 7, warmDays: 35, coldDays: 400 };

export interface SyncSettings {
  /** IANA name; days are days of this zone. */
  zone: string;
  /** Records a page is asked for. */
  pageSize: number;
  /** Records that two pages have in common, and must agree on. */
  overlap: number;
  /** Passes that may be made until two agree. */
  maxPasses: number;
  /** Windows that are read at a time. */
  parallel: number;
  /** Share of a day's fundings that may go away without another look. */
  goneLimit: number;
  tiers: Tiers;
  /** Currency of a funding whose order has none that is known; empty when there is none. */
  defaultCurrency: string;
  /** Whether the merchant states that currency, so that it is no guess. */
  isCurrencyStated: boolean;
  /** Records that changed after which the analytics database follows. */
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
