import { ledgerPresetNames } from '@financing-checkout/contract/plain';
import { ledgerPreset, type LedgerPreset } from '@financing-checkout/contract/reconciliation';
import { repeatedKeys } from '../../platform/repeated-keys.ts';
import { LedgerImportError } from '../import-error.ts';
import { packaged } from '../read/index.ts';

/**
 * Returns a built-in preset by name, or parses the text of a preset file.
 * @throws {LedgerImportError} with all errors
 */
export function presetOf(nameOrText: string): LedgerPreset {
  const name = ledgerPresetNames.find((known) => known === nameOrText);
  if (name !== undefined) return packaged(name);
  if (!nameOrText.trimStart().startsWith('{')) {
    throw new LedgerImportError(
      `There is no preset of this name: ${ledgerPresetNames.join(', ')} are there, or a file of yours.`,
    );
  }
  return parsePreset(nameOrText);
}

/** Parses the text of a preset file. @throws {LedgerImportError} with all errors */
export function parsePreset(text: string): LedgerPreset {
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
  const read = ledgerPreset.safeParse(value);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new LedgerImportError(`The preset cannot be used. ${issues.join('; ')}.`);
}
