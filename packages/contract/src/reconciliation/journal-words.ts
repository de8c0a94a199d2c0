/** Accounts that journals post to, by purpose. The chart of accounts names them. */
export const journalAccounts = [
  'receivable',
  'in-transit',
  'disputed',
  'bank',
  'revenue',
  'refunds',
  'discount',
  'chargebacks',
  'reversals',
  'overpaid',
  'duplicates',
  'suspense',
  'differences',
  'opening',
  'rounding',
  'unexplained',
] as const;
export type JournalAccount = (typeof journalAccounts)[number];

export const accountTypes = ['asset', 'liability', 'equity', 'income', 'expense'] as const;
export type AccountType = (typeof accountTypes)[number];

/**
 * Kinds of entries, in journal order. `opening` and `reversal` are dated on the first day of the period,
 * all others on its last day.
 */
export const journalKinds = [
  /** Amount in transit before the first closed period. */
  'opening',
  /** Reverses the amount in transit at the end of the previous period. */
  'reversal',
  /** Amounts that became due from lenders. */
  'sales',
  /** Postings of lenders: net payouts, discounts, refunds, chargebacks. */
  'payouts',
  /** Amounts that are no longer expected: claimed from the lender, or accepted. */
  'differences',
  /** Amount in transit at the end of the period. */
  'in-transit',
] as const;
export type JournalKind = (typeof journalKinds)[number];

export const journalFormats = [
  'beancount',
  'hledger',
  'quickbooks',
  'xero',
  'netsuite',
  'datev',
  'csv',
] as const;
export type JournalFormatName = (typeof journalFormats)[number];

/** One entry for each kind, currency and lender; or for each kind and order. */
export const journalDetails = ['summary', 'orders'] as const;
export type JournalDetail = (typeof journalDetails)[number];

/** Parses the ID of an entry, such as `FC3-17`; returns undefined for any other string. */
export function journalEntryOfId(id: string): { seq: number; entry: number } | undefined {
  const [, seq, entry] = /^FC(\d{1,9})-(\d{1,9})$/i.exec(id.trim()) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), entry: Number(entry) };
}
