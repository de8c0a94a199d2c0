import { z } from 'zod';
import { caseEventKinds } from './cases.ts';
import { exceptionCodes } from './exceptions.ts';
import { currency, orderKey, time } from './fields.ts';

/** Editable columns in an export of cases. */
export const caseSheetFields = ['state', 'assignee', 'reason', 'note'] as const;
export type CaseSheetField = (typeof caseSheetFields)[number];

/** Reasons why a row of an uploaded sheet is not applied. */
export const caseSheetRefusals = [
  'case-unknown',
  'case-repeated',
  'revision-unknown',
  'case-changed',
  'case-merged',
  'row-contradicts',
  'row-unreadable',
  'person-unknown',
  'reason-missing',
  'reason-without-decision',
  'state-unknown',
  'state-not-permitted',
  'text-invalid',
  'order-edited',
] as const;
export type CaseSheetRefusalCode = (typeof caseSheetRefusals)[number];

const caseOfRow = {
  /** Line number in the file, from 1; in a workbook, the row number in the sheet. */
  line: z.int().min(1),
  caseId: z.string(),
  orderKey,
  merchantOrderId: z.string().optional(),
  currency,
  code: z.enum(exceptionCodes),
};

/** One edited cell. An empty string means no value. */
const caseSheetDifferenceSchema = z.object({
  ...caseOfRow,
  field: z.enum(caseSheetFields),
  before: z.string(),
  after: z.string(),
  reason: z.string().optional(),
  /** Events that this difference adds to the audit trail, in order. */
  events: z.array(z.enum(caseEventKinds)),
  /** Whether the trail has these events, from this or an earlier request with this sheet. */
  applied: z.boolean(),
});
export type CaseSheetDifference = z.infer<typeof caseSheetDifferenceSchema>;

/** A row that is not applied. */
const caseSheetRefusalSchema = z.object({
  ...z.object(caseOfRow).partial().shape,
  line: caseOfRow.line,
  refusal: z.enum(caseSheetRefusals),
  column: z.string().optional(),
  /** Reason and remedy. */
  message: z.string(),
  /** Only for `case-changed`: who changed the case last, how, and when. */
  by: z.string().optional(),
  kind: z.enum(caseEventKinds).optional(),
  at: time.optional(),
});
export type CaseSheetRefusal = z.infer<typeof caseSheetRefusalSchema>;

/** Differences between an edited export of cases and the cases. */
export const caseSheetSchema = z.object({
  /** SHA-256 of the differences and refusals. A request with this digest applies exactly these. */
  digest: z.string(),
  /** Number of rows read, and of rows without an edited cell. */
  rows: z.int().min(0),
  unchanged: z.int().min(0),
  differences: z.array(caseSheetDifferenceSchema),
  refusals: z.array(caseSheetRefusalSchema),
  /** Whether this request has applied the differences. */
  applied: z.boolean(),
});
export type CaseSheet = z.infer<typeof caseSheetSchema>;
