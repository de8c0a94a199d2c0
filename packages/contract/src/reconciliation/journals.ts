import { z } from 'zod';
import { person } from '../back-office/person.ts';
import { currency, minorUnits, orderKey, time } from './fields.ts';
import {
  accountTypes,
  journalAccounts,
  journalDetails,
  journalFormats,
  journalKinds,
} from './journal-words.ts';

const accountSchema = z.object({
  number: z.string(),
  name: z.string(),
  type: z.enum(accountTypes),
});
/** An account of the merchant's books. */
export type Account = z.infer<typeof accountSchema>;

const journalLineSchema = z.object({
  account: accountSchema,
  /** Minor units. Positive: debit; negative: credit. */
  amount: minorUnits,
  /** Empty if no lender has posted anything for the order yet. */
  lender: z.string(),
});
export type JournalLine = z.infer<typeof journalLineSchema>;

/** An entry, whose lines add up to zero. */
export const journalEntrySchema = z.object({
  /** `FC`, the number of the export, a hyphen, and the number of the entry: `FC3-17`. */
  id: z.string(),
  date: z.iso.date(),
  kind: z.enum(journalKinds),
  period: z.string(),
  /** The closed period that an adjustment belongs to; empty before the first closed period. */
  belongsTo: z.string().optional(),
  currency,
  /** Present if the entry is for one order. */
  orderKey: orderKey.optional(),
  merchantOrderId: z.string().optional(),
  lines: z.array(journalLineSchema),
});
export type JournalEntry = z.infer<typeof journalEntrySchema>;

/** Debits and credits of an account. */
const accountBalanceSchema = z.object({
  account: accountSchema,
  currency,
  debit: minorUnits,
  credit: minorUnits,
});
export type AccountBalance = z.infer<typeof accountBalanceSchema>;

/** Why a target would refuse or truncate something. */
const journalRefusalSchema = z.object({
  /** Name of the limit, such as `account-number`. */
  limit: z.string(),
  /** The reason, and the remedy. */
  message: z.string(),
  /** Number of lines or entries. */
  count: z.int().min(1),
  /** IDs of at most 5 entries, with the order if there is one: `FC3-6 (order R-1001)`. */
  examples: z.array(z.string()),
});
export type JournalRefusal = z.infer<typeof journalRefusalSchema>;

const journalFileSchema = z.object({
  name: z.string(),
  rows: z.int().min(1),
  bytes: z.int().min(1),
  sha256: z.string(),
});
export type JournalFile = z.infer<typeof journalFileSchema>;

/**
 * Number of the last export of the period in this format with another detail. Both have the entries of
 * the same money: only one of them is to be imported.
 */
const otherDetail = z.int().min(1).optional();

/** A closed period exported to one target. It never changes. */
export const journalExportSchema = z.object({
  /** Position, from 1. */
  seq: z.int().min(1),
  period: z.string(),
  /** Position and hash of the seal that it was made from. */
  seal: z.object({ seq: z.int(), hash: z.string() }),
  format: z.enum(journalFormats),
  detail: z.enum(journalDetails),
  at: time,
  by: z.string(),
  entries: z.int().min(0),
  lines: z.int().min(0),
  /** Whether it contains only the differences from earlier exports of the period in this format and detail. */
  isCorrection: z.boolean(),
  otherDetail,
  files: z.array(journalFileSchema),
  /** SHA-256 of the chart of accounts in effect, and of the ZIP file. */
  chartHash: z.string(),
  sha256: z.string(),
  balances: z.array(accountBalanceSchema),
});
export type JournalExport = z.infer<typeof journalExportSchema>;
export const journalExportsSchema = z.object({ exports: z.array(journalExportSchema) });

/** Preview of the export of a period. */
export const journalPreviewSchema = z.object({
  period: z.string(),
  /** False if the period is open and the journal is a draft. */
  isSealed: z.boolean(),
  format: z.enum(journalFormats),
  detail: z.enum(journalDetails),
  /** Number of the export that the differences refer to; absent for a first export. */
  since: z.int().optional(),
  otherDetail,
  entries: z.array(journalEntrySchema),
  /** Number of all entries; `entries` contains the first ones. */
  count: z.int().min(0),
  lines: z.int().min(0),
  balances: z.array(accountBalanceSchema),
  refusals: z.array(journalRefusalSchema),
  files: z.array(journalFileSchema),
});
export type JournalPreview = z.infer<typeof journalPreviewSchema>;

/** The orders behind an entry, or behind the balance of an account. */
export const journalTraceSchema = z.object({
  export: journalExportSchema,
  entry: journalEntrySchema.optional(),
  orders: z.array(
    z.object({
      orderKey,
      merchantOrderId: z.string().optional(),
      currency,
      lender: z.string(),
      account: z.enum(journalAccounts),
      amount: minorUnits,
    }),
  ),
  count: z.int().min(0),
  /** Sum of all orders by account and currency; the answer may list only some of the orders. */
  totals: z.array(z.object({ account: z.enum(journalAccounts), currency, amount: minorUnits })),
});
export type JournalTrace = z.infer<typeof journalTraceSchema>;

export const journalRequestSchema = z.strictObject({
  by: person.optional(),
  format: z.enum(journalFormats),
  detail: z.enum(journalDetails).default('summary'),
});

/** The chart of accounts in use, with the targets' settings. */
export const chartRecordSchema = z.object({
  hash: z.string(),
  isDefault: z.boolean(),
  accounts: z.array(accountSchema.extend({ for: z.enum(journalAccounts) })),
  rules: z.array(
    accountSchema.extend({
      for: z.enum(journalAccounts),
      lender: z.string().optional(),
      currency: z.string().optional(),
      productType: z.string().optional(),
    }),
  ),
});
export type ChartRecord = z.infer<typeof chartRecordSchema>;
