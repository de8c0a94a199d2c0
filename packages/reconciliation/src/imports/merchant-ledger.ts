import type { LedgerEntry } from '@financing-checkout/contract';

/** The companion's own ledger, read by cursor. It is append-only: entries never change. */
export interface MerchantLedger {
  /** Returns entries with a greater id, sorted by id; an empty page marks the end. */
  entries(after: number, limit: number, signal?: AbortSignal): Promise<LedgerEntry[]>;
}
