import { z } from 'zod';
import { person, words } from '../back-office/person.ts';
import {
  currency,
  minorUnits,
  notSearched,
  orderKey,
  reliability,
  sumOfMany,
  time,
} from './fields.ts';
import { setUpStates } from './words.ts';

const day = z.iso.date();

/** The kinds of work that need a person. */
export const todayKinds = [
  'alarm',
  'exception',
  'late-funding',
  'hold',
  'unclear-operation',
  'dead-webhook',
  'dead-alert',
  'unproven-day',
  'quarantine',
  'ledger-start',
  'approval',
] as const;
export type TodayKind = (typeof todayKinds)[number];

/** Servers whose data can be missing from a response because they did not respond. */
const unavailableParts = ['companion'] as const;

/**
 * One work item.
 *
 * - `alarm`: evidence that records were altered or are lost; see `POST /alarms/{alarm}/acknowledgement`.
 * - `exception`: an open case. `late-funding`: an open case for money that no lender posted in
 *   time.
 * - `hold`: an authorization that is not settled completely, and ends soon or has ended.
 * - `unclear-operation`, `dead-webhook`: from the companion. `dead-alert`: from reconciliation.
 * - `unproven-day`: a day whose report is not proven. `quarantine`: a record that could not be
 *   stored.
 * - `ledger-start`: whether fundings from before the ledger of their lender are missing from it; see
 *   `POST /ledger-starts`.
 * - `approval`: a prepared close, or a request to reopen a period, that waits for a second person.
 */
export const todayItemSchema = z.object({
  kind: z.enum(todayKinds),
  /** ID of the case, charge, operation, message, record or period; the day; currency and lender. */
  id: z.string(),
  /**
   * Exception of a case, kind of an operation, state of a day, or the request that waits for approval.
   * For `ledger-start`, `lender` or `currency` states whose first line `day` refers to; `none` without a
   * line.
   */
  code: z.string().optional(),
  /** Number of fundings from before the ledger. */
  count: z.int().min(1).optional(),
  orderKey: orderKey.optional(),
  merchantOrderId: z.string().optional(),
  /**
   * Amount of an operation; for a hold, the part that is not settled. For a case, the money at stake,
   * including merged cases: see `atStake` of a case.
   */
  amount: minorUnits.optional(),
  currency: currency.optional(),
  /** True if the currency of the amount is only the default, because no source states it. */
  currencyAssumed: z.boolean().optional(),
  /** Absent if no funding names the lender. */
  lender: z.string().optional(),
  since: time,
  /** End of a hold, or when a request for approval lapses. */
  endsAt: time.optional(),
  assignee: z.string().optional(),
  /** The person whose request waits for approval. */
  actor: z.string().optional(),
  /** The day of a record, the unproven day, or the day of the first ledger line. */
  day: day.optional(),
  /** Reason for a reopening, unclear operation, dead message, unproven day or quarantined record. */
  reason: z.string().optional(),
});
export type TodayItem = z.infer<typeof todayItemSchema>;

/** Explanations for fundings from before their lender's ledger: recorded in another ledger, or missing. */
export const ledgerStartAnswers = ['elsewhere', 'missing'] as const;
export type LedgerStartAnswer = (typeof ledgerStartAnswers)[number];

/** Body of `POST /ledger-starts`. Without `lender`, the answer applies to fundings without a lender. */
export const ledgerStartRequestSchema = z.strictObject({
  by: person.optional(),
  currency,
  lender: z.string().min(1).max(256).optional(),
  answer: z.enum(ledgerStartAnswers),
  reason: words.optional(),
});
/** The answer in effect. */
export const ledgerStartSchema = ledgerStartRequestSchema.pick({
  currency: true,
  lender: true,
  answer: true,
});

/** Body of `POST /alarms/{alarm}/acknowledgement`. */
export const acknowledgementRequestSchema = z.strictObject({
  by: person.optional(),
  reason: words,
});
/** The acknowledged alarm. */
export const acknowledgementSchema = z.object({ alarm: z.int().min(1) });

