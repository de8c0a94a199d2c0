import { defaultTiers, type Tiers } from './plan.ts';
import type { WindowSettings } from './window.ts';

export interface SyncSettings extends WindowSettings {
  /** Windows that are read at a time. */
  parallel: number;
  /** Rows of a transaction. */
  batchRows: number;
  /** Share of a day's fundings that may go away without another look. */
  goneLimit: number;
  tiers: Tiers;
  /** Currency of a funding whose order has none that is known; empty when there is none. */
  defaultCurrency: string;
  /** The fewest days that a companion takes on at a time, where several read them. */
  shareDays: number;
  /** Milliseconds after which a sync that says nothing any more is taken over. */
  leaseMs: number;
}

export const defaultSyncSettings: SyncSettings = {
  zone: 'UTC',
  pageSize: 1_000,
  overlap: 5,
  maxPasses: 6,
  parallel: 3,
  batchRows: 500,
  goneLimit: 0.2,
  tiers: defaultTiers,
  defaultCurrency: '',
  shareDays: 14,
  leaseMs: 30_000,
};
