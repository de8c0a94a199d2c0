import { z } from 'zod';
import { time } from './fields.ts';

/** Result of writing the lake. */
export const lakeRecordSchema = z.object({
  writtenAt: time,
  /** Files named by the new manifest, with their rows and bytes. */
  files: z.int(),
  rows: z.int(),
  bytes: z.int(),
  /** Files written by this run, and files removed because the manifest no longer names them. */
  written: z.int(),
  removed: z.int(),
  /** Whether all days are proven and the orders have been judged since. */
  complete: z.boolean(),
});
export type LakeRecord = z.infer<typeof lakeRecordSchema>;

export const lakeProblemCodes = [
  'file-missing',
  'file-altered',
  'file-unreadable',
  'file-unlisted',
  'rows-differ',
  'proof-differs',
  'seal-differs',
] as const;

/** A difference between the lake, its manifest and the record store. */
const lakeProblemSchema = z.object({
  code: z.enum(lakeProblemCodes),
  /** Path of a file in the lake, or ID of a period. */
  subject: z.string(),
  message: z.string(),
});
export type LakeProblem = z.infer<typeof lakeProblemSchema>;

/** Result of comparing the lake with its manifest, the record store and the seals. */
export const lakeVerificationSchema = z.object({
  isIntact: z.boolean(),
  writtenAt: time,
  /** Files that were read, with their rows and bytes. */
  files: z.int(),
  rows: z.int(),
  bytes: z.int(),
  /** Files that the next write replaces or adds, because their rows have changed. */
  outdated: z.int(),
  /** Closed periods in force, in their order. */
  periods: z.array(
    z.object({
      period: z.string(),
      seal: z.string(),
      /** Whether the statements computed from the lake equal those of the seal. */
      isEqual: z.boolean(),
      /** Days whose fundings in the lake differ from the sealed ones because they changed later. */
      changedDays: z.array(z.iso.date()),
    }),
  ),
  problems: z.array(lakeProblemSchema),
});
export type LakeVerification = z.infer<typeof lakeVerificationSchema>;
