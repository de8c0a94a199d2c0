import type { LedgerEntry } from '@financing-checkout/contract';

/** The companion's own ledger, read by cursor: entries are appended and never change. */
export interface MerchantLedger {
  /** Entries with a greater id, sorted by id; an empty page is the end. */
  entries(after: number, limit: number, signal?: AbortSignal): Promise<LedgerEntry[]>;
}
