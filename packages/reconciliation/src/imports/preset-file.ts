import { z } from 'zod';
import { repeatedKeys } from '../platform/repeated-keys.ts';
import { LedgerImportError, ledgerFieldNames } from './columns.ts';
import { dateNotations } from './dates.ts';
import { packaged, presetNames } from './presets.ts';

const words = z.array(z.string().min(1)).optional();
const presetSchema = z.strictObject({
  /** Description of the file, after "looks like". */
  title: z.string().optional(),
  /** Columns that identify such a file. */
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
  skipOtherTypes: z.boolean().optional(),
  delimiter: z.string().length(1).optional(),
  encoding: z.string().optional(),
  ownExport: z.boolean().optional(),
});
export type Preset = z.infer<typeof presetSchema>;

/**
 * Returns a preset of the package by name, or parses the text of a preset file.
 * @throws {LedgerImportError} with all its errors
 */
export function presetOf(nameOrText: string): Preset {
  const name = presetNames.find((known) => known === nameOrText);
  if (name !== undefined) return packaged(name);
  if (!nameOrText.trimStart().startsWith('{')) {
    throw new LedgerImportError(
      `There is no preset of this name: ${presetNames.join(', ')} are there, or a file of yours.`,
    );
  }
  return parsePreset(nameOrText);
}

/** Parses the text of a preset file. @throws {LedgerImportError} with all its errors */
export function parsePreset(text: string): Preset {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LedgerImportError('The preset is not JSON.');
  }
  const twice = repeatedKeys(text)[0]?.path.at(-1);
  if (twice !== undefined) {
    throw new LedgerImportError(`The preset has the key "${twice}" twice.`);
  }
  const read = presetSchema.safeParse(value);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new LedgerImportError(`The preset cannot be used. ${issues.join('; ')}.`);
}
