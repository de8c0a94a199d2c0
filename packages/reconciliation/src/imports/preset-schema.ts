import { z } from 'zod';
import { ledgerFieldNames } from './columns.ts';
import { dateNotations } from './dates.ts';

const words = z.array(z.string().min(1)).optional();
/** The contents of a preset file. */
export const presetSchema = z.strictObject({
  /** Description of the file, which follows "looks like". */
  title: z.string().optional(),
  /** Columns by which such a file is recognized. */
  head: z.array(z.string().min(1)).min(1).optional(),
  map: z.partialRecord(z.enum(ledgerFieldNames), z.string().min(1)).optional(),
  types: z.strictObject({ settle: words, refund: words, sign: words, skip: words }).optional(),
  only: z.record(z.string(), z.array(z.string())).optional(),
  units: z.enum(['minor', 'major']).optional(),
  decimal: z.enum(['point', 'comma']).optional(),
  dates: z.enum(dateNotations).optional(),
  year: z.int().optional(),
  zone: z.string().optional(),
  currency: z.string().optional(),
  type: z.enum(['settle', 'refund', 'sign']).optional(),
  settleAndRefund: z.boolean().optional(),
  skipRowsWithout: z.array(z.string().min(1)).optional(),
  extraRows: z.enum(['skip', 'keep']).optional(),
  cells: z.enum(['shown', 'stored']).optional(),
  skipOtherTypes: z.boolean().optional(),
  delimiter: z.string().length(1).optional(),
  encoding: z.string().optional(),
  ownExport: z.boolean().optional(),
});
export type Preset = z.infer<typeof presetSchema>;
