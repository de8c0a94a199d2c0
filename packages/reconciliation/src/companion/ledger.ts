import { type LedgerEntry, ledgerSchema } from '@financing-checkout/contract/back-office';
import type { MerchantLedger } from '../imports/keep/index.ts';
import { type CompanionClient, CompanionError } from './client.ts';

/** A page usually has a thousand entries of less than a kilobyte. */
const MAX_BYTES = 8 * 1_048_576;
/** Low, because the caller itself retries soon. */
const TRIES = 2;
const PAGE = 1_000;

export interface CompanionLedger extends MerchantLedger {
  /** Returns all entries of an order, sorted by id. @throws {CompanionError} */
  entriesOfOrder(merchantOrderId: string, signal?: AbortSignal): Promise<LedgerEntry[]>;
}

/** The companion's own ledger. Its methods throw {@link CompanionError}. */
export function createCompanionLedger(client: CompanionClient): CompanionLedger {
  async function page(query: Record<string, string>, signal: AbortSignal | undefined) {
    const bytes = await client.get({
      path: 'ledger',
      query,
      maxBytes: MAX_BYTES,
      tries: TRIES,
      signal,
    });
    try {
      return ledgerSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
    } catch {
      throw new CompanionError('its ledger cannot be read');
    }
  }

  return {
    async entries(after, limit, signal) {
      const query = { after: String(after), limit: String(limit) };
      return (await page(query, signal)).entries;
    },

    async entriesOfOrder(merchantOrderId, signal) {
      const found: LedgerEntry[] = [];
      for (let after: number | undefined = 0; after !== undefined;) {
        const query = { merchantOrderId, after: String(after), limit: String(PAGE) };
        const { entries, next } = await page(query, signal);
        found.push(...entries);
        after = next;
      }
      return found;
    },
  };
}
