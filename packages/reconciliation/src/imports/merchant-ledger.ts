import type { LedgerEntry } from '@financing-checkout/contract';

/** The companion's own ledger, by cursor: entries are added and never changed. */
export interface MerchantLedger {
  /** Entries with a greater id, in the order of ids; an empty page is the end. */
  entries(after: number, limit: number, signal?: AbortSignal): Promise<LedgerEntry[]>;
}