/** The work that needs a person today. */
export const todaySchema = z.object({
  ...reliability,
  /**
   * Number of items by kind, listed or not. Absent for a server that did not respond. A case whose
   * money is counted in other cases of its order is not an item.
   */
  counts: z.partialRecord(z.enum(todayKinds), z.int().min(0)),
  /**
   * Sums of all items' amounts by kind and currency, regardless of sign and excluding amounts in an
   * assumed currency; absent for a kind without amounts.
   */
  amounts: z.partialRecord(z.enum(todayKinds), z.array(z.object({ currency, amount: sumOfMany }))),
  /** Number of items by kind that no sum includes, because their currency is assumed. */
  assumed: z.partialRecord(z.enum(todayKinds), z.int().min(0)),
  /**
   * At most 200: approvals first, then by descending amount, and oldest first if the amounts are equal or absent. Up to
   * 25 places are reserved for each kind.
   */
  items: z.array(todayItemSchema),
  unavailable: z.array(z.enum(unavailableParts)),
  ledger: z.enum(setUpStates),
});
export type Today = z.infer<typeof todaySchema>;

/** The kinds of IDs in the `matches` of a search. */
export const searchKinds = ['order', 'charge', 'transaction', 'application'] as const;
export type SearchKind = (typeof searchKinds)[number];

/**
 * Everything that a search finds. `reference`: a lender's reference. `amount`: an order, one of its
 * lines or an exception with this amount. `person`: a person to whom cases are assigned.
 */
export const searchGroupKinds = [
  'order',
  'case',
  'reference',
  'charge',
  'transaction',
  'application',
  'amount',
  'lender',
  'person',
  'import',
] as const;
export type SearchGroupKind = (typeof searchGroupKinds)[number];

/** Kinds whose many IDs are scanned one by one for a fragment. */
export const scannedKinds = ['order', 'reference', 'charge', 'transaction'] as const;
export type ScannedKind = (typeof scannedKinds)[number];

/**
 * The amounts that a search compares. Of an order: `expected`, `funded` and `awaiting`, and the sums of
 * its lines: `settle`, `refund`, `posted` (gross, by the lender) and `net`. Of one of its lines: the
 * same four words.
 */
export const amountsOfSearch = [
  'expected',
  'funded',
  'awaiting',
  'exception',
  'settle',
  'refund',
  'posted',
  'net',
] as const;

export const searchHitSchema = z.object({
  kind: z.enum(searchGroupKinds),
  /** The matching ID or name; for an amount, the amount in minor units. */
  value: z.string(),
  /** Source of an import, as stated with the file. */
  name: z.string().optional(),
  /** Absent for a lender, a person or an import. */
  orderKey: orderKey.optional(),
  merchantOrderId: z.string().optional(),
  /** True if the whole ID or name is the search text, in any letter case; true for an amount. */
  exact: z.boolean(),
  /** Time of the last change, settle, funding or import. */
  at: time.optional(),
  /** Amount of an order or a case, in minor units. */
  amount: minorUnits.optional(),
  currency: currency.optional(),
  /** The amount that matched. */
  of: z.enum(amountsOfSearch).optional(),
  /** Exception code of a case, or of an exception with this amount. */
  code: z.string().optional(),
  state: z.string().optional(),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

/** The orders that match an ID, and all other matches by kind. */
export const searchSchema = z.object({
  /**
   * Orders whose ID, or the ID of one of their lines, equals or starts with the search text. At
   * most 20, exact matches first. An application must match exactly.
   */
  matches: z.array(
    z.object({
      kind: z.enum(searchKinds),
      /** The matching ID. */
      value: z.string(),
      orderKey,
      merchantOrderId: z.string().optional(),
    }),
  ),
  /** Kinds with a match. Kinds with an exact match are first. */
  groups: z.array(
    z.object({
      kind: z.enum(searchGroupKinds),
      /** Number of matches, at most 100. */
      count: z.int().min(1),
      /** Whether there are more than `count`. */
      more: z.boolean(),
      /** At most 5: exact matches first, then prefix matches, then the most recent. */
      hits: z.array(searchHitSchema),
    }),
  ),
  /** Kinds that were not searched for a fragment in time: repeat the search with `fragments`. */
  unsearched: z.array(z.enum(scannedKinds)),
  /** If it includes `companion`, applications are missing. */
  unavailable: z.array(z.enum(unavailableParts)),
  notSearched,
});
export type SearchResult = z.infer<typeof searchSchema>;
