import { z } from 'zod';
import { caseEventKinds } from './cases.ts';
import { currency, minorUnits, orderKey, time } from './order-status.ts';
import { exceptionCodes } from './exceptions.ts';

/** Columns of an export of cases that a person edits. */
export const caseSheetFields = ['correct_order', 'state', 'assignee', 'reason', 'note'] as const;
export type CaseSheetField = (typeof caseSheetFields)[number];

/** Reasons for which a row of an uploaded sheet is not applied. */
export const caseSheetRefusals = [
  'case-unknown',
  'case-repeated',
  'revision-unknown',
  'case-changed',
  'row-contradicts',
  'row-unreadable',
  'person-unknown',
  'reason-missing',
  'reason-without-decision',
  'state-unknown',
  'state-not-permitted',
  'text-invalid',
  'order-same',
  'order-unknown',
  'order-ambiguous',
  'order-contradicts',
  'lines-not-imported',
  'lines-changed',
  'lines-alike',
  'imports-not-permitted',
] as const;
export type CaseSheetRefusalCode = (typeof caseSheetRefusals)[number];

const caseOfRow = {
  /** Line of the file, from 1; in a workbook, the row of the sheet. */
  line: z.int().min(1),
  caseId: z.string(),
  orderKey,
  merchantOrderId: z.string().optional(),
  currency,
  code: z.enum(exceptionCodes),
};

/** A ledger line that is moved to another order. */
const movedLineSchema = z.object({
  type: z.enum(['Settle', 'Refund']),
  amount: minorUnits,
  occurredAt: time,
});

/** What a corrected order changes in the ledger. Amounts are minor units of the row's currency. */
const caseSheetMoveSchema = z.object({
  /** Number of lines of imports that will belong to the other order. */
  count: z.int().min(1),
  /** The first 20 of them. */
  lines: z.array(movedLineSchema),
  settled: minorUnits,
  refunded: minorUnits,
  /** Of these lines, those of transactions that the other order has already: they count once. */
  repeated: z.int().min(0),
  /** Lines of the companion, which stay with the order. */
  staying: z.int().min(0),
  /** Both orders: settled less refunded amounts of the ledger, and what lenders posted. */
  orders: z.array(
    z.object({ orderKey, before: minorUnits, after: minorUnits, posted: minorUnits }),
  ),
});
export type CaseSheetMove = z.infer<typeof caseSheetMoveSchema>;

/** One edited cell. Empty texts: nothing. */
export const caseSheetDifferenceSchema = z.object({
  ...caseOfRow,
  field: z.enum(caseSheetFields),
  before: z.string(),
  after: z.string(),
  /** Reason of a changed state. */
  reason: z.string().optional(),
  /** Of `correct_order`, unless an earlier request has applied it. */
  move: caseSheetMoveSchema.optional(),
  /** Events that it adds to the trail, in order. */
  events: z.array(z.enum(caseEventKinds)),
  /** Whether these events are in the trail, from this request or an earlier one of this sheet. */
  applied: z.boolean(),
});
export type CaseSheetDifference = z.infer<typeof caseSheetDifferenceSchema>;

/** A row that is not applied. */
export const caseSheetRefusalSchema = z.object({
  ...z.object(caseOfRow).partial().shape,
  line: caseOfRow.line,
  refusal: z.enum(caseSheetRefusals),
  /** The wrong column. */
  column: z.string().optional(),
  /** Reason and remedy. */
  message: z.string(),
  /** Of `case-changed`: who changed the case last, and when. */
  by: z.string().optional(),
  at: time.optional(),
});
export type CaseSheetRefusal = z.infer<typeof caseSheetRefusalSchema>;

/** Differences between an edited export of cases and the cases. */
export const caseSheetSchema = z.object({
  /** SHA-256 of the differences and refusals. A request with it applies exactly these. */
  digest: z.string(),
  /** Rows read, and rows without an edited cell. */
  rows: z.int().min(0),
  unchanged: z.int().min(0),
  differences: z.array(caseSheetDifferenceSchema),
  refusals: z.array(caseSheetRefusalSchema),
  /** Whether this request has applied the differences. */
  applied: z.boolean(),
});
export type CaseSheet = z.infer<typeof caseSheetSchema>;
